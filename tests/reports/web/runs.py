# python3 runs.py LINE.jsonl COUNT STEP: files run0.jsonl and on with the results of LINE.jsonl, whose times are replaced: 1 ms with 1 %
# of noise a launch, those of 64 KiB a tenth slower from run STEP on.
import json
import random
import sys

lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
count, step = int(sys.argv[2]), int(sys.argv[3])
random.seed(5)
for number in range(count):
    with open(f"run{number}.jsonl", "w", encoding="utf-8") as file:
        for line in lines:
            slower = 1.1 if number >= step and line["bytes"] == 65536 else 1
            median = 1e-3 * slower * random.gauss(1, 0.01)
            line["run"] = f"run-{number}"
            line["status"], line["reason"] = "ok", ""
            line["times"] = [median * random.gauss(1, 0.01) for _ in range(20)]
            line["samples"], line["effective_samples"], line["times_step"] = 20, 20, 1
            for key, factor in (("min", 0.98), ("median", 1), ("ci_low", 0.995), ("ci_high", 1.005), ("p95", 1.02), ("p99", 1.03), ("max", 1.04)):
                line[key] = median * factor
            file.write(json.dumps(line) + "\n")
