"""Retrieval, measured: sets of queries with what they should bring."""
