"""Pages of libraries are handed back where nobody changed them, and what they hold is there again when it is needed."""

import subprocess
import sys
from pathlib import Path

import pytest

from umpteen.core import code

_TABLE = """\
7f00-7f10 r-xp 00000000 fe:00 11   /lib/libbig.so.1
Rss:                4096 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
7f10-7f20 r--p 00000000 fe:00 11   /lib/libbig.so.1
Rss:                4096 kB
Anonymous:             4 kB
Swap:                  0 kB
VmFlags: rd mr mw me ac
7f20-7f30 rw-p 00000000 fe:00 11   /lib/libbig.so.1
Rss:                4096 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
7f30-7f40 r-xp 00000000 fe:00 12   /lib/libsmall.so
Rss:                   8 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
7f40-7f50 r--p 00000000 fe:00 13   /data/weights.npy
Rss:                4096 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
7f50-7f60 r-xp 00000000 00:00 0
Rss:                4096 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
7f54-7f58 r--p 00000000 fe:00 15   /lib/libswapped.so
Rss:                4096 kB
Anonymous:             0 kB
Swap:                  4 kB
VmFlags: rd mr mw me
7f58-7f5c r--p 00000000 fe:00 15   /lib/libaccounted.so
Rss:                4096 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd mr mw me ac
7f60-7f70 r--p 00000000 fe:00 14   /lib/lib with spaces.so
Rss:                4096 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
"""
_RUN = """
import torch, resource
from pathlib import Path
from umpteen.core import code

def resident():
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()

before, product = resident(), torch.ones(300, 300) @ torch.ones(300, 300)
code.let_go()
after = resident()
assert torch.equal(torch.ones(300, 300) @ torch.ones(300, 300), product)
print(before - after)
"""


def test_only_unchanged_stretches_of_libraries_that_are_read_only_are_taken(tmp_path: Path) -> None:
    table = tmp_path / "smaps"
    table.write_text(_TABLE)
    assert list(code._unchanged(table)) == [(0x7F00, 0x7F10), (0x7F60, 0x7F70)]


def test_a_system_that_does_not_tell_is_left_alone(tmp_path: Path) -> None:
    assert list(code._unchanged(tmp_path / "none")) == []


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="other systems do not tell what lies where")
def test_code_that_loading_needed_is_let_go_and_computes_as_before() -> None:
    done = subprocess.run([sys.executable, "-c", _RUN], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 20 << 20
