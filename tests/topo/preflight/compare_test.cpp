// Fleets of made-up facts: who is odd beside whom.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "tests/test.hpp"
#include "tests/topo/preflight/fleet.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::topo::preflight;

namespace {

std::string found_in(const std::vector<HostFacts>& hosts) { return brief(judge(hosts).differences); }

std::string everything(const Judgement& all) { return to_text(all); }

}  // namespace

TEST_CASE("hosts that are alike differ in nothing, however many there are") {
  for (const std::size_t count : {0U, 1U, 2U, 3U, 8U, 64U}) CHECK(found_in(fleet(count)) == "");
}

TEST_CASE("whatever one host of many has otherwise, it alone is named, in any order of hosts") {
  struct Change {
    const char *subject, *name, *value, *expected;
  };
  constexpr Change changes[] = {
      {"eth1", "mtu", "1500", "fault n003:eth1 MTU: 1500; 9000 (7 of 8 hosts)\n"},
      {"eth0", "state", "down", "fault n003:eth0 state: down; up (7 of 8 hosts)\n"},
      {"", "kernel", "6.1.0", "warning n003 kernel: 6.1.0; 5.15.0 (7 of 8 hosts)\n"},
      {"mlx5_1", "device firmware", "28.37.1014", "warning n003:mlx5_1 firmware: 28.37.1014; 28.39.1002 (7 of 8 hosts)\n"},
      {"mlx5_0/1", "port state", "1: DOWN", "fault n003:mlx5_0/1 state: 1: DOWN; 4: ACTIVE (7 of 8 hosts)\n"},
      {"GPU 0000:13:00.0", "vbios", "95", "warning n003:GPU 0000:13:00.0 VBIOS: 95; 96.00.30 (7 of 8 hosts)\n"},
  };
  std::mt19937 random(7);
  for (const Change& change : changes)
    for (int turn = 0; turn < 5; ++turn) {
      std::vector<HostFacts> hosts = fleet(8);
      set(hosts[3], change.subject, change.name, change.value);
      std::shuffle(hosts.begin(), hosts.end(), random);
      CHECK(found_in(hosts) == change.expected);
    }
}

TEST_CASE("no order of hosts or of facts changes what is found") {
  std::vector<HostFacts> hosts = fleet(9);
  set(hosts[1], "eth0", "mtu", "1500");
  set(hosts[2], "eth0", "mtu", "4000");
  set(hosts[4], "", "kernel", "6.1");
  remove_subject(hosts[5], "mlx5_1");
  remove_subject(hosts[5], "mlx5_1/1");
  set_unread(hosts[6], "", "memlock", "no file");
  hosts[7].fingerprint = "processor Xeon\n7 x GPU H100\n2 x NIC CX7\n";
  hosts[8].model = "another";
  const std::string once = everything(judge(hosts));
  CHECK(std::count(once.begin(), once.end(), '\n') > 8);
  std::mt19937 random(11);
  for (int turn = 0; turn < 20; ++turn) {
    std::shuffle(hosts.begin(), hosts.end(), random);
    for (HostFacts& facts : hosts) std::shuffle(facts.facts.begin(), facts.facts.end(), random);
    CHECK(everything(judge(hosts)) == once);
  }
}

TEST_CASE("where there is no majority, it is said who has what, and nobody is named") {
  std::vector<HostFacts> two = fleet(2);
  set(two[1], "eth0", "mtu", "1500");
  CHECK(found_in(two) == "warning :eth0 MTU: 1500 (n001), 9000 (n000); the same on all of them\n");
  set(two[1], "eth0", "mtu", "9000");
  set(two[1], "", "kernel", "6.1");
  CHECK(found_in(two) == "note  kernel: 5.15.0 (n000), 6.1 (n001); the same on all of them\n");
  std::vector<HostFacts> ten = fleet(10);
  for (std::size_t i = 0; i < 5; ++i) set(ten[i], "eth0", "mtu", "1500");
  CHECK(found_in(ten) == "warning :eth0 MTU: 1500 (5 hosts), 9000 (5 hosts); the same on all of them\n");
}

TEST_CASE("a host of another model is compared with its own kind alone") {
  std::vector<HostFacts> hosts = fleet(8);
  for (const std::size_t i : {1U, 4U, 6U}) {
    hosts[i].model = "login";
    set(hosts[i], "", "kernel", "6.1");
    for (int gpu = 0; gpu < 8; ++gpu) remove_subject(hosts[i], fmt::format("GPU 0000:{:02x}:00.0", 16 + gpu));
    set(hosts[i], "", "gpus", "0");
  }
  CHECK(found_in(hosts) == "");
  set(hosts[4], "", "kernel", "6.2");
  CHECK(found_in(hosts) == "warning n004 kernel: 6.2; 6.1 (2 of 3 hosts)\n");
  const std::vector<std::string> models = judge(hosts).models;
  CHECK(models[0] == "NVIDIA, DGXH100, Xeon 8480C, NVIDIA H100");
  CHECK(models[1] == "login");
}

TEST_CASE("a host that lacks a device is at fault, and the device is named") {
  std::vector<HostFacts> hosts = fleet(4);
  remove_subject(hosts[2], "GPU 0000:15:00.0");
  set(hosts[2], "", "gpus", "7");
  CHECK(found_in(hosts) == "fault n002:GPU 0000:15:00.0 GPU: absent; present (3 of 4 hosts)\n");
  hosts = fleet(4);
  remove_subject(hosts[0], "eth1");
  remove_subject(hosts[0], "mlx5_1");
  remove_subject(hosts[0], "mlx5_1/1");
  CHECK(found_in(hosts) ==
        "fault n000:mlx5_1 RDMA device: absent; present (3 of 4 hosts)\n"
        "fault n000:eth1 network interface: absent; present (3 of 4 hosts)\n");
}

TEST_CASE("an interface that a program made in the place of a card is there, and only odd") {
  std::vector<HostFacts> hosts = fleet(4);
  remove_subject(hosts[1], "eth1");
  hosts[1].facts.push_back({"eth1", std::string(software_kind), "tun", {}});
  CHECK(found_in(hosts) == "warning n001:eth1 network interface: made by a program (tun); present (3 of 4 hosts)\n");
}

TEST_CASE("a host without any GPU among equals that have them is one fault, whether none is there or none can be read") {
  std::vector<HostFacts> hosts = fleet(5);
  for (int gpu = 0; gpu < 8; ++gpu) remove_subject(hosts[3], fmt::format("GPU 0000:{:02x}:00.0", 16 + gpu));
  set(hosts[3], "", "gpus", "0");
  CHECK(found_in(hosts) == "fault n003 GPUs: none; 8 (4 of 5 hosts)\n");
  set_unread(hosts[3], "", "gpus", "nvmlInit_v2: the driver is not loaded");
  CHECK(found_in(hosts) == "fault n003 GPUs: unread: nvmlInit_v2: the driver is not loaded; read (4 of 5 hosts)\n");
}

TEST_CASE("what only some have is a note, and what a container made is none") {
  std::vector<HostFacts> hosts = fleet(4);
  set(hosts[1], "eth7", "state", "up");
  CHECK(found_in(hosts) == "note n001:eth7 network interface: present; absent (3 of 4 hosts)\n");
  set(hosts[1], "eth7", "kind", "veth");
  CHECK(found_in(hosts) == "");
}

TEST_CASE("GPUs at other addresses are compared in their order") {
  std::vector<HostFacts> hosts = fleet(4);
  for (Fact& fact : hosts[1].facts)
    if (fact.subject.starts_with("GPU ")) fact.subject.replace(4, 4, "7a3f");
  CHECK(found_in(hosts) == "");
  set(hosts[1], "GPU 7a3f:12:00.0", "vbios", "95");
  CHECK(found_in(hosts) == "warning n001:GPU 7a3f:12:00.0 VBIOS: 95; 96.00.30 (3 of 4 hosts)\n");
}

TEST_CASE("without equals the GPUs of one host are compared among themselves") {
  std::vector<HostFacts> hosts = fleet(1);
  set(hosts[0], "GPU 0000:12:00.0", "vbios", "95");
  CHECK(found_in(hosts) == "warning n000:GPU 0000:12:00.0 VBIOS: 95; 96.00.30 (7 of the host's 8 GPUs)\n");
}

TEST_CASE("what cannot be read on one host alone is its difference, and what cannot be read anywhere is listed once") {
  std::vector<HostFacts> hosts = fleet(4);
  set_unread(hosts[2], "", "kernel", "/proc/sys/kernel/osrelease: Permission denied");
  const Judgement all = judge(hosts);
  CHECK(brief(all.differences) ==
        "warning n002 kernel: unread: /proc/sys/kernel/osrelease: Permission denied; read (3 of 4 hosts)\n");
  REQUIRE(all.unread.size() == 2);
  CHECK(all.unread[0] == Unread{"kernel", "/proc/sys/kernel/osrelease: Permission denied", {"n002"}});
  CHECK(all.unread[1] == Unread{"speed of interfaces", "ethtool *: no permission", {"n000", "n001", "n002", "n003"}});
}

TEST_CASE("a fingerprint that differs says by which parts") {
  std::vector<HostFacts> hosts = fleet(4);
  hosts[1].fingerprint = "processor Xeon\n7 x GPU H100\n2 x NIC CX7\n";
  CHECK(found_in(hosts) == "warning n001 topology: 7 x GPU H100; 8 x GPU H100 (3 of 4 hosts)\n");
  hosts.erase(hosts.begin() + 2, hosts.end());
  CHECK(found_in(hosts) == "note  topology: n001: 7 x GPU H100; n000: 8 x GPU H100; the same on all of them\n");
}

TEST_CASE("a name that no table knows, and counters, are never compared") {
  std::vector<HostFacts> hosts = fleet(4);
  set(hosts[1], "eth0", "a name of tomorrow", "7");
  set(hosts[2], "eth0", "a name of tomorrow", "8");
  set(hosts[3], "mlx5_0/1", "counter symbol_error", "9999");
  CHECK(found_in(hosts) == "");
}

TEST_CASE("random facts never break the judge, which names only hosts that exist") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<HostFacts> hosts = fleet(1 + random() % 6);
    for (HostFacts& facts : hosts)
      for (int change = 0; change < 6; ++change) {
        Fact& fact = facts.facts[random() % facts.facts.size()];
        const FactRow& row = fact_rows()[random() % fact_rows().size()];
        switch (random() % 4) {
          case 0:
            set(facts, fact.subject, std::string(row.name), fmt::format("{}", random()));
            break;
          case 1:
            set_unread(facts, fact.subject, fact.name, "no reason");
            break;
          case 2:
            remove_subject(facts, std::string(fact.subject.empty() ? "eth0" : fact.subject));
            break;
          default:
            set(facts, std::string(random() % 5, '/'), fact.name, std::string(random() % 9 + 1, ','));
        }
      }
    for (const Difference& it : judge(hosts).differences)
      CHECK((it.host.empty() ||
             std::any_of(hosts.begin(), hosts.end(), [&](const HostFacts& each) { return each.host == it.host; })));
  }
}
