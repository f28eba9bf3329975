"""Writes independent.json: what NumPy 1.24, SciPy 1.10 and scikit-learn 1.2 say of numbers
that TestAgainstSciPy puts to the statistics of the battery."""
import json

import numpy as np
from scipy.spatial.distance import jensenshannon
from scipy.stats import binomtest, kendalltau, t
from sklearn.metrics import average_precision_score, f1_score, jaccard_score

rng = np.random.default_rng(19)


def short(x):
    """Numbers of few digits, as float32 and float64 hold them alike."""
    return np.round(np.asarray(x) * 1024) / 1024


def distribution(n):
    p = np.floor(rng.dirichlet(np.full(n, 0.3)) * 4096)
    p[p.argmax()] += 4096 - p.sum()
    return p / 4096


out = {"kendall": [], "distributions": [], "first": [], "share": [], "seeds": [], "marks": [], "erasure": []}
for n, few in ((12, 4), (40, 1000), (40, 8), (60, 1000)):
    x = rng.integers(0, few, n) / 8
    y = np.where(rng.random(n) < 0.4, x, rng.integers(0, few, n) / 8)
    r = kendalltau(x, y, variant="b", method="asymptotic")
    out["kendall"].append({"x": x.tolist(), "y": y.tolist(), "tau": r.statistic, "p": r.pvalue})
for n in (2, 5, 30):
    p, q = distribution(n), distribution(n)
    out["distributions"].append({"p": p.tolist(), "q": q.tolist(), "variation": np.abs(p - q).max() if n == 2 else np.abs(p - q).sum() / 2, "divergence": jensenshannon(p, q) ** 2})
for n in (8, 30):
    x, y = rng.permutation(n), rng.permutation(n)  # no ties
    best = lambda v: set(np.argsort(-v)[:10])
    out["first"].append({"x": x.tolist(), "y": y.tolist(), "overlap": len(best(x) & best(y)) / min(10, n)})
rng.normal(size=120)  # of statistics that are gone; the numbers below are drawn after these
for n in (9, 40, 101):
    rng.permutation(rng.gamma(1, size=n))
for hits, n in ((0, 500), (7, 20), (431, 500)):
    i = binomtest(hits, n).proportion_ci(method="wilson")
    out["share"].append({"hits": hits, "n": n, "low": i.low, "high": i.high})
for n in (3, 5):
    x = short(rng.normal(size=n))
    half = t.ppf(0.975, n - 1) * x.std(ddof=1) / np.sqrt(n)
    out["seeds"].append({"x": x.tolist(), "mean": x.mean(), "low": x.mean() - half, "high": x.mean() + half})
for n in (20, 60):
    marked = rng.random(n) < 0.2
    marked[0] = True
    score = short(rng.normal(size=n) + marked)
    chosen = np.zeros(n, bool)
    chosen[np.argsort(-score, kind="stable")[: n // 5]] = True
    out["marks"].append({"marked": marked.tolist(), "score": score.tolist(), "chosen": chosen.tolist(), "auprc": average_precision_score(marked, score),
                         "f1": f1_score(marked, chosen), "iou": jaccard_score(marked, chosen)})
for n in (5, 30):  # reviews; 8 shares of their words
    whole, without, alone = (short(rng.random(s)) for s in ((n, 1), (n, 8), (n, 8)))
    flips = without < 0.3  # another class than the one predicted
    shares = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5])
    gone = np.where(flips.any(1), shares[flips.argmax(1)], 1)
    half = lambda v: 1.959963984540054 * v.std(ddof=1) / np.sqrt(n)
    eraser = [0, 2, 3, 4, 7]  # 1, 5, 10, 20 and 50 %
    c, s = (whole - without)[:, eraser].mean(1), (whole - alone)[:, eraser].mean(1)
    out["erasure"].append({"whole": whole[:, 0].tolist(), "without": without.tolist(), "alone": alone.tolist(), "comprehensiveness": c.mean(), "comprehensivenessHalf": half(c),
                           "sufficiency": s.mean(), "sufficiencyHalf": half(s), "gone": gone.mean(), "flipped": np.maximum.accumulate(flips, 1).mean(0).tolist()})
with open(__file__.replace(".py", ".json"), "w") as f:
    json.dump(out, f, default=float)
    f.write("\n")
