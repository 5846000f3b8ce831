"""Labels that neighbours vote for, their shares of the votes joined with scores of their own."""

import numpy as np
from numba import njit

from umpteen.kernels.best import fall, insert


@njit(cache=True, nogil=True)
def _candidates(found, cast, y_bounds, y_labels, labels, shares):
    """Fill the labels of the documents found, rising, and the share of the votes that each gets; returns how many."""
    total = 0.0
    room = 0
    for place in range(len(found)):
        row = found[place]
        if row >= 0:
            total += cast[place]
            for at in range(y_bounds[row], y_bounds[row + 1]):
                labels[room] = y_labels[at]
                shares[room] = cast[place]
                room += 1
    order = np.argsort(labels[:room], kind="mergesort")
    names, parts = labels[order], shares[order]
    count = 0
    for at in range(room):
        if at == 0 or names[at] != names[at - 1]:
            labels[count] = names[at]
            shares[count] = 0.0
            count += 1
        shares[count - 1] += parts[at] / total
    return count


@njit(cache=True, nogil=True, fastmath=True)
def _own(vector, members, weight, bias):
    """The mean over members of the chance of one label: the sigmoid of its weights times the document's vector."""
    width = len(vector) // members
    total = 0.0
    for member in range(members):
        score = np.float32(0)
        for at in range(member * width, (member + 1) * width):
            score += vector[at] * weight[at]
        total += 1.0 / (1.0 + np.exp(-(score + bias[member])))
    return total / members


@njit(cache=True, nogil=True)
def joined(found, cast, y_bounds, y_labels, vectors, weights, biases, place, chances, balance, k):
    """The k best labels of each query and their scores, (1 - balance) x share of the votes + balance x own score.

    `found` are the documents that vote, -1 for none, `cast` their votes. Only labels that are voted for get a score
    of their own: column `place[label]` of `chances` (queries, labels) where these are known, else from that row of
    `weights` (labels, members x width) and `biases` (labels, members).
    """
    queries = len(found)
    best = np.full((queries, k), -1, np.int32)
    worth = np.zeros((queries, k), np.float32)
    for query in range(queries):
        room = 0
        for row in found[query]:
            if row >= 0:
                room += y_bounds[row + 1] - y_bounds[row]
        labels, shares = np.empty(room, np.int64), np.empty(room, np.float64)
        count = _candidates(found[query], cast[query], y_bounds, y_labels, labels, shares)
        kept = 0
        for at in range(count):
            score = shares[at]
            if balance > 0:
                row = place[labels[at]]
                if chances.shape[1]:
                    own = chances[query, row]
                else:
                    own = np.float32(_own(vectors[query], biases.shape[1], weights[row], biases[row]))
                score = (1 - balance) * score + balance * own
            kept = insert(best[query], worth[query], kept, k, labels[at], np.float32(min(score, 1.0)))
        fall(best[query], worth[query], kept)
    return best, worth


@njit(cache=True, nogil=True)
def beside(listed, given, scores, share, odds, k):
    """The k best labels where scores of all, within 0 and 1, have a share, and those given of labels listed the rest.

    Then the odds of each label are multiplied. Labels beyond the scores have none there; none with nothing is given.
    """
    one = np.float32(1)
    documents, known = scores.shape
    labels = np.full((documents, k), -1, np.int32)
    best = np.zeros((documents, k), np.float32)
    whole = np.zeros(len(odds), np.float32)
    for document in range(documents):
        for label in range(known):
            whole[label] = share * min(max(scores[document, label], np.float32(0)), one)
        whole[known:] = 0
        for place in range(listed.shape[1]):
            label = listed[document, place]
            if label >= 0:
                whole[label] += (one - share) * given[document, place]
        kept = 0
        for label in range(len(whole)):
            value = min(whole[label], one)
            raised = odds[label] * value
            value = raised / (one - value + raised) if raised > 0 else np.float32(0)
            if value > 0 and (kept < k or value > best[document, 0]):
                kept = insert(labels[document], best[document], kept, k, label, value)
        fall(labels[document], best[document], kept)
    return labels, best
