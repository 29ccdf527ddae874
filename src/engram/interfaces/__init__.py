"""How people and agents reach engram."""
