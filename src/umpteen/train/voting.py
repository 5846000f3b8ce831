"""How neighbours vote, chosen on documents kept aside: how many, how sharply, with how much of labels' own scores."""

from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import product

import numpy as np
from scipy import sparse

from umpteen.core.ranking import Ranking, blended
from umpteen.metrics.ranking import Judged
from umpteen.text.alike import Alike, Ballot
from umpteen.text.index import Vectors
from umpteen.text.regression import Regression, Weight, joined
from umpteen.text.voters import Own, Rule, Voters

_COUNTS = (5, 10, 20, 30, 50, 100)
_SHARPNESS = (0.0, 5.0, 10.0, 20.0, 40.0)
_BALANCES = (0.0, 0.25, 0.5, 0.75, 0.9)
_CLUSTERS = (16, 64, 256, 1024)
_BESIDE = (20, 50, 100), (5.0, 10.0, 20.0), (0.5, 0.75, 0.9)  # the same beside another model's ranking
_WORDS = (1.0, 1.5), (20, 50, 100), (1.0, 2.0, 4.0, 8.0), (0.1, 0.25, 0.5, 0.75)  # rarities, voters, powers, shares
_SHARES = (0.2, 0.35, 0.5, 0.65, 0.8)  # of regression
_DAMPING = (0.1, 0.3, 1.0)
_LIFTS = (0.0, 0.2, 0.4)  # of rare labels
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
    """The rule that ranks documents kept aside best by nDCG@5; what is not `free`, or makes no difference, is as usual.

    The number of voters and the sharpness are chosen together, then the balance.
    """
    counts = _COUNTS if "neighbours" in free else (usual.neighbours,)
    weights = _SHARPNESS if "sharpness" in free else (usual.sharpness,)
    balances = _BALANCES if "balance" in free else (usual.balance,)
    most = replace(usual, neighbours=max(counts))
    found, cosines, _ = voters.nearest(vectors, most, probes=len(voters.index.centres), jobs=jobs)

    def score(rule: Rule) -> float:
        near = slice(0, rule.neighbours)
        votes = np.exp(rule.sharpness * (cosines[:, near] - cosines[:, :1])).astype(np.float32)
        ranking = voters.counted(found[:, near], votes, vectors, 5, rule, own, jobs=jobs)
        return Judged.of(ranking, Y, k=5).ndcg(5).value

    rules = [replace(usual, neighbours=count, sharpness=weight) for count in counts for weight in weights]
    best = _best([usual, *(rule for rule in rules if rule != usual)], score)
    return _best([best, *(replace(best, balance=share) for share in balances if share != best.balance)], score)


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
    """How regression by documents X should count beside a ranking of those kept aside, where it is not given."""
    shares, lifts = _SHARES if share is None else (share,), _LIFTS if lift is None else (lift,)
    counts = np.bincount(Y.indices, minlength=Y.shape[1])

    def score(made: Ranking) -> float:
        return Judged.of(made, truth, k=5).ndcg(5).value

    best, found = score(ranking) if share is None else -1.0, Weight()
    for damping in _DAMPING:
        scores, before = Regression.of(X, Y, damping=damping, jobs=jobs).scores(kept, jobs=jobs), best
        for weight in (Weight(part, damping, rise) for part, rise in product(shares, lifts)):
            value = score(joined(ranking, scores, 5, weight.share, weight.odds(counts)))
            if value > best:
                best, found = value, weight
        if best == before:
            break  # more damping hardly ever does better then, and each costs as much as the one before
    return found


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


def _best(rules: list[Rule], score: Callable[[Rule], float]) -> Rule:
    """The first of the best; a single one is not even tried."""
    return max(rules, key=score) if len(rules) > 1 else rules[0]


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
