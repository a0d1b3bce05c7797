// What is wrong with one host by itself.
#include "tests/test.hpp"
#include "tests/topo/preflight/fleet.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::topo::preflight;

namespace {

struct Case {
  const char *subject, *name, *value;
  const char* expected;  // "" where it is right so
  Condition condition = Condition::plain;
};

std::string with(const Case& it) {
  HostFacts facts = host("n1");
  set(facts, it.subject, it.name, it.value);
  for (Fact& fact : facts.facts)
    if (fact.subject == it.subject && fact.name == it.name) fact.condition = it.condition;
  return brief(rules(facts));
}

constexpr const char* gpu = "GPU 0000:13:00.0";

}  // namespace

TEST_CASE("a host as it should be breaks no rule") { CHECK(brief(rules(host("n1"))) == ""); }

TEST_CASE("each rule of preflight finds what it is for, and lets pass what is right") {
  const Case cases[] = {
      {"", "memlock", "8 MiB", "fault n1 memlock: 8 MiB; unlimited, or 1 GiB at least, where RDMA devices are\n"},
      {"", "memlock", "2 GiB", ""},
      {"", "nofile", "256", "warning n1 open files: 256; 1024 at least\n"},
      {"", "nofile", "unlimited", ""},
      {"", "shm size", "64 MiB", "warning n1 size of /dev/shm: 64 MiB; 512 MiB at least\n"},
      {"", "shm size", "1 GiB", ""},
      {"", "shm free", "12 KiB", "warning n1 free in /dev/shm: 12 KiB; 128 MiB at least\n"},
      {"", "cgroup processors", "2 processors", "warning n1 processor time of the cgroup: 2 processors; no limit\n"},
      {"", "cgroup processors", "no limit", ""},
      {"", "numa balancing", "1", "note n1 automatic NUMA balancing: 1; 0\n"},
      {"", "numa balancing", "0", ""},
      {"", "iommu", "DMA-FQ, identity", "warning n1 IOMMU: DMA-FQ, identity; identity, or off\n"},
      {"", "iommu", "identity", ""},
      {"", "governor", "powersave", "warning n1 frequency governor: powersave; performance, or schedutil\n"},
      {"", "clock source", "hpet", "warning n1 clock source: hpet; tsc\n"},
      {"", "clock source", "kvm-clock", ""},
      {"", "nvidia_peermem", "not loaded", "warning n1 nvidia_peermem: not loaded; loaded, or dmabuf possible\n"},
      {"", "nvidia_peermem", "loaded", ""},
      {"", "gpus granted", "CUDA_VISIBLE_DEVICES=0,8",
       "fault n1 GPUs that the job was granted: CUDA_VISIBLE_DEVICES=0,8; a GPU 8, as CUDA_VISIBLE_DEVICES=0,8\n"},
      {"", "gpus granted", "CUDA_VISIBLE_DEVICES=0,7,GPU-n1-3 SLURM_GPUS_ON_NODE=8", ""},
      {"", "gpus granted", "CUDA_VISIBLE_DEVICES=GPU-gone",
       "fault n1 GPUs that the job was granted: CUDA_VISIBLE_DEVICES=GPU-gone; a GPU GPU-gone, as CUDA_VISIBLE_DEVICES names "
       "it\n"},
      {"", "gpus granted", "SLURM_GPUS_ON_NODE=9",
       "fault n1 GPUs that the job was granted: SLURM_GPUS_ON_NODE=9; 9 GPUs, as SLURM_GPUS_ON_NODE=9\n"},
      {gpu, "ecc uncorrected", "1", "fault n1:GPU 0000:13:00.0 ECC errors not corrected since boot: 1; 0\n"},
      {gpu, "ecc uncorrected", "0", ""},
      {gpu, "row remap failed", "yes", "fault n1:GPU 0000:13:00.0 row remap failed: yes; no\n"},
      {gpu, "row remap pending", "yes", "warning n1:GPU 0000:13:00.0 row remap pending: yes; no\n"},
      {gpu, "row remap pending", "no", ""},
      {gpu, "clocks held by", "HW thermal slowdown",
       "fault n1:GPU 0000:13:00.0 clocks are throttled by: HW thermal slowdown; nothing\n", Condition::throttled_by_heat},
      {gpu, "clocks held by", "SW power cap",
       "warning n1:GPU 0000:13:00.0 clocks are throttled by: SW power cap; nothing before any work\n",
       Condition::throttled_by_power},
      {gpu, "clocks held by", "idleness", ""},
      {gpu, "persistence", "off", "warning n1:GPU 0000:13:00.0 persistence mode: off; on\n", Condition::off},
      {gpu, "mig", "on, and off after a reset", "warning n1:GPU 0000:13:00.0 MIG: on, and off after a reset; off\n",
       Condition::on},
      {gpu, "compute mode", "prohibited", "fault n1:GPU 0000:13:00.0 compute mode: prohibited; default\n"},
      {gpu, "xid", "31 (2 times), 79: off the bus",
       "fault n1:GPU 0000:13:00.0 Xid since boot: 31 (2 times), 79: off the bus; none\n", Condition::gpu_broken},
      {gpu, "xid", "31 (79 times): x", "note n1:GPU 0000:13:00.0 Xid since boot: 31 (79 times): x; none\n", Condition::gpu_error},
      {"", "xid", "none", ""},
      {"PCIe 0000:01:00.0", "acs", "redirects (control 0x1d)",
       "warning n1:PCIe 0000:01:00.0 PCIe ACS: redirects (control 0x1d); redirects nothing\n", Condition::redirects},
      {"PCIe 0000:01:00.0", "acs", "redirects nothing", ""},
      {"PCIe 0000:01:00.0", "aer fatal", "2", "fault n1:PCIe 0000:01:00.0 PCIe errors, fatal: 2; 0\n"},
      {"eth0", "carrier changes", "10", "warning n1:eth0 carrier changes: 10; fewer than 10 a day\n"},
      {"eth0", "carrier changes", "9", ""},
  };
  for (const Case& it : cases) {
    INFO(it.name << " " << it.value);
    CHECK(with(it) == it.expected);
  }
}

TEST_CASE("rules look at what else the host has") {
  HostFacts facts = host("n1");
  set(facts, "", "memlock", "8 MiB");
  set(facts, "", "may lock memory", "yes");
  CHECK(brief(rules(facts)) == "");
  set(facts, "", "may lock memory", "no");
  set(facts, "", "rdma devices", "0");
  CHECK(brief(rules(facts)) == "");
  facts = host("n1");
  set(facts, "", "governor", "powersave");
  set(facts, "", "frequency driver", "intel_pstate");
  CHECK(brief(rules(facts)) == "");
  set(facts, "", "nvidia_peermem", "not loaded");
  set(facts, "", "dmabuf", "possible");
  CHECK(brief(rules(facts)) == "");
  set(facts, "mlx5_0/1", "link layer", "InfiniBand");
  set(facts, "mlx5_0/1", "gid types", "IB/RoCE v1");
  CHECK(brief(rules(facts)) == "");
  set(facts, "mlx5_0/1", "link layer", "Ethernet");
  CHECK(brief(rules(facts)) == "warning n1:mlx5_0/1 GID types: IB/RoCE v1; RoCE v2 among them\n");
}

TEST_CASE("a source that did not answer, and what topo check finds, are among the differences") {
  HostFacts facts = host("n1");
  facts.facts.push_back({"gpus", "reading", "", "nvmlInit_v2 did not return within 3 s"});
  facts.remarks.push_back({"pcie-width", "mlx5_0", topo::Severity::fault, "the link runs x8", "x16", "half is lost", "Reseat"});
  CHECK(brief(rules(facts)) ==
        "warning n1:gpus reading: nvmlInit_v2 did not return within 3 s; an answer within seconds\n"
        "fault n1:mlx5_0 pcie-width: the link runs x8; x16\n");
}

TEST_CASE("differences say what they are about, whatever their words are") {
  const auto area = [](const char* subject, const char* name, const char* value) {
    HostFacts facts = host("n1");
    set(facts, subject, name, value);
    const std::vector<Difference> found = rules(facts);
    REQUIRE(found.size() == 1);
    return found.front().area;
  };
  CHECK(area(gpu, "row remap failed", "yes") == Area::gpu);
  CHECK(area("PCIe 0000:01:00.0", "aer fatal", "2") == Area::pcie);
  CHECK(area("", "memlock", "8 MiB") == Area::setting);
  std::vector<HostFacts> hosts = fleet(4);
  set(hosts[1], "eth0", "state", "down");
  const std::vector<Difference> found = judge(hosts).differences;
  REQUIRE(found.size() == 1);
  CHECK(found.front().area == Area::link);
}
