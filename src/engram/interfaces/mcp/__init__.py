"""The Model Context Protocol over stdio, in both eras."""
