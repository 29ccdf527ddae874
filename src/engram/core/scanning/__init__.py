"""What must not enter a memory unseen: secrets, personal data, planted instructions, hidden text."""
