"""The machine: files and the environment; knows nothing of memories."""
