#!/usr/bin/env python3
"""Fits the weights of recall-on-prompt's judge to the `dev` prompts.

    throughline eval --documents eval/recall/memories.jsonl --prompts eval/recall/prompts.jsonl --candidates > candidates.jsonl
    python3 eval/recall/fit.py candidates.jsonl eval/recall/prompts.jsonl

Prints what the judge would reach on prompts it was not fitted to (ten parts of `dev`, each judged by the other nine) for a
row of floors, and the weights fitted to all of `dev`. The `test` prompts are never looked at here.
"""
import collections
import json
import math
import random
import sys

NAMES = ["near", "ahead", "covered", "both", "alike", "here", "rule", "done", "ours", "past", "surface", "textbook"]
RIDGE = 3.0
PARTS = 10


def values(signs):
    return [signs["near"] * signs["covered"] if name == "both" else signs[name] for name in NAMES]


def solve(matrix, right):
    rows = [row[:] + [value] for row, value in zip(matrix, right)]
    size = len(rows)
    for at in range(size):
        best = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[best] = rows[best], rows[at]
        for row in range(size):
            if row != at:
                factor = rows[row][at] / rows[at][at]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[at])]
    return [rows[at][size] / rows[at][at] for at in range(size)]


def fit(candidates):
    """Logistic regression by Newton's method, with a ridge on standardized values."""
    points = [values(one["signs"]) for one in candidates]
    right = [float(one["relevant"]) for one in candidates]
    size = len(NAMES)
    mean = [sum(column) / len(points) for column in zip(*points)]
    spread = [max(1e-6, math.sqrt(sum((v - m) ** 2 for v in column) / len(points))) for column, m in zip(zip(*points), mean)]
    scaled = [[(v - m) / s for v, m, s in zip(point, mean, spread)] + [1.0] for point in points]
    weights = [0.0] * (size + 1)
    for _ in range(15):
        slope = [-RIDGE * weight for weight in weights[:-1]] + [0.0]
        curve = [[RIDGE if a == b and a < size else 0.0 for b in range(size + 1)] for a in range(size + 1)]
        for point, wanted in zip(scaled, right):
            chance = 1 / (1 + math.exp(-sum(w * v for w, v in zip(weights, point))))
            for a in range(size + 1):
                slope[a] += (wanted - chance) * point[a]
                for b in range(size + 1):
                    curve[a][b] += chance * (1 - chance) * point[a] * point[b]
        weights = [w + step for w, step in zip(weights, solve(curve, slope))]
    raw = [w / s for w, s in zip(weights, spread)]
    return raw, weights[-1] - sum(w * m for w, m in zip(raw, mean))


def chance(model, candidate):
    weights, bias = model
    return 1 / (1 + math.exp(-bias - sum(w * v for w, v in zip(weights, values(candidate["signs"])))))


def figures(prompts, candidates, judge, floor, beside, most):
    said = right = silent = unrelated = found = related = 0
    for prompt in prompts:
        ranked = sorted(((judge[id(one)], one) for one in candidates[prompt["id"]]), key=lambda pair: -pair[0])
        bar = max(floor, beside * ranked[0][0]) if ranked else 1.0
        chosen = [one for value, one in ranked if value >= bar][:most]
        said += len(chosen)
        right += sum(one["relevant"] for one in chosen)
        if prompt["relevant"]:
            related += 1
            found += any(one["relevant"] for one in chosen[:3])
        else:
            unrelated += 1
            silent += not chosen
    return right / max(1, said), silent / max(1, unrelated), found / max(1, related)


def main():
    prompts = [json.loads(line) for line in open(sys.argv[2])]
    prompts = [prompt for prompt in prompts if prompt["split"] == "dev"]
    candidates = collections.defaultdict(list)
    for line in open(sys.argv[1]):
        one = json.loads(line)
        if one["split"] == "dev":
            candidates[one["prompt"]].append(one)
    ids = [prompt["id"] for prompt in prompts]
    random.Random(5).shuffle(ids)
    judge = {}
    for part in range(PARTS):
        held = set(ids[part::PARTS])
        model = fit([one for prompt, some in candidates.items() if prompt not in held for one in some])
        for prompt in held:
            judge.update({id(one): chance(model, one) for one in candidates[prompt]})
    print("floor beside most   right  silence  found")
    for floor in [at / 100 for at in range(8, 27, 1)]:
        for beside, most in ((0.9, 3),):
            shares = figures(prompts, candidates, judge, floor, beside, most)
            print(f"{floor:5.2f} {beside:6.2f} {most:4d}   " + "  ".join(f"{share:6.3f}" for share in shares))
    weights, bias = fit([one for some in candidates.values() for one in some])
    print(f"bias {bias:.2f}, " + ", ".join(f"{name} {weight:.2f}" for name, weight in zip(NAMES, weights)))


if __name__ == "__main__":
    main()
