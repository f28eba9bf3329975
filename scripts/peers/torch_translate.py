#!/usr/bin/env python3
"""The encoder-decoder of Vaswani et al. 2017 in PyTorch: the peer of seq2seq-transformer.

Reads sentence pairs as `exp data export phrases --out pairs.tsv` writes them, trains on
those of train, and prints one JSON line an epoch: seconds and target words per second of
the training pass, its loss (nats a target word), and with --test the exact match of greedy
translations of test. Padded batches of similar length, masks, fused attention: what a
competent user writes.

  torch_translate.py --pairs pairs.tsv --epochs 40 --threads 2 --test
"""
import argparse, csv, json, math, os, random, sys, time
if "--threads" in sys.argv:  # before torch starts its threads
    os.environ["OMP_NUM_THREADS"] = sys.argv[sys.argv.index("--threads") + 1]
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
import torch
from torch import nn
import torch.nn.functional as F

PAD, BEGIN, END, UNKNOWN = range(4)


def load(path):
    """Pairs of lists of words, by split."""
    splits = {"train": [], "test": []}
    with open(path, encoding="utf8", newline="") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            splits[row["split"]].append((row["source"].lower().split(), row["target"].lower().split()))
    return splits


def vocabulary(sentences):
    return {w: i for i, w in enumerate(sorted({w for s in sentences for w in s}), UNKNOWN + 1)}


def padded(sentences):
    n = max(map(len, sentences))
    return torch.tensor([s + [PAD] * (n - len(s)) for s in sentences])


def batches(pairs, size, rng=None):
    """Pairs of similar lengths together; in random order, other ones each time."""
    order = sorted(range(len(pairs)), key=lambda i: (len(pairs[i][0]), len(pairs[i][1]), rng.random() if rng else i))
    out = [[pairs[i] for i in order[s:s + size]] for s in range(0, len(order), size)]
    if rng:
        rng.shuffle(out)
    for b in out:
        yield padded([s for s, _ in b]), padded([[BEGIN] + t for _, t in b]), padded([t + [END] for _, t in b])


def attend(q, k, v, mask, causal):
    """Fused where torch has it (2.0); mask is True where a query may look."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal)
    if causal:
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    scores = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill(~mask, -1e9)
    return scores.softmax(-1) @ v


class Attention(nn.Module):
    def __init__(s, d, heads):
        super().__init__()
        s.heads, s.q, s.k, s.v, s.o = heads, *(nn.Linear(d, d) for _ in range(4))

    def forward(s, x, memory, mask=None, causal=False):
        q, k, v = (f(t).unflatten(-1, (s.heads, -1)).transpose(1, 2) for f, t in ((s.q, x), (s.k, memory), (s.v, memory)))
        return s.o(attend(q, k, v, mask, causal).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(s, a, cross):
        super().__init__()
        s.before, s.drop = a.norm == "before", nn.Dropout(a.dropout)
        s.self = Attention(a.width, a.heads)
        s.cross = Attention(a.width, a.heads) if cross else None
        s.ffn = nn.Sequential(nn.Linear(a.width, a.ffn), nn.ReLU(), nn.Linear(a.ffn, a.width))
        s.norms = nn.ModuleList(nn.LayerNorm(a.width) for _ in range(3 if cross else 2))

    def add(s, norm, x, f):
        return x + s.drop(f(norm(x))) if s.before else norm(x + s.drop(f(x)))

    def forward(s, x, memory=None, mask=None):
        causal = s.cross is not None  # padding is behind the words, which never look there
        x = s.add(s.norms[0], x, lambda y: s.self(y, y, None if causal else mask, causal))
        if s.cross:
            x = s.add(s.norms[1], x, lambda y: s.cross(y, memory, mask))
        return s.add(s.norms[-1], x, s.ffn)


class Transformer(nn.Module):
    def __init__(s, a, sources, targets):
        super().__init__()
        d = a.width
        s.source, s.target, s.drop = nn.Embedding(sources, d), nn.Embedding(targets, d), nn.Dropout(a.dropout)
        for e in (s.source, s.target):
            nn.init.normal_(e.weight, std=d ** -0.5)
        s.encoder = nn.ModuleList(Block(a, False) for _ in range(a.layers))
        s.decoder = nn.ModuleList(Block(a, True) for _ in range(a.layers))
        s.ends = nn.ModuleList(nn.LayerNorm(d) if a.norm == "before" else nn.Identity() for _ in range(2))
        s.out = nn.Linear(d, targets)
        if a.tied:
            s.out.weight = s.target.weight
        angle = torch.arange(1024).unsqueeze(1) * torch.exp(torch.arange(0, d, 2) * (-math.log(10000) / d))
        s.register_buffer("positions", torch.stack((angle.sin(), angle.cos()), -1).flatten(1))

    def embed(s, e, ids):
        return s.drop(e(ids) * math.sqrt(e.embedding_dim) + s.positions[:ids.shape[1]])

    def encode(s, x):
        mask = (x != PAD)[:, None, None, :]
        h = s.embed(s.source, x)
        for block in s.encoder:
            h = block(h, mask=mask)
        return s.ends[0](h), mask

    def decode(s, y, memory, mask):
        h = s.embed(s.target, y)
        for block in s.decoder:
            h = block(h, memory, mask)
        return s.ends[1](h)


@torch.no_grad()
def exact(model, pairs, size):
    """Share of the pairs whose greedy translation is the target, in percent."""
    model.eval()
    right = 0
    for x, _, want in batches(pairs, size):
        memory, mask = model.encode(x)
        y = torch.full((len(x), 1), BEGIN)
        done = torch.zeros(len(x), dtype=torch.bool)
        while not done.all() and y.shape[1] < 2 * x.shape[1] + 10:
            word = model.out(model.decode(y, memory, mask)[:, -1]).argmax(-1)
            y = torch.cat((y, word.masked_fill(done, PAD).unsqueeze(1)), 1)
            done |= word == END
        n = max(y.shape[1] - 1, want.shape[1])
        got = F.pad(y[:, 1:], (0, n - y.shape[1] + 1), value=PAD)
        right += int((got == F.pad(want, (0, n - want.shape[1]), value=PAD)).all(1).sum())
    return 100 * right / len(pairs)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pairs", required=True)
    for name, default in dict(width=128, layers=2, heads=4, ffn=256, batch=32, epochs=40, warmup=400, seed=1, threads=2).items():
        p.add_argument("--" + name, type=int, default=default)
    for name, default in dict(lr=1e-3, dropout=0.1, smoothing=0.1, clip=1.0).items():
        p.add_argument("--" + name, type=float, default=default)
    p.add_argument("--norm", choices=("before", "after"), default="after")
    p.add_argument("--tied", action="store_true")
    p.add_argument("--test", action="store_true", help="translate the test pairs after the last epoch")
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(a.seed)
    rng = random.Random(a.seed)
    splits = load(a.pairs)
    vocabularies = [vocabulary(p[side] for p in splits["train"]) for side in (0, 1)]
    train, test = ([tuple([v.get(w, UNKNOWN) for w in s] for s, v in zip(p, vocabularies)) for p in splits[n]] for n in ("train", "test"))
    model = Transformer(a, *(len(v) + UNKNOWN + 1 for v in vocabularies))
    optimizer = torch.optim.Adam(model.parameters(), lr=a.lr, betas=(0.9, 0.98), eps=1e-9)
    # linear warm-up, then falling with the root of the step, as in section 5.3
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: min((i + 1) / a.warmup, ((i + 1) / a.warmup) ** -0.5))
    words = sum(len(t) + 1 for _, t in train)
    print(json.dumps(dict(parameters=sum(p.numel() for p in model.parameters()), pairs=len(train), target_words=words)))
    for epoch in range(1, a.epochs + 1):
        model.train()
        start, total = time.perf_counter(), 0.0
        for x, y, want in batches(train, a.batch, rng):
            real = want != PAD
            logits = model.out(model.decode(y, *model.encode(x))[real])  # no score for padding
            loss = F.cross_entropy(logits, want[real], label_smoothing=a.smoothing)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), a.clip)
            optimizer.step()
            schedule.step()
            total += loss.item() * int(real.sum())
        seconds = time.perf_counter() - start
        line = dict(epoch=epoch, loss=round(total / words, 4), seconds=round(seconds, 2), words_per_second=round(words / seconds))
        if a.test and epoch == a.epochs:
            line["test_exact"] = exact(model, test, a.batch)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
