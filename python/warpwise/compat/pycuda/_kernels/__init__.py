"""Generated sources: elementwise and reduction modules, and what users' arguments are in them."""
