"""Label trees beside their peers: training, memory, size, tagging, latency and precision in one table.

    python benchmarks/sparse.py [--data bibtex,generated] [--systems umpteen,pecos] [--out results.json --resume]

Makes the peers' environments and one set of features for all, runs each system in processes of its own on two cores,
prints a table and the ratios to the best peer. Results are kept in --out as they come (and as Markdown beside it):
what is measured again replaces what stands there, with --resume what stands there is not measured again.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from peers import sets
from peers.environments import MissingError, python_of
from peers.systems import SYSTEMS, THREADS, is_peer, kind, matrix
from peers.tables import report
from umpteen.core.ranking import Ranking
from umpteen.metrics.ranking import Judged, inverse_propensity

ROOT = Path(__file__).parents[1]
DATA = "bibtex,delicious,debtags,tate,tibkat,generated"

Row = dict[str, Any]


class FailedError(Exception):
    """A run that ended badly or took too long."""


@dataclass
class Results:
    """Rows by data set and system, kept in a file if one is named."""

    file: Path | None
    rows: list[Row]
    compile_s: float | None = None

    @classmethod
    def kept(cls, file: Path | None) -> "Results":
        """Those of earlier runs, if any."""
        known = json.loads(file.read_text()) if file and file.exists() else {"rows": []}
        return cls(file, known["rows"], known.get("compile_s"))

    def find(self, data: str, system: str) -> Row | None:
        """The row of a system on a data set."""
        return next((row for row in self.rows if (row["data"], row["system"]) == (data, system)), None)

    def put(self, row: Row) -> None:
        """Add a row in the place of an older one, and write all."""
        old = self.find(row["data"], row["system"])
        self.rows = [other for other in self.rows if other is not old] + [row]
        self.rows.sort(key=lambda row: (_place(row["data"], DATA.split(",")), _place(row["system"], [*SYSTEMS])))
        self.write()

    def write(self) -> None:
        """Replace the file, and the tables beside it."""
        if self.file is None:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.file.with_name(self.file.name + ".new")
        fresh.write_text(json.dumps({"rows": self.rows, "compile_s": self.compile_s}, indent=1) + "\n")
        fresh.replace(self.file)
        self.file.with_suffix(".md").write_text(report(self.rows, compile_s=self.compile_s))


class Bench:
    """Runs systems on data sets in a folder for what is thrown away after."""

    def __init__(self, work: Path, options: argparse.Namespace, results: Results) -> None:
        self.work, self.options, self.results = work, options, results
        self.pythons: dict[str, str] = {}
        self.compiled: dict[str, float] = {}  # systems of ours, and how long that took
        self.env = os.environ | {f"{name}_NUM_THREADS": str(THREADS) for name in ("OMP", "OPENBLAS", "MKL", "RAYON")}
        self.env["PYTHONPATH"] = str(Path(__file__).parent)
        if not options.quick:
            self.env["NUMBA_CACHE_DIR"] = str(work / "compiled")  # empty: compiling is measured too

    def install(self, systems: list[str]) -> None:
        """Find or make the environment of each system; those that cannot be had are left out with a line."""
        for system in systems:
            try:
                made = kind(system)
                self.pythons[system] = python_of(made.__name__, made.installs, self.options.environments)
            except MissingError as problem:
                print(f"{system}: left out, {problem}")

    def run_set(self, name: str) -> None:
        """All systems on one data set."""
        wanted = [s for s in self.pythons if not (self.options.resume and self.results.find(name, s))]
        if not wanted and self.options.repeat < 2:
            return
        data = self.work / name
        if not sets.make(name, self.options.folder, data):
            print(f"{name}: left out, there is no {self.options.folder / name} with train.* and test.* or dev.*")
            return
        for system in wanted:
            self._attempt(lambda system=system: self._measure(name, system), f"{name}, {system}")
        for system in self._repeated(name):
            self._attempt(lambda system=system: self._again(name, system), f"{name}, {system} again")

    def _attempt(self, work: Any, what: str) -> None:
        began = time.perf_counter()
        try:
            work()
            print(f"{what}: done in {time.perf_counter() - began:.0f} s", flush=True)
        except FailedError as problem:
            print(f"{what}: {problem}", flush=True)

    def _measure(self, name: str, system: str) -> None:
        if not is_peer(system) and not self.options.quick and system not in self.compiled:
            self.compiled[system] = self.child("compile", name, system)["compile_s"]
            self.results.compile_s = max(self.compiled.values())
        row: Row = {"data": name, "system": system, "when": time.strftime("%Y-%m-%d %H:%M"), "repeats": 1}
        row |= self.child("train", name, system) | self.child("tag", name, system)
        row |= scores(self.work / name, np.load(self.work / "answer.npy"))
        self.results.put(row)

    def _repeated(self, name: str) -> list[str]:
        """The systems whose training is worth timing more than once: ours and the fastest peer."""
        rows = [row for system in self.pythons if (row := self.results.find(name, system))]
        peers = sorted((row for row in rows if is_peer(row["system"])), key=lambda row: float(row["train_s"]))
        chosen = [row for row in rows if not is_peer(row["system"])] + peers[:1]
        return [row["system"] for row in chosen for _ in range(row["repeats"], self.options.repeat)]

    def _again(self, name: str, system: str) -> None:
        row = self.results.find(name, system)
        assert row is not None
        seconds = self.child("train", name, system)["train_s"]
        self.results.put(row | {"train_s": min(row["train_s"], seconds), "repeats": row["repeats"] + 1})

    def child(self, step: str, name: str, system: str, seed: int = 0) -> dict[str, float]:
        """One step in a process of its own."""
        data, model, answer = self.work / name, self.work / "model", self.work / "answer.json"
        if kind(system).reads_text and not (data / "train.txt").exists():
            sets.write_text(data)
        if step == "train":
            rmtree(model, ignore_errors=True)
        said = (step, system, str(data), str(model), str(answer), str(seed))
        command = [self.pythons[system], "-m", "peers.measure", *said]
        try:
            done = subprocess.run(
                command, env=self.env, timeout=self.options.limit, capture_output=True, text=True, errors="replace"
            )
        except subprocess.TimeoutExpired:
            raise FailedError(f"stopped, since {step} took more than {self.options.limit} s") from None
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [""])[-1]
            raise FailedError(f"{step} ended with {done.returncode}: {last[-300:]}")
        return dict(json.loads(answer.read_text()))


def scores(data: Path, labels: Any) -> dict[str, float]:
    """P@k and PSP@5, in percent, of the labels that a system gave."""
    Y, Yt = matrix(data, "Y"), matrix(data, "Yt")
    ranking = Ranking(labels, np.broadcast_to(np.arange(5, 0, -1, dtype=np.float32), labels.shape))
    weights = inverse_propensity(np.bincount(Y.indices, minlength=Y.shape[1]), Y.shape[0])
    judged = Judged.of(ranking, Yt, k=5, weights=weights)
    return {f"P@{k}": 100 * judged.precision(k).value for k in (1, 3, 5)} | {"PSP@5": 100 * judged.psp(5).value}


def parsed() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", help=f"which sets, by folder; generated needs none ({DATA})")
    parser.add_argument("--folder", type=Path, default=ROOT / ".." / "shared" / "data", help="where the sets are")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="which systems (%(default)s)")
    parser.add_argument("--out", type=Path, help="JSON file to keep results in; tables go to the same name with .md")
    parser.add_argument("--resume", action="store_true", help="do not measure again what stands in --out")
    parser.add_argument("--repeat", type=int, default=1, help="best of so many trainings, ours and the fastest peer's")
    parser.add_argument("--limit", type=int, default=7200, help="seconds a step may take (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="a small generated set, to see that all works")
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-peers", help="where peers are installed")
    options = parser.parse_args()
    options.data = options.data or ("generated-small" if options.quick else DATA)
    if unknown := [name for name in options.systems.split(",") if name not in SYSTEMS]:
        parser.error(f"there is no system {', '.join(unknown)}; there are {', '.join(SYSTEMS)}")
    return options


def _place(name: str, order: list[str]) -> tuple[int, str]:
    return (order.index(name) if name in order else len(order), name)


def main() -> None:
    """Measure and print."""
    options = parsed()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that children and files go too
    results = Results.kept(options.out)
    with TemporaryDirectory(prefix="bench-sparse-") as work:
        bench = Bench(Path(work), options, results)
        bench.install(options.systems.split(","))
        for name in options.data.split(","):
            bench.run_set(name)
            rmtree(Path(work) / name, ignore_errors=True)
    print(report(results.rows, compile_s=results.compile_s), end="")


if __name__ == "__main__":
    main()
