"""The sandbox as a processor: its wire, its signature and its answers, seen from outside like any other's."""
