"""How much precision differs from training to training: label trees and their peers, each grown several times.

    python benchmarks/precision.py [--data bibtex,tate] [--systems umpteen-bonsai,omikuji-bonsai] [--times 5]

The same sets, features and environments as `sparse.py`, whose table holds one training of each. Here every system
is trained so many times (ours with seeds 0, 1, ...; the peers draw anew by themselves), and the table has means with
their standard errors. Nothing is timed, so other programs may run.
"""

import argparse
import json
import signal
import sys
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

import numpy as np

from peers import sets
from sparse import DATA, ROOT, Bench, FailedError, Results, Row, scores

SYSTEMS = "umpteen,umpteen-parabel,omikuji-parabel,umpteen-bonsai,omikuji-bonsai"
MEASURES = ("P@1", "P@3", "P@5", "PSP@5")


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", default="bibtex,delicious,debtags,tate", help=f"which sets (%(default)s) of {DATA}")
    parser.add_argument("--folder", type=Path, default=ROOT / ".." / "shared" / "data", help="where the sets are")
    parser.add_argument("--systems", default=SYSTEMS, help="which systems (%(default)s)")
    parser.add_argument("--times", type=int, default=5, help="trainings of each system (%(default)s)")
    parser.add_argument("--out", type=Path, help="JSON file to keep results in; what stands there is not done again")
    parser.add_argument("--limit", type=int, default=7200, help="seconds a step may take (%(default)s)")
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-peers", help="where peers are installed")
    parser.set_defaults(quick=True)  # compiling is not measured
    options = parser.parse_args(arguments)
    if options.times < 2:
        parser.error(f"--times must be at least 2, not {options.times}: one training says nothing of how they differ")
    return options


def table(rows: list[Row]) -> str:
    """Means and their standard errors as Markdown."""
    lines = [f"| data | system | trained | {' | '.join(MEASURES)} |", "| --- " * (3 + len(MEASURES)) + "|"]
    for data, system in dict.fromkeys((row["data"], row["system"]) for row in rows):
        own = [row for row in rows if (row["data"], row["system"]) == (data, system)]
        values = np.array([[row[measure] for measure in MEASURES] for row in own])
        errors = values.std(axis=0, ddof=1) / np.sqrt(len(own)) if len(own) > 1 else np.full(len(MEASURES), np.nan)
        cells = " | ".join(f"{mean:.2f} ± {error:.2f}" for mean, error in zip(values.mean(axis=0), errors, strict=True))
        lines.append(f"| {data} | {system} | {len(own)} | {cells} |")
    return "\n".join(lines)


def main() -> None:
    """Train, ask, print."""
    options = parsed()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that children and files go too
    rows: list[Row] = json.loads(options.out.read_text()) if options.out and options.out.exists() else []
    with TemporaryDirectory(prefix="bench-precision-") as work:
        bench = Bench(Path(work), options, Results(None, []))
        bench.install(options.systems.split(","))
        for name in options.data.split(","):
            if not sets.make(name, options.folder, bench.work / name):
                print(f"{name}: left out, it is not in {options.folder}")
                continue
            for seed in range(options.times):
                for system in bench.pythons:
                    key = {"data": name, "system": system, "seed": seed}
                    if any(key.items() <= row.items() for row in rows):
                        continue
                    try:
                        bench.child("train", name, system, seed)
                        bench.child("tag", name, system)
                    except FailedError as problem:
                        print(f"{name}, {system}: {problem}", flush=True)
                        continue
                    rows.append(key | scores(bench.work / name, np.load(bench.work / "answer.npy")))
                    if options.out:
                        options.out.write_text(json.dumps(rows, indent=1) + "\n")
            rmtree(bench.work / name, ignore_errors=True)
    print(table(rows) if rows else "Nothing was measured.")


if __name__ == "__main__":
    main()
