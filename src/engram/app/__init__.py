"""What engram can do: a table of operations that every surface reads."""
