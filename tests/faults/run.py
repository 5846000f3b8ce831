"""The fault harness: so many random faults, each of which must leave the old state or the new one, and a way on.

    python tests/faults/run.py --faults 200 --seed 1

Prints a line for each fault that did harm, and a table of faults by kind and what came of them. In a world of mounts
of its own where that is allowed, so that disks can be full and folders read-only.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import scenes
from scenes import SCENES, STOPPED, Done, Scene, State, contents, run

import faults

WRITERS = [name for name in SCENES if name != "study"]
KINDS = {"kill at a file": 8, "kill at a time": 5, "full disk": 4, "read-only": 2, "damaged model": 5}
KINDS |= {"damaged checkpoint": 3, "damaged cache": 1, "killed study": 1}


@dataclass
class Harness:
    """What is known of the undisturbed scenes, and what came of the faults so far."""

    base: Path
    chance: random.Random
    mounts: bool
    old: dict[str, State] = field(default_factory=dict)
    new: dict[str, State] = field(default_factory=dict)
    touches: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    number: int = 0

    def prepare(self) -> None:
        """The template, and what each command makes of it when nothing disturbs it."""
        (self.base / "template").mkdir()
        scenes.template(self.base / "template")
        for name in WRITERS:
            place = self._fresh()
            self.old[name] = SCENES[name].state(place)
            self.touches[name], self.seconds[name], done = faults.counted(place, SCENES[name])
            self.new[name] = SCENES[name].state(place)
            if done.code or self.old[name] == self.new[name]:
                raise RuntimeError(f"{name} does not change anything: {done}")
            shutil.rmtree(place)
        self.answers = self._answers(self.base / "template", "o").out

    def _fresh(self, under: Path | None = None) -> Path:
        self.number += 1
        return scenes.fresh(self.base / "template", (under or self.base) / f"w{self.number}")

    def _answers(self, place: Path, model: str) -> Done:
        return run(place, ("tag", model, "older.jsonl", "--json"))

    def fault(self, kind: str) -> None:
        """One fault of a kind, and the verdict on it."""
        scene = SCENES[self.chance.choice(WRITERS)]
        work: Callable[[Scene], tuple[str, str, Path]] = {
            "kill at a file": self._kill_at_file,
            "kill at a time": self._kill_at_time,
            "full disk": self._full,
            "read-only": self._forbidden,
            "damaged model": self._damaged_model,
            "damaged checkpoint": self._damaged_checkpoint,
            "damaged cache": self._damaged_cache,
            "killed study": self._killed_study,
        }[kind]
        what, outcome, place = work(scene)
        self.counts[kind, what, outcome] += 1
        if outcome.startswith("WRONG"):
            self.wrong.append(f"{kind}, {what}: {outcome}")
        else:
            shutil.rmtree(place, ignore_errors=True)

    # Faults while something is written ------------------------------------------------------------------------------

    def _kill_at_file(self, scene: Scene) -> tuple[str, str, Path]:
        place = self._fresh()
        done = faults.killed_at_touch(place, scene, self.chance.randint(1, self.touches[scene.name] + 1))
        return scene.name, self._verdict(scene, place, done), place

    def _kill_at_time(self, scene: Scene) -> tuple[str, str, Path]:
        place = self._fresh()
        done = faults.killed_at_time(place, scene, self.chance.uniform(0, 1.1 * self.seconds[scene.name]))
        return scene.name, self._verdict(scene, place, done), place

    def _full(self, scene: Scene) -> tuple[str, str, Path]:
        size = sum(file.stat().st_size for file in self.base.glob("template/**/*") if file.is_file()) // 4
        if self.mounts and self.chance.random() < 0.7:
            disk = self.base / f"disk{self.number}"
            disk.mkdir()
            faults.mount(disk, "-t", "tmpfs", "-o", "size=64m", "tmpfs")
            place = self._fresh(disk)
            done = faults.on_full_disk(place, scene, self.chance.randrange(size))
            verdict = self._verdict(scene, place, done)
            faults.unmount(disk)
            return scene.name, verdict, disk
        place = self._fresh()
        done = faults.without_room(place, scene, self.chance.randrange(size // 4))
        return scene.name, self._verdict(scene, place, done), place

    def _forbidden(self, scene: Scene) -> tuple[str, str, Path]:
        place = self._fresh()
        if not os.geteuid() and not self.mounts:
            return scene.name, "skipped: nothing is forbidden to the superuser", place
        return scene.name, self._verdict(scene, place, faults.forbidden(place, scene)), place

    def _verdict(self, scene: Scene, place: Path, done: Done) -> str:
        """Whether the state is the old or the new one, the message clear, and the way on leads to the new state."""
        if not done.is_clean:
            return f"WRONG message: {done}"
        state = scene.state(place)
        found = "old" if state == self.old[scene.name] else "new" if state == self.new[scene.name] else ""
        if not found:
            odd = {
                name for name in state if state[name] not in (self.old[scene.name].get(name), self._mark(scene, name))
            }
            return f"WRONG state in {place}: {sorted(odd) or 'a mixture'} of {sorted(state)} after {done}"
        if done.code == 0 and found == "old":
            return f"WRONG end: nothing changed, and all is said to be well: {done}"
        if found == "new" and scene.name == "learn":
            return "new state"  # learning once more would add the same documents again
        again = run(place, scene.command)
        if again.code and scene.again and "--resume" in again.err:
            again = run(place, scene.again)
            found += ", resumed"
        if again.code or scene.state(place) != self.new[scene.name]:
            return f"WRONG way on in {place}: {again}"
        left = [file.name for file in place.iterdir() if file.name.startswith(".") or file.suffix == ".run"]
        if left not in ([], [".n.learning"]):  # the lock of those who learn may stay
            return f"WRONG leftovers in {place}: {left}"
        ended = "killed" if done.code == STOPPED else "told" if done.code else "ended"
        return f"{ended}: {found} state"

    def _mark(self, scene: Scene, name: str) -> str | None:
        return self.new[scene.name].get(name)

    # Faults in what is there ----------------------------------------------------------------------------------------

    def _damaged(self, folder: Path) -> str:
        """Damage one of a folder's files, and say how."""
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        kind = self.chance.choice(faults.DAMAGES)
        faults.damage(self.chance, self.chance.choice(files), kind)
        return kind

    def _damaged_model(self, scene: Scene) -> tuple[str, str, Path]:
        place = self._fresh()
        what = self._damaged(place / "o")
        done = self._answers(place, "o")
        again = run(place, ("train", "older.jsonl", "--out", "o", "--model", "neighbours", "--jobs", "1"))
        if again.code and not (place / "o" / "model.json").is_file():
            shutil.rmtree(place / "o")  # as the message says: it holds other files than a model
            again = run(place, ("train", "older.jsonl", "--out", "o", "--model", "neighbours", "--jobs", "1"))
        return what, self._judged(done, again, contents(place / "o") == contents(self.base / "template" / "o")), place

    def _judged(self, done: Done, again: Done, mended: bool) -> str:
        """Damage is told of, or makes no difference to the answers; and can be mended."""
        if not done.is_clean:
            return f"WRONG message: {done}"
        if done.code == 0 and done.out != self.answers:
            return "WRONG answers without a word"
        if again.code or not mended:
            return f"WRONG mending: {again}"
        return "told, mended" if done.code else "harmless"

    def _damaged_checkpoint(self, scene: Scene) -> tuple[str, str, Path]:
        place, scene = self._fresh(), SCENES["deep"]
        touches = self.touches["deep"]
        faults.killed_at_touch(place, scene, self.chance.randint(touches // 2, touches))
        if not (place / "d.run" / "checkpoint").is_dir():
            return "none there", "killed before the first or after the last", place
        what = self._damaged(place / "d.run")
        done = run(place, scene.again)
        if not done.is_clean:
            return what, f"WRONG message: {done}", place
        if done.code:
            shutil.rmtree(place / "d.run", ignore_errors=True)  # as the message says
            again = run(place, scene.command)
            good = again.code == 0 and scene.state(place) == self.new["deep"]
            return what, "told, trained anew" if good else f"WRONG way on: {again} after {done}", place
        good = scene.state(place) == self.new["deep"]
        return what, "resumed" if good else f"WRONG weights in {place}: {done}", place

    def _damaged_cache(self, scene: Scene) -> tuple[str, str, Path]:
        from umpteen.data.cache import is_whole, kept

        def write(folder: Path) -> dict[str, int]:
            for name in ("words.txt", "vectors.npy"):
                (folder / name).write_bytes(bytes(range(256)) * 20)
            return {"words": 20}

        place = self._fresh()
        folder = kept(place / "cache" / "glove", write)
        before = contents(folder)
        what = self._damaged(folder)
        noticed = not is_whole(folder)
        kept(folder, write)
        if contents(folder) != before and noticed:
            return what, "WRONG mending", place
        return what, "noticed, fetched again" if noticed else "harmless", place

    def _killed_study(self, scene: Scene) -> tuple[str, str, Path]:
        place, scene = self._fresh(), SCENES["study"]
        faults.killed_at_time(place, scene, self.chance.uniform(0.2, 8))
        ended = len([*place.glob("s/runs/*/result.json")])
        done = run(place, scene.command)
        found = sorted(place.glob("s/runs/*/result.json"))
        results = [json.loads(file.read_bytes()) for file in found]
        good = done.code == 0 and len(results) == 2 and all(r["error"] is None for r in results)
        return f"{ended} of 2 runs done", "went on to its end" if good else f"WRONG end: {done}", place


def report(harness: Harness, seed: int) -> str:
    """The table of faults by kind and outcome."""
    totals = Counter[tuple[str, str]]()
    for (kind, _, outcome), count in harness.counts.items():
        totals[kind, outcome if not outcome.startswith("WRONG") else "WRONG"] += count
    lines = [f"{sum(totals.values())} faults, seed {seed}, {len(harness.wrong)} of them did harm"]
    lines += [f"{count:4}  {kind}: {outcome}" for (kind, outcome), count in sorted(totals.items())]
    return "\n".join(lines)


def main() -> int:
    """Do harm as often as asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--kinds", default=",".join(KINDS))
    options = parser.parse_args()
    sys.path.append(str(Path(__file__).parents[1]))  # for the toy corpus
    mounts = os.environ.get("FAULTS_MOUNTS")
    if mounts is None:
        able = os.geteuid() == 0 and shutil.which("unshare") and os.system("unshare -m true 2>/dev/null") == 0
        os.environ["FAULTS_MOUNTS"] = "1" if able else "0"
        if able:
            os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        return _all(Path(folder), options, os.environ["FAULTS_MOUNTS"] == "1")


def _all(base: Path, options: argparse.Namespace, mounts: bool) -> int:
    (base / "printed").mkdir()
    scenes.PRINTED = base / "printed"
    _warm()
    harness = Harness(base, random.Random(options.seed), mounts)
    harness.prepare()
    kinds = [kind for kind in KINDS if kind in options.kinds.split(",")]
    for number in range(options.faults):
        kind = kinds[number] if number < len(kinds) else harness.chance.choices(kinds, [KINDS[k] for k in kinds])[0]
        harness.fault(kind)
        if harness.wrong and harness.wrong[-1]:
            print(f"fault {number}: {harness.wrong[-1]}", flush=True)  # noqa: T201
            harness.wrong[-1] = ""
    print(report(harness, options.seed), flush=True)  # noqa: T201
    return 1 if harness.wrong else 0


def _warm() -> None:
    """Load and compile all code that commands need, on one thread, and leave checkpoints at every look."""
    import torch

    import umpteen.app.cli
    import umpteen.app.commands.study
    import umpteen.data.convert
    import umpteen.models
    from toy import toy
    from umpteen.core.run import Run

    torch.set_num_threads(1)
    for entry in umpteen.models.entries().values():
        if entry.name in ("plt", "neighbours", "mlp", "popular"):
            entry.load()
    texts, labels = toy(40)
    with tempfile.TemporaryDirectory() as place:
        for name in ("plt", "neighbours"):
            umpteen.models.model(name)(jobs=1).fit(texts, labels).save(f"{place}/{name}")
            loaded = umpteen.models.load(f"{place}/{name}")
            loaded.set_params(jobs=1).rank(texts)
        loaded.partial_fit(texts, labels)
    assert Run.__init__.__kwdefaults__ is not None
    Run.__init__.__kwdefaults__["seconds"] = 0.0


if __name__ == "__main__":
    sys.exit(main())
