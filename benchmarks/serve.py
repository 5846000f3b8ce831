"""The server under load, beside Annif's with its omikuji backend: requests a second and latency in one table.

    python benchmarks/serve.py [--data debtags] [--systems plt,xmlcnn,annif] [--connections 1,16,64] [--seconds 10]

Trains each system on the same documents once (kept in --work), starts its server alone on loopback, and lets `wrk`
send the test documents to `suggest` as fast as answers come. Needs wrk: apt-get install wrk.
"""

import argparse
import json
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import umpteen
from peers import annif_server
from peers.environments import MissingError, python_of

ROOT = Path(__file__).parents[1]
PEER = "annif"
SETTINGS = {"xmlcnn": ["epochs=1", "least_steps=0"]}  # speed does not depend on how long a network learnt
_SCRIPT = """
local bodies, place = {}, 0
for line in io.lines("%s") do bodies[#bodies + 1] = line end
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
request = function()
  place = place %% #bodies + 1
  return wrk.format(nil, nil, nil, bodies[place])
end
done = function(summary, latency, requests)
  local bad = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout
  io.write(string.format('\\n{"requests_s": %%.2f, "p50_ms": %%.3f, "p99_ms": %%.3f, "errors": %%d}\\n',
    summary.requests * 1e6 / summary.duration, latency:percentile(50) / 1000, latency:percentile(99) / 1000, bad))
end
"""

Row = dict[str, Any]


class Bench:
    """Servers of several systems on one data set."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.work: Path = options.work / options.data
        self.data: Path = options.folder / options.data
        self.work.mkdir(parents=True, exist_ok=True)
        self.script = self.work / "requests.lua"
        self.rows = list[Row]()

    def prepare(self) -> None:
        """The requests, the same for all."""
        test = next(self.data.glob("test.*"))
        texts = (document.text for document in umpteen.read(test))
        bodies = [urlencode({"text": text, "limit": 10}) for text in islice(texts, self.options.documents)]
        (self.work / "bodies.txt").write_text("".join(f"{body}\n" for body in bodies))
        self.script.write_text(_SCRIPT % (self.work / "bodies.txt"))
        print(f"{len(bodies)} texts of {sum(map(len, bodies)) // len(bodies)} bytes on average", flush=True)

    def run(self, system: str) -> None:
        """One system, alone on the machine."""
        with self._server(system) as url:
            _ready(url)
            self._load(url, 16, 2)  # warm
            for connections in self.options.connections:
                row = self._load(url, connections, self.options.seconds)
                self.rows.append({"system": system, "connections": connections, **row})
                print(json.dumps(self.rows[-1]), flush=True)

    def _load(self, url: str, connections: int, seconds: int) -> Row:
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", str(self.script), url]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found: Row = json.loads(said.strip().splitlines()[-1])
        return found

    @contextmanager
    def _server(self, system: str) -> Any:
        port, workers = self.options.port, self.options.workers
        if system == PEER:
            python = python_of(PEER, annif_server.INSTALLS, self.options.environments)
            annif_server.prepare(python, next(self.data.glob("train.*")), self.work / PEER)
            process = annif_server.start(python, self.work / PEER, port, workers)
            project = "omikuji"
        else:
            self._train(system)
            command = [
                "serve",
                str(self.work / system),
                "--no-feedback",
                "--port",
                str(port),
                "--workers",
                str(workers),
            ]
            process = subprocess.Popen([sys.executable, "-m", "umpteen", *command], stdout=subprocess.DEVNULL)
            project = system
        try:
            yield f"http://127.0.0.1:{port}/v1/projects/{project}/suggest"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)

    def _train(self, system: str) -> None:
        if (self.work / system).exists():
            return
        settings = [part for value in SETTINGS.get(system, []) for part in ("--set", value)]
        command = ["train", str(self.data), "--model", system, "--out", str(self.work / system), *settings]
        subprocess.run([sys.executable, "-m", "umpteen", *command], check=True)


def _ready(url: str) -> None:
    """Wait for the first answer."""
    for _ in range(600):
        try:
            with urlopen(Request(url, urlencode({"text": "a first text"}).encode()), timeout=120) as answer:
                assert "results" in json.load(answer)
                return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"There is no answer at {url}.")


def table(rows: list[Row]) -> str:
    """The rows as Markdown, each beside the peer at the same number of connections."""
    lines = ["| server | connections | requests/s | p50 ms | p99 ms | errors | requests/s : Annif | p99 : Annif |"]
    lines.append("|---|---|---|---|---|---|---|---|")
    for row in rows:
        peer = next((r for r in rows if r["system"] == PEER and r["connections"] == row["connections"]), None)
        ratios = (f"{row[name] / peer[name]:.2f}" if peer else "" for name in ("requests_s", "p99_ms"))
        figures = f"{row['requests_s']:.0f} | {row['p50_ms']:.2f} | {row['p99_ms']:.2f} | {row['errors']}"
        lines.append(f"| {row['system']} | {row['connections']} | {figures} | {' | '.join(ratios)} |")
    return "\n".join(lines)


def options() -> argparse.Namespace:
    """What the user asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(part) for part in text.split(",")]  # noqa: E731
    parser.add_argument("--folder", type=Path, default=ROOT.parent / "shared" / "data", help="where data sets lie")
    parser.add_argument("--data", default="debtags", help="a folder with train.* and test.* in it")
    parser.add_argument("--systems", default=f"plt,xmlcnn,{PEER}", help=f"models of Umpteen, and {PEER}")
    parser.add_argument("--connections", type=numbers, default=[1, 16, 64])
    parser.add_argument("--seconds", type=int, default=10, help="at each number of connections")
    parser.add_argument("--documents", type=int, default=500, help="different texts sent")
    parser.add_argument("--workers", type=int, default=1, help="processes of each server")
    parser.add_argument("--port", type=int, default=8790)
    parser.add_argument("--work", type=Path, default=ROOT / "dist" / "serve", help="where trained models are kept")
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-peers")
    parser.add_argument("--out", type=Path, help="a JSON file for the results; a table beside it")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    wanted = options()
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is missing. Install it with: apt-get install wrk")
    if not (wanted.folder / wanted.data).is_dir():
        raise SystemExit(f"There is no {wanted.folder / wanted.data} with train.* and test.*. Name one with --folder.")
    bench = Bench(wanted)
    bench.prepare()
    for system in wanted.systems.split(","):
        try:
            bench.run(system)
        except MissingError as problem:
            print(f"{system}: left out, {problem}")
    print(table(bench.rows))
    if wanted.out:
        wanted.out.parent.mkdir(parents=True, exist_ok=True)
        wanted.out.write_text(json.dumps(bench.rows, indent=1) + "\n")
        wanted.out.with_suffix(".md").write_text(table(bench.rows) + "\n")


if __name__ == "__main__":
    main()
