"""Write requirements.lock: every package of the development environment with its version and the hash of its file.

    python .ci/lock.py

It asks pip what it would install under constraints.txt on this machine, and writes names, versions and SHA-256 hashes:
no addresses, so that any index that serves the same files will do. torch is left out, since its builds differ from
index to index; constraints.txt pins its version.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
APART = {"torch", "umpteen"}  # installed by version, and from here
WANTED = (".[dev]", "hatchling", "editables")  # the last two put the package itself into place
HEAD = """# Made by .ci/lock.py. What CI installs on Linux, x86-64, Python {python}; `make locked` does the same.
# pip install --require-hashes --no-deps -r requirements.lock
"""


def resolved() -> list[dict[str, object]]:
    """What pip would install, with the file it chose of each package."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    done = subprocess.run(
        [*command, "--constraint", "constraints.txt", *WANTED], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    return json.loads(done.stdout)["install"]  # type: ignore[no-any-return]


def line(item: dict[str, object]) -> str:
    """A package as the lock has it."""
    metadata, origin = item["metadata"], item["download_info"]
    digest = origin["archive_info"]["hashes"]["sha256"]  # type: ignore[index]
    return f"{metadata['name'].lower().replace('_', '-')}=={metadata['version']} --hash=sha256:{digest}\n"  # type: ignore[index]


def main() -> None:
    """Write the lock beside its place and move it there."""
    items = [item for item in resolved() if item["metadata"]["name"].lower() not in APART]  # type: ignore[index]
    lines = sorted(map(line, items))
    new = LOCK.with_suffix(".new")
    new.write_text(HEAD.format(python=f"{sys.version_info.major}.{sys.version_info.minor}") + "".join(lines))
    new.replace(LOCK)
    print(f"{len(lines)} packages in {LOCK.name}")  # noqa: T201


if __name__ == "__main__":
    main()
