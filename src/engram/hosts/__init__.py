"""Coding agents: where each keeps its configuration, and how one entry in it is edited."""
