"""Training and tagging do without what torch would bring in beside: its compiler is 60 MB of modules."""

import subprocess
import sys
from pathlib import Path

_RUN = """
import sys
import umpteen
from umpteen.models import model

texts, labels = ["cats purr", "dogs bark", "cats and dogs"] * 4, [["cat"], ["dog"], ["cat", "dog"]] * 4
made = model("attentionxml")(hidden=4, layers=(4,), bag=8, vectors="none", width=4, epochs=1, least_steps=2)
made.fit(texts, labels).save(sys.argv[1])
umpteen.load(sys.argv[1]).rank(["cats"], 2)
print([name for name in ("torch._dynamo", "sympy", "pandas", "sklearn") if name in sys.modules])
"""


def test_the_compiler_of_torch_stays_out(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(tmp_path / "model")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
