"""What the comparisons share: stopping, probing the machine, intervals, and a page about it."""
import json
import os
import pathlib
import platform
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LAUNCH_DEADLINE = 120
STEADY = 1.25  # the probes around a group of launches differ by no more than this
ATTEMPTS = 6  # at a steady group; the last is taken as it is, and counted


def stop(sentence):
    print(f"peers: {sentence}", file=sys.stderr)
    sys.exit(2)


def need(program, hint):
    if subprocess.run(["sh", "-c", 'command -v "$1"', "sh", program], capture_output=True, check=False).returncode:
        stop(f"{program} was not found; {hint}")


def end(process):
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def parse_ping_pong(text, size):
    """Half a round trip in seconds from JSON lines: the one ping_pong of this size."""
    for line in text.splitlines():
        record = json.loads(line)
        if record.get("collective") == "ping_pong" and record.get("bytes") == size:
            if record.get("status") not in ("ok", "not_converged"):
                raise ValueError(f"railgauge says {record.get('status')}: {record.get('reason')}")
            return float(record["median"])
    raise ValueError(f"railgauge wrote no ping_pong of {size} bytes")


def ping_pong(options, size, extra):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "result.jsonl")
        command = ["taskset", "-c", options.cores, options.program, "bench", "ping_pong", "--ranks", "2", "--bytes", str(size),
                   "--type", "uint8", "--cache", "warm", "--check", "last", *extra, "-o", output]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LAUNCH_DEADLINE)
        if not os.path.exists(output):
            raise ValueError(f"railgauge exited with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
        with open(output, encoding="utf-8") as lines:
            return parse_ping_pong(lines.read(), size)


def probe(options):
    """The path from core to core: 8 bytes over shm."""
    return ping_pong(options, 8, ["--transport", "shm", "--iterations", "2000"])


def measure_group(options, sides, number):
    """One launch a side, between probes that agree. `sides` maps names to functions; the order turns with `number`."""
    names = list(sides)
    names = names[number % len(names):] + names[:number % len(names)]
    if not options.probing:
        return {**{name: sides[name]() for name in names}, "probes": [], "attempts": 1, "steady": True}
    before = probe(options)
    for attempt in range(1, ATTEMPTS + 1):
        seconds, probes = {}, [before]
        for name in names:
            seconds[name] = sides[name]()
            probes.append(probe(options))
        steady = max(probes) <= STEADY * min(probes)
        if steady or attempt == ATTEMPTS:
            return {**seconds, "probes": probes, "attempts": attempt, "steady": steady}
        before = probes[-1]


def read_groups(raw, key):
    """What the raw file holds: {point: {number: group}}. A line that was cut off is passed over."""
    groups = {}
    if raw.exists():
        for line in raw.read_text(encoding="utf-8").splitlines():
            try:
                one = json.loads(line)
                groups.setdefault(tuple(one[name] for name in key), {})[one["number"]] = one
            except (ValueError, KeyError):
                continue
    return groups


def measure_all(options, raw, key, wanted, sides_of, describe):
    """Measures `wanted` (number, point...) in that order, each once, going on where `raw` ends. {point: {number: group}}."""
    groups = read_groups(raw, key)
    todo = [one for one in wanted if one[0] not in groups.get(one[1:], {})]
    failures = 0
    started = time.monotonic()
    if raw.exists() and raw.stat().st_size and not raw.read_bytes().endswith(b"\n"):
        with open(raw, "a", encoding="utf-8") as file:
            file.write("\n")
    with open(raw, "a", encoding="utf-8") as file:
        for done, (number, *point) in enumerate(todo):
            try:
                group = measure_group(options, sides_of(options, *point), number)
            except (ValueError, OSError, KeyError, subprocess.TimeoutExpired) as fault:
                failures += 1
                print(f"\npeers: {describe(*point)}: {fault}", file=sys.stderr)
                if failures > 10:
                    stop("more than 10 launches failed")
                continue
            group.update(zip(key, point), number=number)
            groups.setdefault(tuple(point), {})[number] = group
            file.write(json.dumps(group) + "\n")
            file.flush()
            if sys.stderr.isatty():
                left = (time.monotonic() - started) / (done + 1) * (len(todo) - done - 1)
                print(f"\r{done + 1} of {len(todo)} groups of launches, {left:.0f} s left   ", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return groups


def steady_only(groups):
    return [one for one in groups.values() if one["steady"]]


def how_many(groups):
    every = [one for each in groups.values() for one in each.values()]
    return (f"{sum(one['steady'] for one in every)} of {len(every)} groups of launches were steady; "
            f"{sum(one['attempts'] for one in every)} were measured in all.")


def interval(ratios, seed, resamples=10000):
    """95 % interval of the median when groups are drawn anew."""
    draw = random.Random(seed)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(resamples))
    return medians[int(0.025 * resamples)], medians[int(0.975 * resamples) - 1]


def processor_times():
    """Since the machine started: idle, taken by other machines of the host, and all."""
    numbers = [int(word) for word in pathlib.Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()[1:]]
    return numbers[3], numbers[7], sum(numbers[:8])


def wait_until_quiet(seconds, idle=0.95):
    """Until the processors are idle for two seconds; says so when they never are."""
    until = time.monotonic() + seconds
    while True:
        before = processor_times()
        time.sleep(2)
        after = processor_times()
        if after[0] - before[0] >= idle * (after[2] - before[2]):
            return
        if time.monotonic() > until:
            print(f"peers: the machine was not idle for two seconds within {seconds:g} s; measuring all the same", file=sys.stderr)
            return


class Weather:
    """What the processors did meanwhile."""

    def __init__(self):
        self.begin = processor_times()

    def sentence(self):
        idle, steal, every = (after - before for after, before in zip(processor_times(), self.begin))
        return (f"While it ran the processors were idle {idle / max(1, every):.0%} of the time, and other machines of the host took "
                f"{steal / max(1, every):.1%}.")


def first_line(command, patience=10):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=patience).stdout.strip().splitlines()[0]
    except (OSError, IndexError, subprocess.TimeoutExpired):
        return "unknown"


def machine(options):
    cpu = next((line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
                if line.startswith("model name")), platform.machine())
    return f"{cpu}, {os.cpu_count()} cores, Linux {platform.release()}, {first_line([options.program, '--version'])}"


def sizes_of(text):
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        stop(f"--sizes takes bytes separated by commas, not {text!r}")


def add_options(parser, raw):
    parser.add_argument("--program", default=str(ROOT / "build/bin/railgauge"), help="default: build/bin/railgauge")
    parser.add_argument("--cores", default="0,1", help="the core of each process (default 0,1)")
    parser.add_argument("--seed", type=int, default=1, help="of the resampling")
    parser.add_argument("--raw", default=str(ROOT / "build" / raw), help="one line a group of launches, appended to")
    parser.add_argument("--patience", type=float, default=300, help="seconds to wait for a quiet machine (default 300)")
    parser.add_argument("--fresh", action="store_true", help="forget the launches in the raw file")
    parser.add_argument("--output", help="also write a page with machine, versions and date to this file")
    parser.add_argument("--no-probes", dest="probing", action="store_false",
                        help="take each group of launches as it is, also where the path from core to core changes between them")


def open_raw(options):
    raw = pathlib.Path(options.raw)
    raw.parent.mkdir(parents=True, exist_ok=True)
    if options.fresh and raw.exists():
        raw.unlink()
    return raw


def write_page(options, lines):
    if options.output:
        target = pathlib.Path(options.output)
        aside = target.with_suffix(".part")
        aside.write_text("\n".join(lines), encoding="utf-8")
        aside.replace(target)
