"""A real Ray cluster of two machines: the same models and answers, and a machine that dies costs time only."""

import json
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import numpy as np
import pytest

import umpteen
from toy import toy
from umpteen.app.cluster.folders import packed, unpacked
from umpteen.app.cluster.machines import Cluster, cluster_at
from umpteen.app.cluster.tagging import ranked
from umpteen.app.places import spread_over
from umpteen.core.corpus import Corpus
from umpteen.core.errors import UmpteenError
from umpteen.core.run import Run
from umpteen.kernels.spread import working_on

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'umpteen[cluster]'")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ray's own

_QUICK = {  # a dead machine is noticed within seconds, a slow one is not taken for dead
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 10_000,
    "health_check_failure_threshold": 5,
}
_STORE = 100 * 2**20


@pytest.fixture(scope="module")
def machines() -> Iterator[Any]:
    """A cluster with two machines of one core each; a third, without cores, runs the test."""
    from ray.cluster_utils import Cluster as Local

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import tests
    head = {"num_cpus": 0, "object_store_memory": _STORE, "_system_config": _QUICK, "include_dashboard": False}
    try:
        made = Local(initialize_head=True, head_node_args=head)
    except Exception as error:  # of many kinds, where memory is not shared or ports are closed
        pytest.skip(f"Ray cannot start on this machine: {error}")
    try:
        for _ in range(2):
            made.add_node(num_cpus=1, object_store_memory=_STORE)
        ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


@pytest.fixture
def cluster(machines: Any) -> Iterator[Cluster]:
    with cluster_at(machines.address) as made:
        yield made


def parts(model: Any) -> list[Any]:
    """All arrays of a forest."""
    return [part for tree, weights in model._forest.trees for part in (tree.order, *tree.levels, *weights.parts)]


@pytest.mark.parametrize(
    ("kind", "settings"),
    [(umpteen.PLT, {"trees": 2, "branch": 2, "leaf": 2}), (umpteen.OneVsRest, {}), (umpteen.PLT, {"loss": "logistic"})],
)
def test_linear_models_are_the_same_to_the_last_bit(cluster: Cluster, kind: Any, settings: dict[str, Any]) -> None:
    texts, labels = toy(200)
    here = kind(**settings).fit(texts, labels)
    with working_on(cluster):
        there = kind(**settings).fit(texts, labels)
    for one, other in zip(parts(here), parts(there), strict=True):
        np.testing.assert_array_equal(one, other)


def test_shared_arrays_are_put_once_and_let_go_with_their_array(cluster: Cluster) -> None:
    array = np.arange(100_000)
    for _ in range(2):
        assert [*cluster.each(_summed, (array, 1), range(3))] == [array.sum() + 1 + n for n in range(3)]
    assert len(cluster._known) == 1
    del array
    assert not cluster._known


def test_answers_come_in_order_and_few_are_under_way(cluster: Cluster) -> None:
    asked = list[int]()

    def blocks() -> Iterator[int]:
        for number in range(60):
            asked.append(number)
            yield number

    answers = cluster.each(_summed, (np.zeros(1), 0), blocks())
    assert [next(answers) for _ in range(5)] == [0, 1, 2, 3, 4]
    assert len(asked) < 30
    assert [*answers] == [*range(5, 60)]


def test_errors_come_back_as_if_they_had_happened_here(cluster: Cluster) -> None:
    with pytest.raises(UmpteenError, match="block 1 is bad"):
        [*cluster.each(_bad, (), range(2))]


def test_tagging_streams_in_order(cluster: Cluster, tmp_path: Path) -> None:
    texts, labels = toy(120)
    model = umpteen.PLT().fit(texts, labels)
    model.save(tmp_path / "m")
    corpus = Corpus.from_texts(texts)
    found = [*ranked(cluster, tmp_path / "m", corpus, 3, batch=16)]
    assert [document.text for part, _ in found for document in part] == texts
    expected = model.rank(texts, 3)
    np.testing.assert_array_equal(np.concatenate([ranking.labels for _, ranking in found]), expected.labels)
    np.testing.assert_array_equal(np.concatenate([ranking.scores for _, ranking in found]), expected.scores)


def test_a_process_that_dies_costs_time_only(cluster: Cluster, tmp_path: Path) -> None:
    answers = [*cluster.each(_dying, (str(tmp_path),), range(6))]
    assert answers == [*range(6)]
    assert (tmp_path / "died").exists()


def test_a_machine_that_dies_in_training_costs_time_only(machines: Any, cluster: Cluster, tmp_path: Path) -> None:
    third = machines.add_node(num_cpus=1, object_store_memory=_STORE)
    _until(lambda: len(cluster.nodes()) == 3)
    blocks = [(number, str(tmp_path)) for number in range(12)]
    answers = cluster.each(_slow, (third.node_id,), blocks)
    first = next(answers)  # so the third has work in hand
    machines.remove_node(third, allow_graceful=False)
    assert [first, *answers] == [*range(12)]
    _until(lambda: len(cluster.nodes()) == 2)


def test_networks_learn_the_same_together(machines: Any, tmp_path: Path) -> None:
    """Plain steps by gradients, without chance: only the order of sums differs."""
    pytest.importorskip("torch")
    texts, labels = toy(120)
    here = _network().fit(texts, labels)
    run = Run(tmp_path / "run", seconds=0)
    with spread_over(machines.address):
        there = _network().fit(texts, labels, run=run)
    for name, tensor in here._network.state_dict().items():
        np.testing.assert_allclose(there._network.state_dict()[name], tensor, atol=1e-5, err_msg=name)
    assert (here.rank(texts, 3).labels == there.rank(texts, 3).labels).mean() > 0.99
    assert there._score == pytest.approx(here._score, abs=1e-6)
    assert len(run.log().splitlines()) > 2
    assert run.latest() is not None


@pytest.mark.slow
def test_a_process_that_dies_in_the_training_of_a_network_costs_time_only(machines: Any, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    texts, labels = toy(120)
    here = _network(epochs=40).fit(texts, labels)
    run, killed = Run(tmp_path / "run", seconds=0), list[int]()

    def kill() -> None:
        _until(lambda: run.latest() is not None, 300)
        killed.append(_train_workers()[0])
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    with spread_over(machines.address):
        there = _network(epochs=40).fit(texts, labels, run=run)
    thread.join()
    assert killed
    for name, tensor in here._network.state_dict().items():
        np.testing.assert_allclose(there._network.state_dict()[name], tensor, atol=1e-4, err_msg=name)


def test_replicas_of_the_server_answer(cluster: Cluster, tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    from umpteen.app.cluster.serving import begin, end
    from umpteen.app.server.config import Config

    model = umpteen.PLT().fit(*toy(120))
    model.save(tmp_path / "m")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    try:
        begin(cluster, Config(models={"m": str(tmp_path / "m")}), host="127.0.0.1", port=port, replicas=2)
        form = urlencode({"text": "bread flour oven dough", "limit": 1}).encode()
        for _ in range(4):
            with urlopen(f"http://127.0.0.1:{port}/v1/projects/m/suggest", form, timeout=60) as answer:
                assert json.load(answer)["results"][0]["label"] == "baking"
    finally:
        end()


@pytest.mark.parametrize("when", ["begin", "later"])
def test_replicas_end_when_the_server_is_told_to(when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from umpteen.app.cluster import serving
    from umpteen.app.server.config import Config

    ended = []

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(serving, "begin", stop if when == "begin" else lambda *_, **__: None)
    monkeypatch.setattr(serving.time, "sleep", stop)
    monkeypatch.setattr(serving, "end", lambda: ended.append(True))
    serving.run(None, Config(models={"m": "m"}), host="127.0.0.1", port=1, replicas=2)  # type: ignore[arg-type]
    assert ended == [True]
    with pytest.raises(UmpteenError, match="cannot learn"):  # and others' servers stay
        learner = Config(models={"m": "m"}, allow_learn=True)
        serving.run(None, learner, host="127.0.0.1", port=1, replicas=2)  # type: ignore[arg-type]
    assert ended == [True]


def test_a_folder_travels_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    umpteen.PopularLabels().fit(*toy(60)).save(tmp_path / "m")
    (tmp_path / "m" / "inner").mkdir()
    (tmp_path / "m" / "inner" / "file").write_text("inside")
    place = unpacked(*packed(tmp_path / "m"))
    assert place.parent.stat().st_mode & 0o777 == 0o700
    assert umpteen.load(place).suggest(["bread"]) == umpteen.load(tmp_path / "m").suggest(["bread"])
    assert (place / "inner" / "file").read_text() == "inside"
    with pytest.raises(UmpteenError, match="cannot hold a file named"):
        unpacked("0" * 64, ["../out"], [0, 1], np.zeros(1, np.uint8))


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1"])
def test_nobody_at_an_address_is_told_at_once(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(UmpteenError, match="no Ray cluster"):
        Cluster(address)


def _network(**settings: Any) -> Any:
    usual = {"vectors": "none", "width": 16, "word_dropout": 0.0, "dropout": 0.0, "batch": 20, "min_df": 1, "jobs": 1}
    usual |= {"epochs": 4, "least_steps": 0, "every": 2, "optimiser": "sgd", "precision": "fp32", "rate": 0.05}
    return umpteen.XmlCnn(**(usual | settings))


def _summed(shared: Any, block: int) -> int:
    return int(shared[0].sum()) + shared[1] + block


def _bad(shared: Any, block: int) -> int:
    if block == 1:
        raise UmpteenError("block 1 is bad")
    return block


def _dying(shared: Any, block: int) -> int:
    mark = Path(shared[0]) / "died"
    if block == 3 and not mark.exists():
        mark.touch()
        os._exit(1)
    return block


def _slow(shared: Any, block: tuple[int, str]) -> int:
    """On the machine that is to die, work without end; on others, work that ends once that has begun."""
    number, place = block
    if ray.get_runtime_context().get_node_id() == shared[0]:
        (Path(place) / "here").touch()
        time.sleep(600)
    _until((Path(place) / "here").exists)
    return number


def _until(ready: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)


def _train_workers() -> list[int]:
    """Processes of Ray Train that this test process has started."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue

    def ours(process: int) -> bool:
        while process > 1 and process != os.getpid():
            process = parents.get(process, 0)
        return process == os.getpid()

    named = [p for p in parents if b"RayTrainWorker" in (Path("/proc") / str(p) / "cmdline").read_bytes()]
    return [process for process in named if ours(process)]
