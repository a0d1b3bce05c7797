#!/usr/bin/env python3
"""Draws command lines that are wrong from the grammar of the options, and holds the program to its promise for each of them:
exit code 2, one sentence on standard error that names the option, the file or the word, no library's message, and an end.

usage: bad_options.py PROGRAM DRAWS [SEED]
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

program, draws = os.path.realpath(sys.argv[1]), int(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 32)
print(f"seed {seed}")
dice = random.Random(seed)
OURS = re.compile(r"json\.exception|std::|terminate|CLI::|basic_string|\bstoi\b|what\(\)|Could not convert|is_required|bad_alloc|fault of railgauge")
NUMBERS = ["", "two", "-1", "1e400", "nan", "inf", "99999999999999999999999", "0x", "1.5.2", "\x01\x1b[31m", "9" * 5000]
TIMES = ["", "soon", "0", "0s", "-1s", "nan", "inf", "1e400s", "5 parsecs", "9" * 400 + "h", "\x7f"]
SIZES = ["", "0", "0K", "-4K", "4X", "nan", "1e400", "99999999999T"]
SHARES = ["", "0", "-5%", "101%", "nan", "inf", "much"]
NAMES = ["", "nonsense", "ALL", "\x02", "a" * 3000, "ring ring"]
grammar = json.loads(subprocess.run([program, "manual", "--grammar"], capture_output=True, check=True, text=True).stdout)
# What a command needs before its options are looked at.
BEFORE = {"launch": ["--print", "slurm", "--nodes", "1"], "history add": ["FILE"], "algorithm check": ["FILE"], "algorithm show": ["FILE"], "history accept": ["--reason", "x"], "report": ["FILE", "-o", "new.html"],
          "topo diff": ["FILE", "FILE"], "list": ["types"], "synthesise": ["all_gather"], "completion": ["bash"], "workload": ["resnet50", "--ranks", "2", "--transport", "memory", "--steps", "1"], "bench": ["all_reduce", "--ranks", "2", "--transport", "memory", "--bytes", "8"]}

# Options that do not go together, or lack what they need: the words, and what the sentence must name one of.
COMBINATIONS = [
    ("bench all_reduce --mode back-to-back --start barrier", ["--start"]),
    ("bench all_reduce --min-time 2s --max-time 1s", ["--min-time", "--max-time"]),
    ("bench all_reduce --duration 1s --max-time 2s", ["--duration"]),
    ("bench all_reduce --transport memory --ranks 2 --root 2", ["--root", "root 2"]),
    ("bench all_reduce --transport memory --set shm.fault=slow", ["--set", "shm"]),
    ("bench all_reduce --bytes 64:8", ["--bytes"]),
    ("bench all_reduce --factor 1 --bytes 8:64", ["--factor"]),
    ("topo expect gpu0", ["--collective", "FROM TO", "gpu0"]),
    ("topo expect --format json a b", ["--collective", "a"]),
    ("topo --routes", ["--fabric"]),
    ("topo --device mlx5_0", ["--fabric"]),
    ("topo FILE FILE --save new", ["--save", "FILE"]),
    ("topo --results FILE --as json", ["--results"]),
    ("compare FILE", ["BASE and NEW"]),
    ("compare --base FILE", ["--new"]),
    ("compare --interleave 2 FILE FILE", ["--interleave"]),
    ("compare FILE FILE --base FILE --new FILE", ["--base", "--new"]),
    ("validate --factor 2", ["--factor"]),
    ("history check --history nowhere/db", ["nowhere/db"]),
]
MADE = {  # files that this program writes; cut or changed they are refused or read, and nothing else
    "made.jsonl": ["bench", "ping_pong", "--ranks", "2", "--transport", "memory", "--bytes", "8,4K", "--iterations", "2", "-o"],
    "made.csv": ["bench", "ping_pong", "--ranks", "2", "--transport", "memory", "--bytes", "8", "--iterations", "2", "-o"],
    "made.json": ["topo", "--as", "json", "-o"],
    "made.xml": ["topo", "--as", "nccl", "-o"],
}
READERS = ["topo", "topo check", "topo diff", "report", "compare", "history add", "algorithm show"]


def reading(path, name):
    """The words with which a command reads a file."""
    rest = {"compare": [name, name], "report": [name, "-o", "new.html", "--force"], "topo diff": [name, name]}
    return path + rest.get(" ".join(path), [name])


def spoil(content):
    """Cut, or with bytes of its own in other places."""
    content = bytearray(content[:dice.randrange(len(content))] if dice.random() < 0.5 else content)
    for _ in range(dice.randrange(1, 8)):
        if content:
            content[dice.randrange(len(content))] = dice.choice(b'{}[]<>",:0189ae-. \n\x00\xff')
    return bytes(content)


def walk(command, path):
    yield path, command
    for one in command["commands"]:
        yield from walk(one, path + [one["name"]])


def wrong_value(option):
    kind = option["kind"]
    if kind == "whole":
        more = [str(int(option["least"]) - 1)] if option.get("least", "0") != "0" else []
        if option.get("most"):
            more.append(str(int(option["most"]) + 1))
        return dice.choice(NUMBERS + more)
    if kind == "number" and option.get("least"):
        return dice.choice(NUMBERS + [option["least"], f"-{option['least']}.5", option["most"] + "1"])
    return dice.choice({"number": NUMBERS, "time": TIMES, "share": SHARES, "choice": NAMES, "size": SIZES}[kind])


def draw(folder):
    """A command line, and what the sentence must name one of; None where it may also be right."""
    path, command = dice.choice([it for it in walk(grammar, []) if it[0]])
    words = path + BEFORE.get(" ".join(path), [])
    options = [it for it in command["options"] if not it["positional"] and it["name"] != "--help"]
    typed = [it for it in options if it["kind"] not in ("flag", "text")]
    how = dice.choice(["value", "value", "value", "option", "no value", "flag", "file", "config", "variable", "combination", "spoiled"])
    if how == "combination":
        line, named = dice.choice(COMBINATIONS)
        return line.split(), {}, named
    if how == "spoiled":
        name = dice.choice(list(MADE))
        with open(f"{folder}/spoiled-{name}", "wb") as file:
            file.write(spoil(made[name]))
        return reading(dice.choice(READERS).split(), f"spoiled-{name}"), {}, None
    if how == "value" and typed:
        option = dice.choice(typed)
        return words + [f"{option['name']}={wrong_value(option)}"], {}, [option["name"]]
    if how == "no value" and [it for it in options if it["kind"] != "flag"]:
        option = dice.choice([it for it in options if it["kind"] != "flag"])
        return words + [option["name"]], {}, [option["name"]]
    if how == "flag" and [it for it in options if it["kind"] == "flag"]:
        option = dice.choice([it for it in options if it["kind"] == "flag"])
        return words + [f"{option['name']}=perhaps"], {}, [option["name"]]
    if how == "file" and " ".join(path) in READERS:
        name = dice.choice(["nowhere", "empty", "garbage", "folder", "broken.jsonl", "broken.xml", "utf16", "numbers.json", "FILE/below", "n" * 3000])
        return reading(path, name), {}, [name, name[:40]]
    if how == "config":
        name = dice.choice(["nowhere", "garbage", "folder", "wrong.toml"])
        return words + ["--config", name], {}, [name]
    open_ones = [it for it in typed if it["variable"] and it["name"] not in words]
    if how == "variable" and open_ones:
        option = dice.choice(open_ones)
        return words, {option["variable"]: dice.choice(["nonsense", "-1", "nan"])}, [option["variable"], option["name"]] + (["missing"] if not BEFORE.get(" ".join(path)) else [])
    name = "--" + "".join(dice.choices("abcxyz", k=6))
    return words + [name], {}, [name]


failed = 0
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(folder + "/folder")
    open(folder + "/empty", "w").close()
    open(folder + "/garbage", "wb").write(dice.randbytes(2000))
    open(folder + "/broken.jsonl", "w").write('{"collective": "all_reduce", \n')
    open(folder + "/broken.xml", "w").write("<topology><object")
    open(folder + "/wrong.toml", "w").write("[bench]\nnonsense = 3\n")
    open(folder + "/FILE", "w").write("{}\n")
    open(folder + "/utf16", "w", encoding="utf-16").write('{"collective": "all_reduce"}\n')
    open(folder + "/numbers.json", "w").write('[1e999, -0, 99999999999999999999999999]\n')
    made = {}
    for name, words in MADE.items():
        subprocess.run([program] + words + [name], cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        made[name] = open(f"{folder}/{name}", "rb").read()
    for number in range(draws):
        words, variables, names = draw(folder)
        shown = " ".join(f"{k}={v}" for k, v in variables.items()) + " " + " ".join(repr(word[:80]) for word in words)
        problems = []
        try:
            run = subprocess.run([program] + words, capture_output=True, cwd=folder, timeout=60, env={**os.environ, "XDG_DATA_HOME": folder, **variables}, stdin=subprocess.DEVNULL)
            said = run.stderr.decode(errors="replace")
            if run.returncode not in ((2,) if names is not None else (0, 1, 2, 4)):
                problems.append(f"exit code {run.returncode}")
            if run.returncode == 2 and (said.count("\n") != 1 or not said.startswith("railgauge: ")):
                problems.append("not one sentence")
            if names is not None and not any(name in said for name in names):
                problems.append(f"none of {names} is named")
            if OURS.search(said):
                problems.append("a library's message")
            if re.search(r"[\x00-\x09\x0b-\x1f\x7f]", said):
                problems.append("control characters")
        except subprocess.TimeoutExpired:
            problems, said = ["it does not end"], ""
        if problems:
            failed += 1
            print(f"draw {number}: {shown}\n  {'; '.join(problems)}: {said[:300]}")
print(f"{draws - failed} of {draws} command lines were refused as they must be, or read where they may be (seed {seed})")
sys.exit(1 if failed else 0)
