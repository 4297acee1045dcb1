"""`make bench`: each row that the design names and that exists so far, as a ratio to its peer.

`--json` prints one object a line; the names of sources print those alone.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import deciding, draining, entitlements, intake, rendering
from benchmarks.measuring import Row

SOURCES = {
    "deciding": deciding.rows,
    "rendering": rendering.rows,
    "intake": intake.rows,
    "entitlements": entitlements.rows,
    "draining": draining.rows,
}


def told(row: Row) -> str:
    """One line for people."""
    verdict = "met" if row.met else "NOT MET"
    return (
        f"{row.name:<40} {row.ours:>12,.0f} {row.unit}; {row.peer_name}: {row.peer:,.0f}; "
        f"ratio {row.ratio:.2f}, wanted {row.target:.2f}: {verdict}"
    )


def as_json(row: Row) -> str:
    """One object."""
    return json.dumps(
        {"name": row.name, "ours": row.ours, "peer": row.peer, "ratio": row.ratio, "target": row.target, "met": row.met}
    )


def main() -> None:
    """Run all of them, or those that are named."""
    named = [word for word in sys.argv[1:] if word != "--json"]
    for name in named or SOURCES:
        for row in SOURCES[name]():
            print(as_json(row) if "--json" in sys.argv[1:] else told(row), flush=True)


if __name__ == "__main__":
    main()
