"""A human-owned memory for coding agents: agents propose, a person approves, any host loads."""

__version__ = "0.1.0"
