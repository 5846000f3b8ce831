"""How neighbours vote, chosen on documents kept aside: how many, how sharply, with how much of labels' own scores."""

from collections.abc import Collection
from dataclasses import replace
from itertools import product
from typing import TypeVar

import numpy as np
from scipy import sparse

from umpteen.core.ranking import Ranking, blended
from umpteen.metrics.ranking import Floats, Judged
from umpteen.text.alike import Alike, Ballot
from umpteen.text.index import Vectors
from umpteen.text.regression import Regression, Weight, joined
from umpteen.text.voters import Own, Rule, Voters

A = TypeVar("A")

_COUNTS = (5, 10, 20, 30, 50, 100)
_SHARPNESS = (0.0, 5.0, 10.0, 20.0, 40.0)
_BALANCES = (0.0, 0.25, 0.5, 0.75, 0.9)
_CLUSTERS = (16, 64, 256, 1024)
_BESIDE = (20, 50, 100), (5.0, 10.0, 20.0), (0.5, 0.75, 0.9)  # the same beside another model's ranking
_WORDS = (1.0, 1.5), (20, 50, 100), (1.0, 2.0, 4.0, 8.0), (0.1, 0.25, 0.5, 0.75)  # rarities, voters, powers, shares
_SHARES = (0.2, 0.35, 0.5, 0.65, 0.8)  # of regression
_DAMPING = (0.1, 0.3, 1.0)
_LIFTS = (0.0, 0.2, 0.4)  # of rare labels
_USUAL = Weight(share=0.65, damping=0.3, lift=0.4)
_SURE = 2.0  # standard errors
_WORTH = 0.001  # of nDCG@5 that quicker tagging by clusters may cost
_FILLED = 200  # documents in a cluster at least, on the average
_SLOWER = 10  # comparing with a document in a cluster takes as long as with so many of all documents in one go


def chosen_rule(
    voters: Voters,
    vectors: Vectors,
    Y: sparse.csr_array,
    own: Own,
    *,
    usual: Rule,
    free: Collection[str],
    jobs: int = 0,
) -> Rule:
    """The rule that ranks documents kept aside best by nDCG@5; as usual what is not `free`, or not surely better.

    The number of voters and the sharpness are chosen together, then the balance.
    """
    counts = _COUNTS if "neighbours" in free else (usual.neighbours,)
    weights = _SHARPNESS if "sharpness" in free else (usual.sharpness,)
    balances = _BALANCES if "balance" in free else (usual.balance,)
    most = replace(usual, neighbours=max(counts))
    found, cosines, _ = voters.nearest(vectors, most, probes=len(voters.index.centres), jobs=jobs)

    def score(rule: Rule) -> Floats:
        near = slice(0, rule.neighbours)
        votes = np.exp(rule.sharpness * (cosines[:, near] - cosines[:, :1])).astype(np.float32)
        ranking = voters.counted(found[:, near], votes, vectors, 5, rule, own, jobs=jobs)
        return _of_documents(ranking, Y)

    def best(rules: list[Rule]) -> Rule:
        return _surely_best([(rule, score(rule)) for rule in rules]) if len(rules) > 1 else rules[0]

    rules = [replace(usual, neighbours=count, sharpness=weight) for count in counts for weight in weights]
    near = best([usual, *(rule for rule in rules if rule != usual)])
    return best([near, *(replace(near, balance=share) for share in balances if share != near.balance)])


def chosen_beside(voters: Voters, vectors: Vectors, Y: sparse.csr_array, own: Ranking, *, jobs: int = 0) -> Rule | None:
    """How votes should count beside rankings that documents kept aside have already; none: better not at all."""
    counts, weights, balances = _BESIDE
    most = Rule(neighbours=max(counts), sharpness=0.0, balance=0.0)
    found, cosines, _ = voters.nearest(vectors, most, probes=len(voters.index.centres), jobs=jobs)

    def score(rule: Rule | None) -> float:
        ranking = own
        if rule is not None:
            near = slice(0, rule.neighbours)
            votes = np.exp(rule.sharpness * (cosines[:, near] - cosines[:, :1])).astype(np.float32)
            ranking = voters.joined(found[:, near], votes, vectors, own, 5, rule, jobs=jobs)
        return Judged.of(ranking, Y, k=5).ndcg(5).value

    return max((None, *(Rule(*values) for values in product(counts, weights, balances))), key=score)


def chosen_weight(
    X: sparse.csr_array,
    Y: sparse.csr_array,
    ranking: Ranking,
    kept: sparse.csr_array,
    truth: sparse.csr_array,
    *,
    share: float | None = None,
    lift: float | None = None,
    jobs: int = 0,
) -> Weight:
    """How regression by documents X should count beside a ranking of those kept aside, where it is not given.

    As usual where nothing is surely better; not at all where that is better than as usual.
    """
    shares, lifts = _SHARES if share is None else (share,), _LIFTS if lift is None else (lift,)
    counts = np.bincount(Y.indices, minlength=Y.shape[1])
    usual = replace(_USUAL, share=_USUAL.share if share is None else share, lift=_USUAL.lift if lift is None else lift)
    found = dict[Weight, Floats]()
    for damping in _DAMPING:
        scores = Regression.of(X, Y, damping=damping, jobs=jobs).scores(kept, jobs=jobs)
        for weight in (Weight(part, damping, rise) for part, rise in product(shares, lifts)):
            found[weight] = _of_documents(joined(ranking, scores, 5, weight.share, weight.odds(counts)), truth)
    if share is None:
        found[Weight()] = _of_documents(ranking, truth)
        usual = max(Weight(), usual, key=lambda weight: found[weight].sum())
    return _surely_best([(usual, found[usual]), *found.items()])


def chosen_ballot(
    X: sparse.csr_array,
    Y: sparse.csr_array,
    kept: sparse.csr_array,
    truth: sparse.csr_array,
    own: Ranking,
    *,
    jobs: int = 0,
) -> tuple[Ballot, float]:
    """How documents X with like words should vote beside rankings of those kept aside, and their share; 0: none."""
    rarities, counts, powers, shares = _WORDS
    best, found = Judged.of(own, truth, k=5).ndcg(5).value, (Ballot(counts[0], powers[0]), 0.0)
    for rare in rarities:
        alike = Alike.of(X, Y, rare=rare)
        near = alike.nearest(kept, max(counts), jobs=jobs)
        for count, power in product(counts, powers):
            ballot = Ballot(count, power, rare)
            votes = alike.counted(near, own.depth, ballot)
            for share in shares:
                score = Judged.of(blended(own, votes, share, 5), truth, k=5).ndcg(5).value
                if score > best:
                    best, found = score, (ballot, share)
    return found


def _of_documents(ranking: Ranking, Y: sparse.csr_array) -> Floats:
    """What each document adds to nDCG@5."""
    return Judged.of(ranking, Y, k=5).ndcg(5).above


def _surely_best(found: list[tuple[A, Floats]]) -> A:
    """Of ways to rank, with what documents add to a score, the best if it is surely better than the first, the usual.

    The best of many on a few documents is mostly luck.
    """
    (usual, base), (best, scores) = found[0], max(found, key=lambda each: each[1].sum())
    better = scores - base
    return best if better.sum() > _SURE * better.std() * len(better) ** 0.5 else usual


def chosen_clusters(
    voters: Voters,
    vectors: Vectors,
    Y: sparse.csr_array,
    own: Own,
    rule: Rule,
    *,
    probes: int,
    seed: int,
    jobs: int = 0,
) -> int:
    """As many clusters as cost next to nothing in nDCG@5 when only the nearest `probes` of them are looked into.

    One where that would not be quicker.
    """
    counts = [c for c in _CLUSTERS if c > _SLOWER * probes and c * _FILLED <= len(voters.index)]
    if not counts:
        return 1

    def score(looked: Voters) -> float:
        ranking = looked.rank(vectors, 5, rule, own, probes=probes, jobs=jobs)
        return Judged.of(ranking, Y, k=5).ndcg(5).value

    chosen, least = 1, score(voters) - _WORTH
    for count in counts:
        if score(voters.clustered(count, seed=seed, jobs=jobs)) < least:
            break
        chosen = count
    return chosen
