#!/usr/bin/env python3
"""flap.py SHARE PERIOD SEED SLOW FULL NETWORK INTERFACE...: until it is ended, the interfaces, whose root qdisc is a tbf, have the
settings SLOW for SHARE percent of each PERIOD seconds, and FULL for the rest. Networks are files, as /run/netns/a. The seed draws at which
moment of a period it begins. One tc stays open for each interface: to start one takes longer than the shortest spells may last."""
import random, subprocess, sys, time

share, period = float(sys.argv[1]) / 100, float(sys.argv[2])
slow, full = sys.argv[4:6]
if not (0 < share < 1 and period > 0):
    sys.exit(f"flap.py: {sys.argv[1]} percent of {sys.argv[2]} seconds: the share is between 0 and 100, and the period above 0")
places = list(zip(sys.argv[6::2], sys.argv[7::2]))
shapers = [subprocess.Popen(["nsenter", f"--net={network}", "tc", "-batch", "-"], stdin=subprocess.PIPE, text=True) for network, _ in places]


def limit(settings):
    for (_, interface), shaper in zip(places, shapers):
        shaper.stdin.write(f"qdisc change dev {interface} root tbf {settings}\n")
        shaper.stdin.flush()


# By the clock, not by what was slept: nothing adds up. Of moments that have passed only the last counts.
turn, begin = 0, time.monotonic() - random.Random(int(sys.argv[3])).random() * period
while True:
    for settings, until in ((slow, begin + (turn + share) * period), (full, begin + (turn + 1) * period)):
        if until > time.monotonic():
            limit(settings)
            time.sleep(max(0.0, until - time.monotonic()))
    turn += 1
