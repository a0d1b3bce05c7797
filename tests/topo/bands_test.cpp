// The table of bands: what is built in can be read, and what is no table is one sentence.
#include "topo/expect/bands.hpp"

#include <random>
#include <string>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/gpu_models.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

const std::string heading = "collective,algorithm,generation,limit,domains,gpus,least,most,size,sources\n";
const std::string line = "all_reduce,ring,Hopper,inside,1,4-8,0.7,0.8,8 GB,\"one; another\"\n";

std::string said(const std::string& text) {
  return sentence([&] { (void)read_bands(text, "b.csv"); });
}

}  // namespace

TEST_CASE("bands: the rows that are built in have sources, and no ceiling answers to two of them") {
  const std::vector<Band> all = bands();
  CHECK(all.size() > 20);
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO("row " << i + 2);
    CHECK_FALSE(all[i].sources.empty());
    CHECK(all[i].most < 1);
    for (const Limit limit : all[i].limits) {
      const std::string generation = all[i].generation == "*" ? "Ampere" : all[i].generation;
      CHECK(find_band(all, all[i].collective, all[i].algorithm, generation, limit, all[i].domains.most, all[i].gpus.most) ==
            &all[i]);
    }
    CHECK(find_band(all, all[i].collective, all[i].algorithm, "", all[i].limits.front(), all[i].domains.least,
                    all[i].gpus.least) == nullptr);
  }
}

TEST_CASE("bands: a row is found by each of its conditions") {
  const std::vector<Band> all = read_bands(heading + line, "b.csv");
  REQUIRE(all.size() == 1);
  CHECK(all[0].sources == std::vector<std::string>{"one", "another"});
  const auto found = [&](Collective collective, const char* algorithm, const char* generation, Limit limit, unsigned domains,
                         unsigned gpus) {
    return find_band(all, collective, algorithm, generation, limit, domains, gpus) != nullptr;
  };
  CHECK(found(Collective::all_reduce, "ring", "Hopper", Limit::inside, 1, 4));
  CHECK(found(Collective::all_reduce, "ring", "Hopper", Limit::inside, 1, 8));
  CHECK_FALSE(found(Collective::all_gather, "ring", "Hopper", Limit::inside, 1, 8));
  CHECK_FALSE(found(Collective::all_reduce, "nvls", "Hopper", Limit::inside, 1, 8));
  CHECK_FALSE(found(Collective::all_reduce, "ring", "Ampere", Limit::inside, 1, 8));
  CHECK_FALSE(found(Collective::all_reduce, "ring", "Hopper", Limit::network, 1, 8));
  CHECK_FALSE(found(Collective::all_reduce, "ring", "Hopper", Limit::inside, 2, 8));
  CHECK_FALSE(found(Collective::all_reduce, "ring", "Hopper", Limit::inside, 1, 9));
}

TEST_CASE("bands: what is no table is refused with its line") {
  CHECK(said("") == "b.csv:1: the heading " + heading.substr(0, heading.size() - 1) + " was expected");
  CHECK(said("a,b\n").starts_with("b.csv:1: the heading"));
  CHECK(said(heading + "all_reduce,ring\n") == "b.csv:2: 10 fields were expected, and there are 2");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = line;
    text.replace(text.find(from), from.size(), to);
    return said(heading + line + text);
  };
  CHECK(with("all_reduce", "all\x1b") == "b.csv:3: \"all?\" is no collective");
  CHECK(with("inside", "outside") == "b.csv:3: \"outside\" is neither inside nor network nor *");
  CHECK(with("4-8", "8-4") == "b.csv:3: \"8-4\" is no count, as 8 or 4-8 is");
  CHECK(with("4-8", "99999999999999999999").starts_with("b.csv:3: \"99999"));
  CHECK(with("0.7", "1.7") == "b.csv:3: \"1.7\" is no share of a ceiling, above 0 and at most 1");
  CHECK(with("0.7", "nan").starts_with("b.csv:3: \"nan\" is no share"));
  CHECK(with("0.7", "0.9") == "b.csv:3: the band ends below its beginning");
  CHECK(with("another\"", "another") == "b.csv:3: expected a closing quote (\") before the file ends");
  CHECK(with("\"one; another\"", "") == "b.csv:3: field 10 is empty");
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text = heading + line + line;
    text.resize(random() % (text.size() + 1));
    for (int changes = 0; changes < 3 && !text.empty(); ++changes)
      text[random() % text.size()] = "0,-;\"\n*.a\xff"[random() % 10];
    INFO(text);
    const std::string told = said(text);
    CHECK((told == "no error" || told.starts_with("b.csv:")));
  }
}

TEST_CASE("models: names and compute capabilities say generation and links") {
  const auto model = [](const std::string& name, const std::string& capability = {}) {
    Node gpu;
    gpu.name = name;
    if (!capability.empty()) gpu.attributes["compute_capability"] = capability;
    return gpu_model(gpu);
  };
  CHECK(model("NVIDIA H100 80GB HBM3").links == GpuLinks::always);
  CHECK(model("NVIDIA H100 80GB HBM3").multicast);
  CHECK(model("NVIDIA H100 PCIe").links == GpuLinks::some);
  CHECK(model("NVIDIA H200 NVL").links == GpuLinks::some);
  CHECK(model("NVIDIA A100-SXM4-80GB").links == GpuLinks::always);
  CHECK(model("NVIDIA A100-SXM4-80GB").generation == "Ampere");
  CHECK(model("NVIDIA A10G").links == GpuLinks::never);
  CHECK(model("NVIDIA L40S").links == GpuLinks::never);
  CHECK(model("Tesla V100-SXM2-16GB").links == GpuLinks::always);
  CHECK(model("Tesla V100-PCIE-16GB").links == GpuLinks::never);
  CHECK(model("NVIDIA GB10").links == GpuLinks::never);
  CHECK(model("NVIDIA GPU sm 90", "9.0").generation == "Hopper");
  CHECK(model("NVIDIA GPU sm 89", "8.9").links == GpuLinks::never);
  CHECK(model("AMD GPU gfx942").link == "xGMI");
  CHECK(model("GPU").links == GpuLinks::unknown);
  CHECK(model("GPU").generation.empty());
}
