"""AttentionXML beside LibMultiLabel's: training, tagging, memory and precision in one table.

    python benchmarks/deep.py [--data debtags,tibkat-en] [--documents 4000] [--epochs 2] [--out results.json --resume]

Makes the peer's environment, gives all systems the same documents, word vectors and sizes, runs each in processes of
its own on two cores (--threads), prints a table and the ratios to the peer. Training stops at --limit seconds, and
the speed is that of the documents seen until then. Fewer --documents bring fewer labels: for 20,000 labels, where a
batch takes the peer half a minute or more, leave tibkat-en whole and let the limit stop it. Results are kept in --out
as they come (and as Markdown beside it).
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import sparse

from peers import texts
from peers.environments import MissingError, python_of
from peers.network import Sizes, part
from peers.network_tables import report
from peers.networks import NETWORKS
from umpteen.core.ranking import Ranking
from umpteen.metrics.ranking import Judged

ROOT = Path(__file__).parents[1]
DATA = "debtags,tibkat-en"

Row = dict[str, Any]


class FailedError(Exception):
    """A run that ended badly or took too long."""


class Results:
    """Rows by data set and system, kept in a file if one is named."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.rows: list[Row] = json.loads(file.read_text()) if file and file.exists() else []

    def has(self, data: str, system: str) -> bool:
        """Whether this was measured."""
        return any((row["data"], row["system"]) == (data, system) for row in self.rows)

    def put(self, row: Row) -> None:
        """Add a row in the place of an older one, and write all."""
        key = (row["data"], row["system"])
        self.rows = [other for other in self.rows if (other["data"], other["system"]) != key] + [row]
        self.rows.sort(key=lambda row: (row["labels"], row["data"], [*NETWORKS].index(row["system"])))
        if self.file:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_text(json.dumps(self.rows, indent=1) + "\n")
            self.file.with_suffix(".md").write_text(report(self.rows))


class Bench:
    """Runs systems on data sets in a folder for what is thrown away after."""

    def __init__(self, work: Path, options: argparse.Namespace, results: Results) -> None:
        self.work, self.options, self.results = work, options, results
        self.pythons: dict[str, str] = {}
        self.env = os.environ | {f"{name}_NUM_THREADS": str(options.threads) for name in ("OMP", "MKL", "NUMBA")}
        self.env["PYTHONPATH"] = str(Path(__file__).parent)

    def install(self, systems: list[str]) -> None:
        """Find or make the environment of each system; those that cannot be had are left out with a line."""
        for system in systems:
            name, installs = system.partition("-")[0], NETWORKS[system].installs
            try:
                self.pythons[system] = python_of(name, installs, self.options.environments)
            except MissingError as problem:
                print(f"{system}: left out, {problem}")

    def run_set(self, name: str) -> None:
        """All systems on one data set."""
        wanted = [s for s in self.pythons if not (self.options.resume and self.results.has(name, s))]
        options, data = self.options, self.work / name
        cut = texts.Cut(options.documents, options.test)
        if not wanted or not texts.make(name, options.folder, data, cut, options.vectors):
            print(f"{name}: left out, " + ("it is there already" if not wanted else f"it is not in {options.folder}"))
            return
        (data / "sizes.json").write_text(json.dumps(asdict(sizes(options))))
        for system in wanted:
            began = time.perf_counter()
            try:
                self._measure(name, system)
                print(f"{name}, {system}: done in {time.perf_counter() - began:.0f} s", flush=True)
            except FailedError as problem:
                print(f"{name}, {system}: {problem}", flush=True)

    def _measure(self, name: str, system: str) -> None:
        """One row; what was found out before a step failed is kept."""
        data, began = self.work / name, time.perf_counter()
        row: Row = {
            "data": name,
            "system": system,
            "when": time.strftime("%Y-%m-%d %H:%M"),
            **asdict(sizes(self.options)),
        }
        row |= {"labels": json.loads((data / "labels.json").read_text()), "documents": len(part(data, "train"))}
        try:
            self._child("warm", name, system)
            row |= self._child("train", name, system)
            row |= self._child("tag", name, system)
            row |= scores(data, np.load(self.work / "answer.npy"), row["labels"])
        finally:
            if "seen" in row or "seen" in (row := row | self._so_far()):
                self.results.put(row | {"all_s": time.perf_counter() - began})

    def _so_far(self) -> dict[str, float]:
        answer = self.work / "answer.json"
        return dict(json.loads(answer.read_text())) if answer.exists() else {}

    def _child(self, step: str, name: str, system: str) -> dict[str, float]:
        """One step in a process of its own."""
        model, answer = self.work / "model", self.work / "answer.json"
        answer.unlink(missing_ok=True)
        if step != "tag":
            rmtree(model, ignore_errors=True)
        paths = (self.work / name, model, answer)
        command = [self.pythons[system], "-m", "peers.learn", step, system, *map(str, paths)]
        limit = 1.5 * self.options.limit + 120  # training stops by itself before; this is for what does not
        try:
            done = subprocess.run(
                command, env=self.env, timeout=limit, capture_output=True, text=True, errors="replace"
            )
        except subprocess.TimeoutExpired:
            raise FailedError(f"stopped, since {step} took more than {limit:.0f} s") from None
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [""])[-1]
            raise FailedError(f"{step} ended with {done.returncode}: {last[-300:]}")
        return self._so_far()


def scores(data: Path, labels: Any, number: int) -> dict[str, float]:
    """P@k, in percent, of the labels that a system gave."""
    truth = [document["labels"] for document in part(data, "test")]
    starts = np.cumsum([0, *map(len, truth)])
    columns = np.concatenate([np.sort(np.array(row, np.int32)) for row in truth])
    Y = sparse.csr_array((np.ones(len(columns), np.float32), columns, starts), shape=(len(truth), number))
    ranking = Ranking(labels, np.broadcast_to(np.arange(5, 0, -1, dtype=np.float32), labels.shape))
    judged = Judged.of(ranking, Y, k=5)
    return {f"P@{k}": 100 * judged.precision(k).value for k in (1, 3, 5)}


def sizes(options: argparse.Namespace) -> Sizes:
    """What all systems share."""
    return Sizes(
        options.hidden,
        options.length,
        options.batch,
        options.epochs,
        options.limit,
        options.patience,
        options.threads,
    )


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    same = Sizes()
    parser.add_argument("--data", default=DATA, help="which sets (%(default)s; also movies, generated-small)")
    parser.add_argument("--folder", type=Path, default=ROOT / ".." / "shared" / "data", help="where the sets are")
    parser.add_argument("--systems", default=",".join(NETWORKS), help="which systems (%(default)s)")
    parser.add_argument("--documents", type=int, help="use so many training documents, and the labels they have (all)")
    parser.add_argument("--test", type=int, help="use so many test documents (all)")
    parser.add_argument("--epochs", type=int, default=same.epochs, help="(%(default)s)")
    parser.add_argument("--hidden", type=int, default=same.hidden, help="LSTM size per direction (%(default)s)")
    parser.add_argument("--length", type=int, default=same.length, help="words read of a document (%(default)s)")
    parser.add_argument("--batch", type=int, default=same.batch, help="documents in a batch (%(default)s)")
    parser.add_argument("--vectors", default="wordllama", help="wordllama, random, or a GloVe file (%(default)s)")
    parser.add_argument("--limit", type=float, default=same.limit, help="seconds of training (%(default)s)")
    parser.add_argument("--patience", type=int, default=same.patience, help="epochs without a better score (all)")
    parser.add_argument("--threads", type=int, default=same.threads, help="and cores (%(default)s)")
    parser.add_argument("--out", type=Path, help="JSON file to keep results in; tables go to the same name with .md")
    parser.add_argument("--resume", action="store_true", help="do not measure again what stands in --out")
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-peers", help="where peers are installed")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.systems.split(",") if name not in NETWORKS]:
        parser.error(f"there is no system {', '.join(unknown)}; there are {', '.join(NETWORKS)}")
    if options.patience < 0:
        parser.error(f"--patience must be 0 or more, not {options.patience}")
    for name in ("documents", "test", "epochs", "hidden", "length", "batch", "limit", "threads"):
        if (value := getattr(options, name)) is not None and value <= 0:
            parser.error(f"--{name} must be above 0, not {value}")
    return options


def main() -> None:
    """Measure and print."""
    options = parsed()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that children and files go too
    results = Results(options.out)
    with TemporaryDirectory(prefix="bench-deep-") as work:
        bench = Bench(Path(work), options, results)
        bench.install(options.systems.split(","))
        for name in options.data.split(","):
            bench.run_set(name)
            rmtree(Path(work) / name, ignore_errors=True)
    print(report(results.rows) if results.rows else "Nothing was measured.")


if __name__ == "__main__":
    main()
