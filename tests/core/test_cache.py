import sys

from umpteen.core.cache import cache_folder


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("UMPTEEN_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("UMPTEEN_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache_folder() == tmp_path / "x" / "umpteen"
