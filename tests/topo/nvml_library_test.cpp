#include "tests/thorough.hpp"
#include "tests/topo/nvml_test_cases.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::test::nvml_cases;

TEST_CASE("NVML: an old library lacks functions, which is a line and no error") {
  for (const std::string& name : machines) {
    INFO(name);
    const std::string text = collected(described(name), old_library);
    const auto json = nlohmann::json::parse(text);
    const auto absent = json["absent"].get<std::vector<std::string>>();
    CHECK(std::find(absent.begin(), absent.end(), "nvmlDeviceGetGpuFabricInfoV") != absent.end());
    CHECK(!json.contains("fault"));
    const topo::Graph graph = graph_in(text);
    const topo::Graph newer = graph_in(contents(machine_file(name) / "nvml.json"));
    CHECK(inconsistency(graph) == "");
    CHECK(count(graph, topo::Kind::gpu) == count(newer, topo::Kind::gpu));
    CHECK(links(graph, topo::LinkKind::nvlink) == links(newer, topo::LinkKind::nvlink));
    CHECK(links(graph, topo::LinkKind::pcie, topo::LinkState::low) == links(newer, topo::LinkKind::pcie, topo::LinkState::low));
  }
}

TEST_CASE("NVML: a library that refuses everything") {
  for (const int code : {2, 999, 3, 15}) {
    if (sanitized && code != 2) break;
    const Changed all("dgx_h100", fmt::format("system fail * {}", code));
    const std::string init = collected(all.path());
    CHECK_THAT(init, ContainsSubstring("\"fault\": \"nvmlInit_v2: "));
    CHECK(graph_in(init).nodes.size() == 1);
    for (const char* function : {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetNvLinkState",
                                 "nvmlDeviceGetFieldValues", "nvmlDeviceGetCurrPcieLinkGeneration"}) {
      INFO(function << " " << code);
      const Changed one("dgx_h100", fmt::format("system fail {} {}", function, code));
      const std::string text = collected(one.path());
      CHECK_THAT(text, ContainsSubstring(fmt::format("\"{}\":{}", function, code)));
      const topo::Graph graph = graph_in(text);
      CHECK(inconsistency(graph) == "");
      CHECK(count(graph, topo::Kind::gpu) == 8);
    }
  }
  CHECK_THAT(collected("/absent/at/all"), ContainsSubstring("unknown error"));
}

TEST_CASE("NVML: a library that answers garbage", "[long]") {
  for (const std::string name : {"dgx_h100", "gb200_tray"}) {  // each asks about 65,536 pairs of GPUs
    INFO(name);
    const Changed broken(name,
                         "system garbage\nsystem count 4000000000\ngpu * field 91 4294967295\ngpu * field 170 4294967295\n"
                         "gpu * mig 1\ngpu 0 part 1 1 x");
    const std::string text = collected(broken.path());
    CHECK_THAT(text, ContainsSubstring("4000000000 GPUs, of which 256 were asked"));
    const topo::Graph graph = graph_in(text);
    CHECK(inconsistency(graph) == "");
    CHECK(count(graph, topo::Kind::gpu) == 256);
    CHECK(!topo::to_json(graph).empty());
  }
}

TEST_CASE("NVML: a driver that hangs does not hang the program, and what it said before is kept", "[long]") {
  constexpr topo::Patience short_patience{std::chrono::milliseconds(800), std::chrono::minutes(5)};
  struct Row {
    const char* function;
    const char* where;
    std::size_t gpus;
  };
  for (const Row& row :
       {Row{"nvmlInit_v2", "nvmlInit_v2", 0}, Row{"nvmlDeviceGetSerial", "nvmlDeviceGetSerial of GPU 0", 0},
        Row{"nvmlDeviceGetP2PStatus", "nvmlDeviceGetP2PStatus of GPUs 0 and 1", 8}, Row{"nvmlShutdown", "nvmlShutdown", 8}}) {
    const Changed hanging("dgx_a100", fmt::format("system hang {}", row.function));
    const std::string text = collected(hanging.path(), library, short_patience);
    CHECK_THAT(text, ContainsSubstring(fmt::format("\"fault\": \"{} did not return within 0.8 s\"", row.where)));
    const topo::Graph graph = graph_in(text);
    CHECK(count(graph, topo::Kind::gpu) == row.gpus);
    CHECK_THAT(text_at(graph, "machine", "nvml_fault"), ContainsSubstring(row.where));
  }
}

TEST_CASE("NVML: a driver that crashes does not end the program") {
  const Changed crashing("dgx_a100", "system crash nvmlDeviceGetNvLinkState");
  const std::string text = collected(crashing.path());
  CHECK_THAT(text, ContainsSubstring("\"fault\": \"Segmentation fault in nvmlDeviceGetNvLinkState of GPU 0 link 0\""));
  CHECK(graph_in(text).nodes.size() == 1);
}

TEST_CASE("NVML: no library is no error and has a reason") {
  const topo::Taken absent = topo::read_nvml_library("libnvidia-ml-that-is-not-there.so.1", patient);
  CHECK(absent.text == "");
  CHECK(absent.reason == "libnvidia-ml-that-is-not-there.so.1: cannot open shared object file: No such file or directory");
  const topo::Taken other = topo::read_nvml_library("libc.so.6", patient);
  CHECK(other.text == "");
  CHECK_THAT(other.reason, ContainsSubstring("libc.so.6: no nvmlInit_v2"));
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path() / "sys");
  CHECK(topo::collect_nvml(scratch.path()).text == "");
}

TEST_CASE("NVML: folders of hwloc.xml and nvml.json are one machine") {
  struct Row {
    const char* name;
    std::size_t gpus, switches, nics;
    unsigned nvlinks;
  };
  // NICs: grep -c 'osdev_type="3"' hwloc.xml
  for (const Row& row : {Row{"dgx_h100", 8, 4, 12, 144}, Row{"dgx_a100", 8, 6, 12, 96}, Row{"gb200_tray", 4, 1, 8, 72}}) {
    INFO(row.name);
    const topo::Graph graph = topo::build(topo::read_evidence(machine_file(row.name)));
    CHECK(inconsistency(graph) == "");
    CHECK(count(graph, topo::Kind::gpu) == row.gpus);
    CHECK(count(graph, topo::Kind::nvswitch) == row.switches);
    CHECK(count(graph, topo::Kind::nic) == row.nics);
    CHECK(links(graph, topo::LinkKind::nvlink) == row.nvlinks);
    for (const topo::Node& gpu : graph.nodes) {
      if (gpu.kind != topo::Kind::gpu) continue;
      INFO(gpu.key);
      CHECK(gpu.provenance == topo::Provenance{"hwloc", "nvml"});
      unsigned up = 0;
      for (const topo::Link& it : links_of(graph, gpu.key, topo::LinkKind::pcie)) {
        ++up;
        CHECK(it.a == gpu.parent);
        CHECK(it.bandwidth.line > 0);
        CHECK(it.provenance == topo::Provenance{"hwloc", "nvml"});
      }
      CHECK(up == 1);
    }
    check_recorded(machine_file(row.name) / "tree.txt", topo::to_text(graph));
  }
}
