# python3 many.py LINE.jsonl OUTPUT [hostile]: 50,000 results with the keys of the first line of LINE.jsonl: curves of 20 algorithms over
# five transports, and all pairs of 100 hosts, of which one is slow. With "hostile", some with names that want to be markup.
import json
import random
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    whole = json.loads(file.readline())
seed = 11
random.seed(seed)


def with_numbers(line, size, median, busbw):
    line["bytes"] = size
    line["count"] = size // 4
    line["samples"] = 40
    for key, factor in (("min", 0.9), ("median", 1), ("ci_low", 0.98), ("ci_high", 1.03), ("p95", 1.5), ("p99", 2), ("max", 3)):
        line[key] = median * factor
    line["busbw"] = busbw
    line["algbw"] = busbw
    line["expected_busbw"] = 12.5
    line["expected_from"] = "ring: min(V, g*r) = min(?, 1*12.5)"
    line["times"] = [median * (0.9 + random.random() * 0.4) for _ in range(40)]
    line["times_step"] = 1
    return line


def curves(count, names):
    for i in range(count):
        line = dict(whole)
        step = i // 500
        line["algorithm"] = names[step % len(names)]
        line["transport"] = "t%d" % (step // len(names) % 5)
        size = 64 * (1 + i % 500) ** 2
        median = 5e-6 + size / 1e10 * (1 + step % 7 / 10)
        yield with_numbers(line, size, median, size / median / 1e9)


def pairs(ranks):
    for source in range(ranks):
        for target in range(ranks):
            if source == target:
                continue
            line = dict(whole)
            line.update(collective="pairs", algorithm="one_way", transport="ucx", type="uint8", op="none", ranks=ranks, nodes=ranks, root=None)
            line.update({"from": source, "to": target, "from_node": "n%d" % source, "to_node": "n%d" % target})
            median = 1e-4 * (8 if 17 in (source, target) else 1) * (1 + random.random() / 50)
            line = with_numbers(line, 1 << 20, median, (1 << 20) / median / 1e9)
            line["times"] = []
            yield line


if len(sys.argv) > 3:
    attacks = ["<script>document.title='taken'</script>", "</script><script>document.title='taken'</script>",
               "<img src=x onerror=\"document.title='taken'\">", "{a|taken}", "\u2028\u202etaken", "x" * 100000]
    lines = [line for i, line in enumerate(curves(3000, attacks)) if i % 100 < 3]
    lines += pairs(4)
    for i, line in enumerate(lines):
        line["host"] = line["cpu"] = line["run"] = attacks[i % 3]
        if "from_node" in line and line["from_node"]:
            line["from_node"] += attacks[i % 3]
            line["to_node"] += attacks[i % 3]
else:
    lines = list(curves(40100, ["algorithm%d" % i for i in range(20)])) + list(pairs(100))
with open(sys.argv[2], "w", encoding="utf-8") as file:
    for line in lines:
        file.write(json.dumps(line, separators=(",", ":")) + "\n")
