# python3 browser.py PAGE NAME [PAGE NAME ...]: opens each page in headless Chromium, wants an empty console, NAME found by the page's own
# search, and in the first page nothing where there is no such name. Exit code 4: there is no Chromium.
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

chromium = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None)
if chromium is None:
    sys.exit(4)


def dom(page, name, profile):
    address = "file://" + urllib.parse.quote(page) + "#find=" + urllib.parse.quote(name)
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
               "--user-data-dir=" + profile, "--virtual-time-budget=3000", "--dump-dom", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=True)
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return done.stdout, console


faults = 0
with tempfile.TemporaryDirectory() as profile:
    for page, name in zip(sys.argv[1::2], sys.argv[2::2]):
        absent = [("no such node", None)] if page == sys.argv[1] else []
        for wanted, expected in [(name, name), *absent]:
            text, console = dom(page, wanted, profile)
            match = re.search(r'<body[^>]* data-found="([^"]*)"', text)
            found = match.group(1) if match else None
            if found != expected or console:
                faults += 1
                print(f"{os.path.basename(page)}: a search for {wanted} found {found}; console: {console}")
sys.exit(1 if faults else 0)
