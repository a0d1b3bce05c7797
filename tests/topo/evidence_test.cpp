// Evidence: live, stored, read back; files that cannot be read or must not be written.
#include "topo/read/sources.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/evidence/files.hpp"
#include "topo/read/build.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;

TEST_CASE("this machine has processors and memory and reads back as the same graph") {
  const Scratch scratch;
  const topo::Evidence live = topo::collect({});
  const topo::Graph graph = topo::build(live);
  CHECK(inconsistency(graph) == "");
  REQUIRE(!graph.nodes.empty());
  CHECK(graph.nodes.front().key == "machine");
  CHECK(topo::number_of(graph.nodes.front().attributes, "threads") > 0);
  CHECK(topo::number_of(graph.nodes.front().attributes, "memory_bytes") > 0);

  const auto folder = scratch.path() / "kept" / "here";
  const auto written = topo::save(live, folder);
  REQUIRE(written.size() == live.size());
  CHECK(written[0] == folder / "hwloc.xml");
  CHECK(topo::to_json(topo::build(topo::read_evidence(folder))) == topo::to_json(graph));
  if (live.size() == 1) CHECK(topo::to_json(topo::build(topo::read_evidence(written[0]))) == topo::to_json(graph));
  CHECK(scratch.entries() == 2 + live.size());  // two folders and the files: nothing is left aside
}

TEST_CASE("every source gives a reading of this machine or a reason") {
  std::vector<topo::Silence> silent;
  const topo::Evidence live = topo::collect({}, &silent);
  for (const topo::Silence& it : silent) {
    INFO(it.source);
    CHECK(it.reason != "");
    for (const topo::Reading& reading : live) CHECK(reading.source != it.source);
  }
  for (const topo::Reading& reading : live) CHECK(reading.text != "");
}

TEST_CASE("a folder that has a topology keeps it") {
  const Scratch scratch;
  fill(scratch.path() / "hwloc.xml", "mine");
  const topo::Evidence evidence = topo::read_evidence(machine_file("laptop.xml"));
  CHECK(sentence([&] { (void)topo::save(evidence, scratch.path()); }) ==
        (scratch.path() / "hwloc.xml").string() + ": a topology is stored there already; name another folder");
  CHECK(contents(scratch.path() / "hwloc.xml") == "mine");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("a folder that cannot be made is one sentence") {
  const Scratch scratch;
  fill(scratch.path() / "file", "");
  const topo::Evidence evidence = topo::read_evidence(machine_file("laptop.xml"));
  CHECK_THAT(sentence([&] { (void)topo::save(evidence, scratch.path() / "file" / "folder"); }),
             ContainsSubstring("cannot make this folder: Not a directory"));
  CHECK(scratch.entries() == 1);
}

TEST_CASE("sources that are no topology: one sentence with the path") {
  const Scratch scratch;
  const auto said = [](const std::filesystem::path& path) { return sentence([&] { (void)topo::read_evidence(path); }); };
  const auto at = [&](const char* name) { return scratch.path() / name; };
  CHECK(said(at("absent")) == at("absent").string() + ": No such file or directory");
  CHECK(said(scratch.path()).starts_with(scratch.path().string() + ": this folder holds no topology (hwloc.xml"));
  CHECK(said(scratch.path()).ends_with("); `railgauge topo --save DIR` makes one"));
  fill(at("empty"), "");
  CHECK(said(at("empty")) == at("empty").string() + ": the file is empty");
  fill(at("garbage"), std::string("\x7f"
                                  "ELF\0\1\2\3",
                                  8));
  CHECK(said(at("garbage")) == at("garbage").string() + ":1: this is no text: it has a zero byte");
  fill(at("prose"), "A topology is here.\n");
  CHECK_THAT(said(at("prose")), ContainsSubstring(at("prose").string() + ": this is no topology that railgauge reads"));
  std::filesystem::create_directories(at("odd") / "hwloc.xml");
  CHECK(said(at("odd")) == (at("odd") / "hwloc.xml").string() + ": Is a directory");
  REQUIRE(::mkfifo(at("pipe").c_str(), 0600) == 0);
  CHECK(said(at("pipe")) == at("pipe").string() + ": not a regular file");
}

TEST_CASE("a file without permission is one sentence") {
  if (::geteuid() == 0) skip("root may read every file");
  const Scratch scratch;
  const auto path = scratch.path() / "secret.xml";
  fill(path, "<topology/>");
  REQUIRE(::chmod(path.c_str(), 0) == 0);
  CHECK(sentence([&] { (void)topo::read_evidence(path); }) == path.string() + ": Permission denied");
}

TEST_CASE("a file that grows past the limit is refused and not swallowed", "[long]") {
  const Scratch scratch;
  const auto path = scratch.path() / "huge.xml";
  fill(path, "<topology>");
  REQUIRE(::truncate(path.c_str(), static_cast<off_t>(topo::largest_file) + 1) == 0);
  CHECK(sentence([&] { (void)topo::read_evidence(path); }) == path.string() + ": larger than 256 MiB, and no more is read");
}

TEST_CASE("a new file is whole and readable by others and never overwrites") {
  const Scratch scratch;
  const auto path = scratch.path() / "out.json";
  topo::write_new_file(path, "one");
  CHECK(contents(path) == "one");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK((std::filesystem::status(path).permissions() & std::filesystem::perms::all) ==
        static_cast<std::filesystem::perms>(0666 & ~mask));
  CHECK_THAT(sentence([&] { topo::write_new_file(path, "two"); }), ContainsSubstring("out.json: exists already"));
  CHECK(contents(path) == "one");
  std::filesystem::create_symlink("absent", scratch.path() / "dangling");
  CHECK_THAT(sentence([&] { topo::write_new_file(scratch.path() / "dangling", "x"); }), ContainsSubstring("exists already"));
  CHECK_THAT(sentence([&] { topo::write_new_file(scratch.path() / "no" / "out", "x"); }),
             ContainsSubstring("cannot write: No such file or directory"));
  CHECK(scratch.entries() == 2);
}

TEST_CASE("a root without a recorded machine is one sentence") {
  const Scratch scratch;
  CHECK(sentence([&] { (void)topo::collect(scratch.path()); }) ==
        scratch.path().string() + ": no recorded machine is there: it has no folder sys");
}
