"""What is known of labels beyond their names: files that describe them, and trees made of them."""
