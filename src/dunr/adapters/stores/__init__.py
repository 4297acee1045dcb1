"""Where rows live. Each store knows one database and passes the same exam."""
