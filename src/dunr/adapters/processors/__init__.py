"""Who moves the money. Each folder knows one processor, under the same file names as its neighbours."""
