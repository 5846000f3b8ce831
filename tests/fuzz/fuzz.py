"""The fuzzer: by atheris, which looks for inputs that reach new code, or by blind changes where it is not installed.

    python tests/fuzz/fuzz.py --seconds 60              # every target in turn, by atheris where there is one
    python tests/fuzz/fuzz.py --runs 300 --target xc    # so many blind runs of the targets whose name has this in it

Ends with code 1 at the first mistake of each target, whose input it prints. Says how often each target ran.
"""

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

_PATIENCE = 60  # seconds that no input may take
_MEMORY = 6 << 30  # bytes of address space that no input may need more of
_TOKENS = (
    b"0", b"-1", b"1e999", b"nan", b"inf", b"999999999999", b"2147483648", b"9" * 4400, b"\x00", b"\xff\xfe",
    b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\ud800", b"..", b"../../etc/passwd", b"/dev/zero", b"{}", b"[" * 2000,
    b'{"a":' * 1500, b"null", b"\t", b"\n\n", b"\r", b" ", b",", b":", b"'", b'"', b"<", b">", b"%", b"@data",
    b"1:1 1:1", b"5:nan", b"\xc2\xa0", b"\xe2\x80\xa8",
    b"true", b"1_000", b"\xd9\xa1", b"=", b"[[models]]", b"0x" + b"f" * 5000, b"1e18", b"-0", b"0" * 5000 + b"1",
)  # fmt: skip


def mutated(chance: random.Random, seeds: list[bytes]) -> bytes:
    """A seed with a few changes."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        place, kind = chance.randrange(len(data) + 1), chance.randrange(7)
        if kind == 0 and data:
            data[place % len(data)] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[place:place] = chance.choice(_TOKENS)
        elif kind == 2:
            del data[place : place + chance.randrange(1, 20)]
        elif kind == 3:
            data[place:place] = chance.randbytes(chance.randrange(1, 8))
        elif kind == 4:
            other = chance.choice(seeds)
            data[place:] = other[chance.randrange(len(other) + 1) :]
        elif kind == 5:
            data[place:place] = data[place : place + chance.randrange(1, 40)] * chance.randrange(1, 5)
        else:
            end = place + chance.randrange(1, 12)
            data[place:end] = chance.choice(_TOKENS)
    return bytes(data)


def blindly(name: str, runs: int, seed: int) -> str | None:
    """Run a target on changed seeds; the first mistake, where there is one."""
    from seeds import seeds
    from targets import TARGETS

    chance, target = random.Random(f"{name} {seed}"), TARGETS[name]
    known = seeds(name)
    for number in range(runs):
        data = known[number] if number < len(known) else mutated(chance, known)
        signal.alarm(_PATIENCE if number >= len(known) else 0)  # the first load and compile code
        try:
            target(data)
        except Exception:
            return f"{name}: run {number} of seed {seed} with {data[:2000]!r}:\n{traceback.format_exc()}"
        finally:
            signal.alarm(0)
    return None


def guided(name: str, seconds: int) -> None:
    """Let atheris look for inputs; it ends the process."""
    import atheris

    with atheris.instrument_imports(include=["umpteen"], exclude=["umpteen.kernels"]):
        import umpteen.app.config
        import umpteen.core.files
        import umpteen.core.run
        import umpteen.core.settings
        import umpteen.core.store
        import umpteen.data.formats
        import umpteen.data.read
        import umpteen.labels.files
        import umpteen.study.reading
        import umpteen.text.vectors  # noqa: F401
        from umpteen.data.formats import formats

        formats()
    from seeds import seeds
    from targets import PLACE, TARGETS

    corpus = PLACE / "corpus"
    corpus.mkdir()
    for number, data in enumerate(seeds(name)):
        (corpus / str(number)).write_bytes(data)
        TARGETS[name](data)  # loads and compiles code, which takes its time
    TARGETS[name](b"")
    dictionary = PLACE / "tokens"
    tokens = ("".join(f"\\x{byte:02x}" for byte in token) for token in _TOKENS if len(token) < 60)
    dictionary.write_text("".join(f'"{token}"\n' for token in tokens))
    options = [f"-max_total_time={seconds}", f"-timeout={_PATIENCE}", "-rss_limit_mb=4096", "-max_len=20000"]
    atheris.Setup([sys.argv[0], str(corpus), *options, f"-dict={dictionary}", "-print_final_stats=1"], TARGETS[name])
    atheris.Fuzz()


def _apart(name: str, *options: str) -> tuple[int, str]:
    """A target in a process of its own, which may crash."""
    command = [sys.executable, __file__, "--one", name, *options]
    with TemporaryDirectory(prefix="fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        env = {**os.environ, "FUZZ_PLACE": place}
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=env, cwd=place)
    return done.returncode, done.stdout + done.stderr


def _counted(printed: str) -> int:
    found = [line for line in printed.splitlines() if line.startswith("stat::number_of_executed_units:")]
    return int(found[-1].rpartition(":")[2]) if found else 0


def main() -> int:
    """Fuzz as the options say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=0, help="of guided fuzzing in all")
    parser.add_argument("--runs", type=int, default=300, help="blind runs of each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", default="")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.append(str(Path(__file__).parents[1]))  # for the toy corpus
    if options.one:
        return _one(options)
    from targets import TARGETS

    names = [name for name in TARGETS if options.target in name]
    total, wrong, began = 0, 0, time.monotonic()
    for name in names:
        share = ("--seconds", str(max(1, options.seconds // len(names)))) if options.seconds else ()
        code, printed = _apart(name, *share, "--runs", str(options.runs), "--seed", str(options.seed))
        count = _counted(printed) if share and "stat::" in printed else options.runs
        total += count
        wrong += code != 0
        print(f"{count:8,}  {name}" + ("" if code == 0 else f": code {code}\n{printed[-4000:]}"), flush=True)  # noqa: T201
    print(f"{total:8,}  runs in {time.monotonic() - began:.0f} s, {wrong} targets with mistakes")  # noqa: T201
    return 1 if wrong else 0


def _one(options: argparse.Namespace) -> int:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if options.seconds and find_spec("atheris"):
        guided(options.one, options.seconds)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    mistake = blindly(options.one, options.runs, options.seed)
    if mistake:
        print(mistake)  # noqa: T201
    return 1 if mistake else 0


if __name__ == "__main__":
    sys.exit(main())
