"""Writes hwloc.xml of three machines, whose PCIe trees are drawn from what their makers and users publish:
make_hwloc.py [FOLDER of the machines]. Caches, memory pages and devices that carry nothing between GPUs are left out."""
import pathlib
import sys

GEN = {3: 0.984615, 4: 1.969231, 5: 3.938462}  # GB/s of a lane, as hwloc reckons


class Writer:
    def __init__(self):
        self.lines, self.depth, self.index = [], 0, 0

    def open(self, kind, rest, close=False):
        self.index += 1
        self.lines.append(f'{" " * self.depth}<object type="{kind}" gp_index="{self.index}" {rest}{"/" if close else ""}>')
        if not close:
            self.depth += 1

    def info(self, name, value):
        self.lines.append(f'{" " * self.depth}<info name="{name}" value="{value}"/>')

    def end(self):
        self.depth -= 1
        self.lines.append(" " * self.depth + "</object>")


def mask(first, count):
    """A set of numbers as hwloc writes it: words of 32 bits, the highest first."""
    value = ((1 << count) - 1) << first
    words = []
    while value or not words:
        words.append(f"0x{value & 0xffffffff:08x}")
        value >>= 32
    return ",".join(reversed(words))


def sets(cpus, nodes):
    return " ".join(f'{prefix}{name}="{mask(*which)}"' for prefix in ("", "complete_")
                    for name, which in (("cpuset", cpus), ("nodeset", nodes)))


def device(out, bus, pci, vendor, name, speed, osdevs=()):
    out.open("PCIDev", f'pci_busid="{bus}" pci_type="{pci} [0000:0000] 00" pci_link_speed="{speed:.6f}"', not name)
    if not name:
        return
    out.info("PCIVendor", vendor)
    out.info("PCIDevice", name)
    for kind, os_name, infos in osdevs:
        out.open("OSDev", f'name="{os_name}" osdev_type="{kind}"', not infos)
        for key, value in infos:
            out.info(key, value)
        if infos:
            out.end()
    out.end()


def bridge(out, bus, below, pci, speed):
    domain, low, high = below
    out.open("Bridge", f'bridge_type="1-1" depth="1" bridge_pci="{domain}:[{low:02x}-{high:02x}]" pci_busid="{bus}" '
                       f'pci_type="0604 {pci} [0000:0000] 00" pci_link_speed="{speed:.6f}"')


def root(out, domain, low, high):
    out.open("Bridge", f'bridge_type="0-1" depth="0" bridge_pci="{domain}:[{low:02x}-{high:02x}]"')


def nic(out, bus, number, interface, pci="0207 [15b3:1021]", name="MT2910 Family [ConnectX-7]", speed=16 * GEN[5]):
    guid = f"a088:c203:0001:{number:04x}"
    device(out, bus, pci, "Mellanox Technologies", name, speed, [
        (2, interface, [("Address", f"00:00:10:49:fe:80:00:00:00:00:00:00:a0:88:c2:03:00:01:00:{number:02x}"), ("Port", "1")]),
        (3, f"mlx5_{number}", [("NodeGUID", guid), ("SysImageGUID", guid), ("Port1State", "4"),
                               ("Port1LID", f"0x{0x100 + number:x}"), ("Port1LMC", "0"),
                               ("Port1GID0", f"fe80:0000:0000:0000:{guid}")])])


def gpu(out, bus, pci, name, speed):
    device(out, bus, f"0302 {pci}", "NVIDIA Corporation", name, speed)


def disk(out, bus, number, speed):
    device(out, bus, "0108 [144d:a824]", "Samsung Electronics Co Ltd", "NVMe SSD Controller PM173X", speed,
           [(0, f"nvme{number}n1", [("Size", "3750738264"), ("SectorSize", "512")])])


def machine(maker, product, architecture, packages, model, cores, numa, gibibytes, below):
    """`numa` nodes in each package; below(out, node) writes the PCIe trees near that node."""
    out = Writer()
    nodes = packages * numa
    out.open("Machine", 'os_index="0" ' + sets((0, packages * cores), (0, nodes)))
    for name, value in (("DMIProductName", product), ("DMISysVendor", maker), ("OSName", "Linux"), ("Architecture", architecture)):
        out.info(name, value)
    for package in range(packages):
        out.open("Package", f'os_index="{package}" ' + sets((package * cores, cores), (package * numa, numa)))
        out.info("CPUModel", model)
        each = cores // numa
        for node in range(package * numa, (package + 1) * numa):
            cpus = sets((node * each, each), (node, 1))
            if numa > 1:
                out.open("Group", cpus)
            out.open("NUMANode", f'os_index="{node}" {cpus} local_memory="{gibibytes << 30}"', True)
            for core in range(node * each, (node + 1) * each):
                cpu = sets((core, 1), (node, 1))
                out.open("Core", f'os_index="{core}" {cpu}')
                out.open("PU", f'os_index="{core}" {cpu}', True)
                out.end()
            below(out, node)
            if numa > 1:
                out.end()
        out.end()
    out.end()
    text = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="2.0">\n'
    return text + "\n".join(out.lines) + "\n</topology>\n"


def dgx_h100(out, node):
    full, switch, port = 16 * GEN[5], "[1000:c030]", "[8086:352a]"
    # Bus of the NIC, its number, and that of the GPU's behind the same switch.
    rails = [(0x18, 0, 0x1b), (0x40, 3, 0x43), (0x4f, 4, 0x52), (0x5e, 5, 0x61),
             (0x9a, 6, 0x9d), (0xc0, 9, 0xc3), (0xce, 10, 0xd1), (0xdc, 11, 0xdf)]
    if node == 0:  # NVSwitches, of which each has two lanes
        root(out, "0000", 0x00, 0x0a)
        for i in range(4):
            bridge(out, f"0000:00:1c.{i}", ("0000", 7 + i, 7 + i), "[8086:1bbc]", 2 * GEN[3])
            device(out, f"0000:{7 + i:02x}:00.0", "0680 [10de:22a3]", "NVIDIA Corporation", "GH100 [H100 NVSwitch]", 2 * GEN[3])
            out.end()
        out.end()
    for rail, (bus, number, card) in enumerate(rails[4 * node:4 * node + 4], 4 * node):
        root(out, "0000", bus - 3, card + 1)
        bridge(out, f"0000:{bus - 3:02x}:01.0", ("0000", bus - 2, card + 1), port, full)
        bridge(out, f"0000:{bus - 2:02x}:00.0", ("0000", bus - 1, card + 1), switch, full)
        bridge(out, f"0000:{bus - 1:02x}:00.0", ("0000", bus, bus), switch, full)
        nic(out, f"0000:{bus:02x}:00.0", number, f"ibp{bus}s0")
        out.end()
        bridge(out, f"0000:{bus - 1:02x}:02.0", ("0000", card, card), switch, full)
        gpu(out, f"0000:{card:02x}:00.0", "[10de:2330]", "GH100 [H100 SXM5 80GB]", full)
        out.end()
        bridge(out, f"0000:{bus - 1:02x}:04.0", ("0000", card + 1, card + 1), switch, 4 * GEN[4])
        disk(out, f"0000:{card + 1:02x}:00.0", rail, 4 * GEN[4])
        for _ in range(4):
            out.end()
    storage, number = ((0x29, 1), (0xaa, 7))[node]
    root(out, "0000", storage - 1, storage)
    bridge(out, f"0000:{storage - 1:02x}:01.0", ("0000", storage, storage), port, full)
    nic(out, f"0000:{storage:02x}:00.0", number, f"ibp{storage}s0f0")
    nic(out, f"0000:{storage:02x}:00.1", number + 1, f"enp{storage}s0f1", "0200 [15b3:1021]")
    out.end()
    out.end()


def dgx_a100(out, node):
    full, switch = 16 * GEN[4], "[1000:c010]"
    # NUMA node: bus of the root, GPUs, NICs with their numbers
    trees = {3: (0x00, (0x07, 0x0f), ((0x0c, 0), (0x12, 1))), 1: (0x40, (0x47, 0x4e), ((0x4b, 2), (0x54, 3))),
             7: (0x80, (0x87, 0x90), ((0x8d, 6), (0x94, 7))), 5: (0xb0, (0xb7, 0xbd), ((0xba, 8), (0xcc, 9)))}
    if node in trees:
        bus, cards, nics = trees[node]
        last = nics[1][0] + 1
        root(out, "0000", bus, last)
        bridge(out, f"0000:{bus:02x}:01.1", ("0000", bus + 1, last), "[1022:1483]", full)
        bridge(out, f"0000:{bus + 1:02x}:00.0", ("0000", bus + 2, last), switch, full)
        slot = 0
        for card, (port, number) in zip(cards, nics):
            for below in (card, port):
                bridge(out, f"0000:{bus + 2:02x}:{4 * slot:02x}.0", ("0000", below, below), switch, full)
                slot += 1
                if below == card:
                    gpu(out, f"0000:{card:02x}:00.0", "[10de:20b2]", "GA100 [A100 SXM4 80GB]", full)
                else:
                    nic(out, f"0000:{port:02x}:00.0", number, f"ibp{port}s0", "0207 [15b3:101b]", "MT28908 Family [ConnectX-6]", full)
                out.end()
        for _ in range(3):
            out.end()
    if node == 4:  # NVSwitches
        root(out, "0000", 0xc3, 0xc9)
        for i in range(6):
            bridge(out, f"0000:c3:0{i + 1}.0", ("0000", 0xc4 + i, 0xc4 + i), "[1022:1483]", 4 * GEN[4])
            device(out, f"0000:{0xc4 + i:02x}:00.0", "0680 [10de:1af1]", "NVIDIA Corporation", "GA100 [A100 NVSwitch]", 4 * GEN[4])
            out.end()
        out.end()
    if node in (2, 6):
        bus, number = {2: (0x61, 4), 6: (0xe1, 10)}[node]
        root(out, "0000", bus - 1, bus)
        bridge(out, f"0000:{bus - 1:02x}:03.1", ("0000", bus, bus), "[1022:1483]", full)
        for function in range(2):
            nic(out, f"0000:{bus:02x}:00.{function}", number + function, f"enp{bus}s0f{function}", "0200 [15b3:101b]",
                "MT28908 Family [ConnectX-6]", full)
        out.end()
        out.end()


def gb200_tray(out, node):
    high, number = 16 * node, 4 * node
    for k, domain in enumerate((high, high + 2)):  # a ConnectX-7 and its own bridge
        text = f"{domain:04x}"
        root(out, text, 0x00, 0x03)
        bridge(out, f"{text}:00:00.0", (text, 1, 3), "[10de:22b1]", 16 * GEN[5])
        bridge(out, f"{text}:01:00.0", (text, 2, 3), "[15b3:1979]", 16 * GEN[5])
        bridge(out, f"{text}:02:00.0", (text, 3, 3), "[15b3:1979]", 16 * GEN[5])
        nic(out, f"{text}:03:00.0", number + k, f"ibp{domain}s0")
        for _ in range(4):
            out.end()
    text = f"{high + 6:04x}"  # BlueField-3
    root(out, text, 0x00, 0x03)
    bridge(out, f"{text}:00:00.0", (text, 1, 3), "[10de:22b1]", 16 * GEN[5])
    for function in range(2):
        nic(out, f"{text}:03:00.{function}", number + 2 + function, f"enP{high + 6}p3s0f{function}", "0200 [15b3:a2dc]",
            "MT43244 BlueField-3 integrated ConnectX-7 network controller", 16 * GEN[5])
    out.end()
    out.end()
    for k in range(2):
        text = f"{high + 8 + k:04x}"
        root(out, text, 0x00, 0x01)
        bridge(out, f"{text}:00:00.0", (text, 1, 1), "[10de:22b8]", 16 * GEN[5])
        gpu(out, f"{text}:01:00.0", "[10de:2941]", "GB100 [HGX GB200]", 16 * GEN[5])
        out.end()
        out.end()


folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
for name, text in {
        "dgx_h100": machine("NVIDIA", "DGXH100", "x86_64", 2, "Intel(R) Xeon(R) Platinum 8480C", 56, 1, 1024, dgx_h100),
        "dgx_a100": machine("NVIDIA", "DGXA100 920-23687-2530-000", "x86_64", 2, "AMD EPYC 7742 64-Core Processor", 64, 4, 256, dgx_a100),
        "gb200_tray": machine("NVIDIA", "GB200 NVL", "aarch64", 2, "Neoverse-V2", 72, 1, 480, gb200_tray)}.items():
    (folder / name / "hwloc.xml").write_text(text, encoding="utf-8")
