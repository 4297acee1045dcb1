"""The front doors: web, command line and worker. They know how to ask the engine, and decide nothing."""
