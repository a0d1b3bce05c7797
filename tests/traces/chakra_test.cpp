// Workloads written as Chakra and read again; what stands in the messages.
#include <map>
#include <string>
#include <vector>

#include "bench/workload/agree.hpp"
#include "bench/workload/matches.hpp"
#include "bench/workload/read/read.hpp"
#include "bench/workload/replay.hpp"
#include "bench/workload/write/chakra.hpp"
#include "tests/test.hpp"
#include "tests/traces/made.hpp"

#include <archive.h>
#include <archive_entry.h>

using namespace railgauge;
using namespace railgauge::test;

namespace {

std::map<std::string, std::string> written(const Workload& workload) {
  std::map<std::string, std::string> files;
  (void)write_chakra(workload, [&](const std::string& suffix, std::string_view bytes) { files["drawn" + suffix] = bytes; });
  return files;
}

std::string tar_of(const std::map<std::string, std::string>& files) {
  std::string packed(std::size_t{4} << 20, '\0');
  std::size_t used = 0;
  archive* const out = archive_write_new();
  archive_write_add_filter_gzip(out);
  archive_write_set_format_ustar(out);
  archive_write_open_memory(out, packed.data(), packed.size(), &used);
  for (const auto& [name, bytes] : files) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_write_header(out, entry);
    archive_write_data(out, bytes.data(), bytes.size());
    archive_entry_free(entry);
  }
  archive_write_free(out);
  packed.resize(used);
  return packed;
}

}  // namespace

TEST_CASE("chakra: a workload that is written and read again is the same") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Workload workload = drawn_workload(seed);
    INFO("seed " << seed << ", " << workload.ranks << " ranks");
    REQUIRE_NOTHROW(expect_agreement(workload));
    const Workload again = read_workload_bytes(tar_of(written(workload)), "drawn");
    CHECK(again.ranks == workload.ranks);
    CHECK(again.steps == workload.steps);
    CHECK(again.items_per_step == workload.items_per_step);
    CHECK(again.item == workload.item);
    CHECK(again.groups == workload.groups);
    REQUIRE(again.nodes.size() == workload.nodes.size());
    for (std::size_t rank = 0; rank < again.nodes.size(); ++rank) {
      REQUIRE(again.nodes[rank].size() == workload.nodes[rank].size());
      for (std::size_t at = 0; at < again.nodes[rank].size(); ++at) {
        INFO("rank " << rank << ", node " << at << " " << workload.nodes[rank][at].name);
        CHECK(again.nodes[rank][at] == workload.nodes[rank][at]);
      }
    }
  }
}

TEST_CASE("chakra: a ring whose ranks all send before they receive ends, as in ASTRA-sim, unless railgauge wrote it") {
  Workload ring;
  ring.name = "ring";
  ring.ranks = 3;
  ring.groups = {{"all", "", {0, 1, 2}}};
  for (int rank = 0; rank < 3; ++rank) {
    std::vector<WorkNode>& nodes = ring.nodes.emplace_back();
    for (std::uint32_t i = 0; i < 6; ++i) {
      WorkNode& node = nodes.emplace_back();
      node.work = i % 2 == 0 ? WorkKind::send : WorkKind::receive;
      node.collective = Collective::send_receive;
      node.name = i % 2 == 0 ? "send" : "receive";
      node.stream = 1 + static_cast<int>(i % 2);
      node.peer = (rank + (i % 2 == 0 ? 1 : 2)) % 3;
      node.elements = 8;
      if (i != 0) node.after = {i - 1};
    }
  }
  const auto ends = [](const Workload& workload) {
    (void)replay(workload, matches_of(workload), {[](int, std::uint32_t) { return 0.0; }, [](const Match&) { return 1.0; }});
  };
  std::map<std::string, std::string> files = written(ring);
  CHECK_THROWS_WITH(ends(read_workload_bytes(tar_of(files), "ring")), ContainsSubstring("hangs"));
  for (auto& [name, bytes] : files)
    if (const std::size_t schema = bytes.find("railgauge-1"); schema != std::string::npos) bytes[schema] = 'x';
  const Workload read = read_workload_bytes(tar_of(files), "ring");
  CHECK_NOTHROW(ends(read));
  REQUIRE(read.nodes[1].size() == 6);
  CHECK(read.nodes[1][2].after == std::vector<std::uint32_t>{1});  // a send behind a receive waits for it
  CHECK(read.nodes[1][3].after == std::vector<std::uint32_t>{1});  // and what stands behind the send does so too
}

TEST_CASE("chakra: what ASTRA-sim does not run is told") {
  Workload workload;
  workload.name = "w";
  workload.ranks = 1;
  workload.groups = {{"all", "", {0}}};
  WorkNode node;
  node.work = WorkKind::collective;
  node.collective = Collective::gather;
  workload.nodes = {{node}};
  const auto none = [](const std::string&, std::string_view) {};
  CHECK(write_chakra(workload, none) == std::vector<std::string>{"ASTRA-sim does not run gather"});
  node.collective = Collective::all_reduce;
  workload.nodes = {{node}};
  CHECK(write_chakra(workload, none).empty());
}
