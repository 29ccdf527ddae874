"""Memories on disk."""
