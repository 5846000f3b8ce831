"""A stream of generated documents tagged through a pipe: how many a second, and that memory stays the same.

    python benchmarks/stream.py [--documents 20000000] [--labels 3000] [--train 20000] [--model DIR]

Runs `umpteen generate - | umpteen tag MODEL - --tsv`, reads the answers, and looks at the tagging process as it goes
on. Without --model, a model is first trained on other documents of the same labels.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_BLOCK = 1 << 20  # bytes of answers read at a time
_MARKS = 10  # looks on the way
_FIRST = b"\t1\t"  # in the line of a document's first label


def command(*words: str) -> list[str]:
    """A call of umpteen."""
    return [sys.executable, "-m", "umpteen", *words]


def trained(place: Path, *, labels: int, documents: int) -> Path:
    """A model of the stream's labels."""
    size = ("--documents", str(documents), "--labels", str(labels), "--test", "0", "--seed", "1")
    subprocess.run(command("generate", str(place / "data"), *size), check=True, stdout=subprocess.DEVNULL)
    wanted = ("--out", str(place / "m"), "--preset", "fast")
    subprocess.run(command("train", str(place / "data"), *wanted), check=True, stdout=subprocess.DEVNULL)
    return place / "m"


def held(process: int) -> float:
    """What a process holds now, in MB."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def answered(stream: IO[bytes]) -> Iterator[int]:
    """How many answers have come so far, each time some did."""
    count, tail = 0, b""
    while block := stream.read(_BLOCK):
        count += (tail + block).count(_FIRST)
        tail = block[-len(_FIRST) + 1 :]
        yield count


def main() -> None:
    """Generate, tag, count."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=200_000, help="(%(default)s)")
    parser.add_argument("--labels", type=int, default=3_000, help="(%(default)s)")
    parser.add_argument("--train", type=int, default=20_000, help="documents to train on (%(default)s)")
    parser.add_argument("--model", type=Path, help="a trained model of the same labels")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        model = options.model or trained(Path(place), labels=options.labels, documents=options.train)
        wanted = ("--documents", str(options.documents), "--labels", str(options.labels))
        began = time.perf_counter()
        source = subprocess.Popen(command("generate", "-", *wanted), stdout=subprocess.PIPE)
        tagger = subprocess.Popen(command("tag", str(model), "-", "--tsv"), stdin=source.stdout, stdout=subprocess.PIPE)
        assert source.stdout is not None and tagger.stdout is not None
        source.stdout.close()
        print("| documents tagged | seconds | documents/s | MB held |\n|---|---|---|---|")
        count, marks = 0, iter(range(options.documents // _MARKS, options.documents + 1, options.documents // _MARKS))
        mark = next(marks)
        for count in answered(tagger.stdout):
            if count >= mark and (size := held(tagger.pid)):  # else it has just ended
                seconds = time.perf_counter() - began
                print(f"| {count:,} | {seconds:.0f} | {count / seconds:,.0f} | {size:.0f} |", flush=True)
                mark = next((m for m in marks if m > count), options.documents + 1)
        ended = {name: os.wait4(process.pid, 0) for name, process in (("generate", source), ("tag", tagger))}
    if any(status for _, status, _ in ended.values()):
        sys.exit("A command failed.")
    print(f"\n{count:,} documents got labels, in {time.perf_counter() - began:.0f} s.")
    for name, (_, _, usage) in ended.items():
        used = usage.ru_utime + usage.ru_stime
        print(f"{name}: at most {usage.ru_maxrss * 1024 / 1e6:.0f} MB, {used:.0f} s of a core.")


if __name__ == "__main__":
    main()
