#!/usr/bin/env python3
"""Runs the commands of a page of the documentation, in one shell and in the order in which a reader meets them.

usage: run_page.py PAGE

RAILGAUGE is the program; its folder comes first in PATH. What is run, in an empty folder:
  ```sh       every line; one that ends in a backslash goes on in the next
  ```console  the lines that begin with "$ "; the others show what was printed once, and are not compared
  <!-- run: COMMAND -->   what a reader already has, or would look at
  <!-- run the second column: REASON -->   `commands` in the table that follows, with exit codes 0 and 4
A command ends with exit code 0, or with one of those that its comment names ("# exit code 1: at fault, 4: not decided"). A block behind
"<!-- not run: REASON -->" is passed over, and said. Exits 4 with the reason where the page needs what this machine lacks
("<!-- needs: PROGRAM -->"). Where a page does not say how long `validate` may take, it takes 12 s, and a point of
`bench` 0.2 s, a whole `bench` at most 4 s, in buffers that the cache may hold. An example of options or of output alone stands in a block without a language.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

STEP = r"""
step() {
  printf '%s  $ %s\n' "$1" "$3"
  local code=0 since=${EPOCHREALTIME/./}
  eval "$3" </dev/null || code=$?
  printf '%s  took %d ms\n' "$1" $(((${EPOCHREALTIME/./} - since) / 1000))
  case " $2 " in *" $code "*) return ;; esac
  echo "$1: exit code $code, and the page promises ${2// / or }" >&2
  exit 1
}
"""


def commands(text, name):
    """(line, command) in the order of the page; says which blocks are passed over."""
    block = reason = None
    pending, began, column = "", 0, False
    for number, line in enumerate(text.splitlines(), 1):
        if block is None:
            column = (column and (not line or line[0] == "|")) or line.startswith("<!-- run the second column")
            cell = re.match(r"\|[^|]*\| `([^`]*)`", line) if column else None
            if cell:
                yield number, cell[1] + "  # exit code 0 or 4"
            hidden = re.fullmatch(r"<!-- (run|not run|needs): (.*) -->", line.strip())
            if hidden and hidden[1] == "run":
                yield number, hidden[2]
            elif hidden and hidden[1] == "not run":
                reason = hidden[2]
            elif hidden and not shutil.which(hidden[2]):
                print(f"skipped: {hidden[2]} is not installed")
                sys.exit(4)
            fence = re.fullmatch(r"```(\w*)", line.strip())
            if fence:
                block = fence[1]
                if reason:
                    print(f"{name}:{number}: not run: {reason}")
                    block, reason = "", None
            continue
        if line.strip() == "```":
            if pending:
                sys.exit(f"{name}:{began}: the command does not end")
            block = None
            continue
        if block == "console" and not pending:
            if not line.startswith("$ "):
                continue
            line = line[2:]
        if block in ("sh", "console") and (pending or line.strip()):
            began = began if pending else number
            pending += line.strip() if not pending else " " + line.strip()
            if pending.endswith("\\"):
                pending = pending[:-1].rstrip()
                continue
            if not pending.startswith("#"):
                yield began, pending
            pending = ""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    page = os.path.realpath(sys.argv[1])
    name = os.path.basename(page)
    program = os.path.realpath(os.environ["RAILGAUGE"])
    with open(page, encoding="utf-8") as file:
        steps = list(commands(file.read(), name))
    if not steps:
        sys.exit(f"{name} has no command")
    script = STEP
    for line, command in steps:
        promised = re.search(r"# exit code (.*)", command)
        codes = " ".join(re.findall(r"\b\d\b", promised[1])) if promised else "0"
        quoted = "'" + command.replace("'", "'\\''") + "'"
        script += f"step {name}:{line} '{codes}' {quoted}\n"
    environment = dict(os.environ)
    environment.setdefault("RAILGAUGE_VALIDATE_BUDGET", "12s")  # hosts that share the cores of one machine need no longer
    environment.setdefault("RAILGAUGE_BENCH_MAX_TIME", "0.2s")
    environment.setdefault("RAILGAUGE_BENCH_BUDGET", "4s")  # ranks that share cores make pairs look slow, which are then measured again for a while
    environment.setdefault("RAILGAUGE_BENCH_CACHE", "warm")
    environment["PATH"] = os.path.dirname(program) + os.pathsep + environment["PATH"]
    environment["SOURCES"] = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
    with tempfile.TemporaryDirectory(prefix="railgauge-page.") as room:
        environment["HOME"] = room
        os.mkdir(os.path.join(room, "here"))
        sys.stdout.flush()
        done = subprocess.run(["bash", "-c", script], cwd=os.path.join(room, "here"), env=environment)
    if done.returncode == 0:
        print(f"{name}: {len(steps)} commands ran")
    sys.exit(1 if done.returncode else 0)


main()
