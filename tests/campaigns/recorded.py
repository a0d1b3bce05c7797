#!/usr/bin/env python3
"""Holds what railgauge reads of recorded topology files against what an independent reading of the same files counts.

usage: recorded.py PROGRAM FOLDER [OUTPUT.md]

FOLDER has files of any format, such as those that public projects test with. Of each file this script counts GPUs, NICs, links and
bandwidths with a few lines of its own, and compares them with `railgauge topo FILE --as json`. A file that railgauge refuses is right
where it is no topology, which the table REFUSED says. Writes a table; exits with 1 when a figure differs.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET

import yaml

# Files that are no topology, or no valid one, by a part of their names, and why.
REFUSED = [
    ("fabricmanager.log", "a log"), ("perfquery", "counters"), ("ibstat", "the ports of one host, without what is at their other ends"),
    (".ttar", "an archive of Prometheus' tests"), ("netq", "NetQ's lists, which railgauge does not read"), ("_crd.yaml", "a schema of Kubernetes"), ("console.txt", "lstopo's picture, which leaves out most of what its XML has"),
    ("guids.txt", "a list of GUIDs"), ("clusterUUIDs", "a list of UUIDs"), ("illegal", "a block without a switch"),
    ("azure-slurm-topology.txt", "a switch above itself"), ("index.tsv", "a list of files"),
]
# What differs on purpose: file, figure, why.
EXPLAINED = {
    ("sysfs-xeon-pci-conflicts.tar.bz2", "packages"): "its fourth package contradicts its NUMA nodes, and hwloc leaves it out: lstopo's own picture of it has 3",
}
SPEEDS = {"2.5 GT/s": 0.25, "5 GT/s": 0.5, "5.0 GT/s": 0.5, "8 GT/s": 128 / 130, "8.0 GT/s": 128 / 130, "16 GT/s": 2 * 128 / 130,
          "16.0 GT/s": 2 * 128 / 130, "32 GT/s": 4 * 128 / 130, "32.0 GT/s": 4 * 128 / 130}
GPU_VENDORS = {"10de", "1002", "8086"}


def total(values):
    return round(sum(values), 1)


def of_hwloc(text):
    """Packages, NUMA nodes, GPUs, NICs, and the payload of all PCIe links in GB/s."""
    root = ET.fromstring(text)
    count = collections.Counter()
    speed = 0.0
    for it in root.iter("object"):
        kind = it.get("type")
        count["packages"] += kind in ("Package", "Socket")
        count["NUMA nodes"] += kind == "NUMANode"
        if kind == "PCIDev":
            code, identity = re.match(r"([0-9a-f]{4})(?:\([0-9a-f]+\))? \[([0-9a-f]{4}:[0-9a-f]{4})", it.get("pci_type")).groups()
            display = code[:2] in ("03", "12") and identity[:4] in GPU_VENDORS and identity != "1002:515e"
            count["GPUs"] += display
            count["NICs"] += code[:2] == "02" or code == "0c06"
        if kind in ("PCIDev", "Bridge"):
            speed += float(it.get("pci_link_speed") or 0)
    return {**count, "PCIe GB/s": round(speed, 1)}


def of_nccl(text):
    root = ET.fromstring(text)
    count = collections.Counter()
    speed = 0.0
    pairs = set()
    for it in root.iter("pci"):
        code = (it.get("class") or "").lower()
        if code[:6] in ("0x0302", "0x0380", "0x0300", "0x1200") or it.find("gpu") is not None:
            count["GPUs"] += 1
        count["NICs"] += code[:4] == "0x02" or it.find("gpu") is None and it.find("nic") is not None
        rate = re.sub(r" PCIe$", "", it.get("link_speed") or "")
        speed += SPEEDS.get(rate, 0) * int(it.get("link_width") or 0)
        gpu = it.find("gpu")
        if gpu is not None:
            for link in list(gpu.findall("nvlink")) + list(gpu.findall("xgmi")):
                if link.get("tclass", "")[:6] in ("0x0302", "0x0380", "0x0300", "0x1200"):
                    pairs.add(frozenset((it.get("busid").lower(), link.get("target").lower())))
    count["NICs"] += sum(len(it.findall("nic")) for it in root.iter("cpu"))  # without a PCI device of their own
    return {**count, "NUMA nodes": len(list(root.iter("cpu"))), "NVLink or xGMI pairs": len(pairs), "PCIe GB/s": round(speed, 1)}


RATES = {("4", "SDR"): 1.0, ("4", "DDR"): 2.0, ("4", "QDR"): 4.0, ("4", "FDR"): 6.8, ("4", "FDR10"): 5.0, ("4", "EDR"): 12.5, ("4", "HDR"): 25.0,
         ("4", "NDR"): 50.0, ("1", "SDR"): 0.25, ("2", "NDR"): 25.0, ("1", "NDR"): 12.5}


def of_ibnetdiscover(text):
    """Nodes, and cables once each: both ends have a line."""
    nodes = re.findall(r"^(Switch|Ca|Ci)\s+(\d+)\s+\"([^\"]+)\"", text, re.M)
    ends = []
    at = None
    for line in text.splitlines():
        head = re.match(r"(Switch|Ca|Ci)\s+\d+\s+\"([^\"]+)\"", line)
        if head:
            at = head.group(2)
            continue
        port = re.match(r"\[(\d+)\](?:\[[^\]]*\])?(?:\([0-9a-f]*\))?\s+\"([^\"]+)\"\[(\d+)\]", line)
        if port and at:
            rate = re.search(r"(\d+)x([A-Z]+\d*)\s*$", line.split("#")[-1].strip())
            ends.append((frozenset(((at, port.group(1)), (port.group(2), port.group(3)))), rate.groups() if rate else None))
    links = dict(ends)
    return {"switches": sum(kind == "Switch" for kind, *_ in nodes), "adapters": sum(kind != "Switch" for kind, *_ in nodes),
            "cables": len(links), "cables GB/s": total(RATES.get(rate, 0) for rate in links.values())}


def of_ports_report(text):
    ends = set()
    switches = set()
    for line in text.splitlines():
        port = re.match(r"(?:SW|CA)\s+\d+\s+(\d+)\s+(0x[0-9a-f]+)", line)
        if not port:
            continue
        if line.startswith("SW"):
            switches.add(port.group(2))
        far = re.search(r" - (SW|CA)\s+\d+\s+(\d+)\s+(0x[0-9a-f]+)", line)
        if far:
            ends.add(frozenset(((port.group(2), port.group(1)), (far.group(3), far.group(2)))))
            if far.group(1) == "SW":
                switches.add(far.group(3))
    return {"switches": len(switches), "cables": len(ends)}


def of_netlist(text):
    nodes = collections.Counter()
    links = set()
    at = None
    for line in text.splitlines():
        line = line.split("#")[0]
        head = re.match(r"(Switch|Hca|Ca)\s+\d+\s+\"([^\"]+)\"", line)
        if head:
            nodes[head.group(1) == "Switch"] += 1
            at = head.group(2)
        port = re.match(r"\[(\d+)\]\s+\"([^\"]+)\"\[(\d+)\]", line)
        if port:
            links.add(frozenset(((at, port.group(1)), (port.group(2), port.group(3)))))
    return {"switches": nodes[True], "adapters": nodes[False], "cables": len(links)}


def hosts_of(text):
    """How many names a list with brackets has: n[1-3,7],m."""
    count = 0
    for prefix, ranges, alone in re.findall(r"([^\s,\[\]]+)\[([^\]]*)\]|([^\s,\[\]]+)", text):
        if alone:
            count += 1
            continue
        for one in ranges.split(","):
            ends = one.split("-")
            count += int(ends[-1]) - int(ends[0]) + 1
    return count


def of_slurm(text):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    switches = sum(hosts_of(it) for line in lines for it in re.findall(r"SwitchName=(\S+)", line))
    blocks = sum(bool(re.match(r"BlockName=", line)) for line in lines)
    hosts = sum(hosts_of(it) for line in lines for it in re.findall(r"\bNodes=(\S+)", line))
    return {"switches or blocks": switches + blocks, "hosts": hosts}


def of_topograph(text):
    """Switches by name wherever one stands, and the hosts of blocks."""
    model = yaml.safe_load(text)
    switches = set(model.get("switches") or {})
    for it in (model.get("switches") or {}).values():
        switches.update((it or {}).get("switches") or [])
    hosts = 0
    for block in model.get("blocks") or []:
        switches.update([block["switch"]] if block.get("switch") else [])
        for it in block.get("nodes") or []:
            hosts += hosts_of(re.sub(r"^\[", "n[", it))
    return {"switches": len(switches), "hosts": hosts}


def of_lspci(text):
    functions = re.findall(r"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f] [^\[\n]*\[([0-9a-f]{4})\]: .*?\[([0-9a-f]{4}:[0-9a-f]{4})\]", text, re.M)
    gpus = sum(code == "0302" or code == "0300" and identity[:4] == "10de" for code, identity in functions)
    return {"GPUs": gpus, "NVSwitches": sum(code == "0680" and identity[:4] == "10de" for code, identity in functions),
            "NICs": sum(code[:2] == "02" for code, _ in functions)}


def of_lspci_words(text):
    """Without numbers, as lspci -vvv prints it."""
    kinds = re.findall(r"^ ?(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f] ([^:\[]+)", text, re.M)
    return {"GPUs": sum(kind.startswith("3D controller") for kind in kinds),
            "NICs": sum(kind.startswith(("Infiniband", "Ethernet", "Network", "Fabric")) for kind in kinds)}


def of_matrix(text):
    rows = [re.split(r"\s+", line.strip()) for line in text.splitlines() if re.match(r"\s*(GPU|mlx|NIC)\S*\s", line)]
    gpus = [row[0] for row in rows if re.match(r"GPU\d+$", row[0]) and len(row) > 2 and ("X" in row)]
    pairs = 0
    lanes = 0
    for index, row in enumerate(row for row in rows if row[0] in gpus):
        for cell in row[1:index + 1]:
            if re.match(r"NV\d+$", cell):
                pairs += 1
                lanes += int(cell[2:])
    return {"GPUs": len(gpus), "NVLink pairs": pairs, "NVLinks": lanes}


def of_sysfs(root):
    """Packages and NUMA nodes of the processors that are online."""
    base = os.path.join(root, "sys/devices/system")
    packages = set()
    for name in os.listdir(os.path.join(base, "cpu")):
        file = os.path.join(base, "cpu", name, "topology/physical_package_id")
        if re.match(r"cpu\d+$", name) and os.path.isfile(file):
            packages.add(open(file).read().strip())
    nodes = [it for it in (os.listdir(os.path.join(base, "node")) if os.path.isdir(os.path.join(base, "node")) else []) if re.match(r"node\d+$", it)]
    gpus = os.path.join(root, "proc/driver/nvidia/gpus")  # whose own memory is a node of Linux, and none of the processors
    own = {re.search(r"Node:\s*(\d+)", open(os.path.join(gpus, it, "numa_status")).read()) for it in (os.listdir(gpus) if os.path.isdir(gpus) else [])}
    return {"packages": len(packages), "NUMA nodes": len(nodes) - len(own) or 1}


def of_graph(graph):
    kinds = collections.Counter(node["kind"] for node in graph["nodes"])
    links = graph["links"]
    pcie = [it for it in links if it["kind"] == "pcie"]
    cables = [it for it in links if it["kind"] in ("infiniband", "ethernet")]
    hosts = kinds["machine"]
    between = [it for it in links if it["kind"] in ("nvlink", "xgmi")]
    return {"packages": kinds["package"], "NUMA nodes": kinds["numa"], "GPUs": kinds["gpu"], "NICs": kinds["nic"], "NVSwitches": kinds["nvswitch"],
            "PCIe GB/s": total(it["nominal_gigabytes_per_second"] for it in pcie), "switches": kinds["fabric_switch"], "adapters": kinds["nic"] + kinds["accelerator"],
            "ports GB/s": total(it["nominal_gigabytes_per_second"] for it in links if it["kind"] == "internal" and it.get("state") == "active"),
            "cables": sum(it["count"] for it in cables), "cables GB/s": total(it["nominal_gigabytes_per_second"] * it["count"] for it in cables),
            "switches or blocks": kinds["fabric_switch"], "hosts": hosts, "NVLink or xGMI pairs": len(between), "NVLink pairs": len(between),
            "NVLinks": sum(it["count"] for it in between)}


def reading(name, text):
    """The function that reads a file independently; None where there is none for its format."""
    if "<topology" in text:
        return of_hwloc
    if "<graphs" in text:
        return lambda it: {"GPUs": len({dev for dev in re.findall(r"<gpu dev=\"([^\"]+)\"", it)})}
    if "<system" in text:
        return of_nccl
    if re.search(r"^(SW|CA)\s+\d+\s+\d+\s+0x", text, re.M):
        return of_ports_report
    if name.startswith("ibsim"):
        return of_netlist
    if re.search(r"^(Switch|Ca)\s+\d+\s+\"", text, re.M):
        return of_ibnetdiscover
    if re.search(r"^(SwitchName|BlockName)=", text, re.M):
        return of_slurm
    if name.startswith("topograph-model"):
        return of_topograph
    if "LnkCap:" in text:
        return of_lspci_words
    if re.search(r"\[0[0-9a-f]{3}\]: ", text):
        return of_lspci
    if re.search(r"^\s*GPU0\s", text, re.M):
        return of_matrix
    return None


def unpacked(path, folder):
    """A snapshot of /sys in an archive: the folder to read as --root."""
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="fully_trusted") if sys.version_info >= (3, 12) else archive.extractall(folder)
    for where, folders, _ in os.walk(folder):
        if "sys" in folders:
            return where
        if any(re.match(r"mlx5_\d+$", it) for it in folders):  # of /sys/class/infiniband alone
            os.makedirs(os.path.join(folder, "root/sys/class"))
            os.symlink(where, os.path.join(folder, "root/sys/class/infiniband"))
            return os.path.join(folder, "root")
    return None


def of_adapters(root):
    """Adapters and ports of /sys/class/infiniband, and the rates of the ports that are active."""
    base = os.path.join(root, "sys/class/infiniband")
    adapters = os.listdir(base) if os.path.isdir(base) else []
    rates = []
    for name in adapters:
        for port in os.listdir(os.path.join(base, name, "ports")):
            read = lambda file: open(os.path.join(base, name, "ports", port, file)).read()
            if "ACTIVE" in read("state"):
                rates.append(float(read("rate").split()[0]) / 8)
    return {"NICs": len(adapters), "ports GB/s": total(rates)}


def main(program, folder, output):
    rows = []
    wrong = 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            continue
        with tempfile.TemporaryDirectory() as room:
            words = [program, "topo", path, "--as", "json"]
            text = ""
            figures = None
            if name.startswith("sysfs") and ".tar." in name:
                root = unpacked(path, room)
                if root is None:
                    rows.append((name, "no /sys in it", "", "left out"))
                    continue
                words = [program, "topo", "--root", root, "--as", "json"]
                if os.path.islink(os.path.join(root, "sys/class/infiniband")):
                    figures = of_adapters(root)
                elif os.path.isdir(os.path.join(root, "sys/devices/system/cpu")):
                    figures = of_sysfs(root)
            else:
                text = open(path, errors="replace").read()
            run = subprocess.run(words, capture_output=True, text=True, timeout=300)
        why = next((why for part, why in REFUSED if part in name), None)
        if run.returncode != 0:
            said = run.stderr.strip().replace(path, name).removeprefix("railgauge: ")
            right = why is not None and run.returncode == 2 and run.stderr.count("\n") == 1
            rows.append((name, f"refused: {why}" if why else "a topology", said[:150], "equal" if right else "**differs**"))
            wrong += not right
            continue
        got = of_graph(json.loads(run.stdout))
        independent = reading(name, text)
        if figures is not None:
            independent = lambda _: figures
        if why is not None or independent is None:
            rows.append((name, f"refused: {why}" if why else "no independent reading", ", ".join(f"{v} {k}" for k, v in got.items() if v),
                         "**differs**" if why else "not compared"))
            wrong += why is not None
            continue
        wanted = independent(text)
        if not any(wanted.values()):
            rows.append((name, "nothing that this script counts", ", ".join(f"{v} {k}" for k, v in got.items() if v), "not compared"))
            continue
        notes = [EXPLAINED[name, key] for key in wanted if (name, key) in EXPLAINED]
        same = all(abs(got[key] - value) <= max(0.02 * value, 0.11) if "GB/s" in key else (name, key) in EXPLAINED or got[key] == value for key, value in wanted.items())
        wrong += not same
        shown = lambda of: ", ".join(f"{of[key]} {key}" for key in wanted if wanted[key] or of[key])
        rows.append((name, shown(wanted), shown(got), "**differs**" if not same else "; ".join(notes) or "equal"))
    summary = f"{len(rows)} files: {wrong} differ, {sum(row[3] in ('not compared', 'left out') for row in rows)} not compared."
    table = "| file | counted by a script | railgauge | |\n|---|---|---|---|\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)
    if output:
        with open(output, "w") as file:
            file.write("# What do recorded files have, and what does railgauge read of them?\n\n"
                       "`tests/campaigns/recorded.py PROGRAM FOLDER` on files of public projects (hwloc, NCCL's topologies of AWS, Azure and OCI, RCCL,\n"
                       "topograph, infiniband_exporter, ibsim, gpud, mpibind, CycleCloud); GB/s are sums over all links. " + summary + "\n\n" + table)
    else:
        print(table)
    print(summary)
    return 1 if wrong else 0


if len(sys.argv) not in (3, 4):
    print(__doc__.strip(), file=sys.stderr)
    sys.exit(2)
if not os.path.isdir(sys.argv[2]):
    print(f"there is no folder of recorded files {sys.argv[2]}")
    sys.exit(4)
sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
