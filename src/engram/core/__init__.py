"""What a memory is and which rules it obeys; reads no file, no clock and no environment."""
