// Pictures of algorithms: each message is one arrow, time goes from left to right, and what is stuck or wrong is marked.
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/schedule/picture/draw.hpp"
#include "bench/schedule/proof/counts.hpp"
#include "bench/schedule/read/read.hpp"
#include "tests/schedule/programs.hpp"
#include "tests/schedule/shapes.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;
using picture::Item;
using picture::Picture;
using picture::Sort;

namespace {

std::size_t count_of(const Picture& drawn, Sort sort) {
  return static_cast<std::size_t>(
      std::count_if(drawn.items.begin(), drawn.items.end(), [&](const Item& item) { return item.sort == sort; }));
}

std::size_t messages_in(const Picture& drawn) { return count_of(drawn, Sort::stored) + count_of(drawn, Sort::reduced); }

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

ScheduleFile of_catalog(Collective collective, const char* name, std::int32_t ranks) {
  return {collective, 0, build_all(*find_algorithm(collective, name), {ranks, 0, 0, 1})};
}

// What holds in every picture; empty where it does.
std::string broken(const Picture& drawn) {
  std::set<std::pair<std::int32_t, double>> lanes;
  for (const picture::Lane& lane : drawn.lanes) lanes.insert({lane.rank, lane.y});
  for (const Item& item : drawn.items) {
    for (const picture::Point& end : {item.from, item.to})
      if (end.x < 0 || end.x > drawn.width || end.y < 0 || end.y > drawn.height)
        return item.title + " reaches out of the picture";
    if (!lanes.contains({item.rank, item.from.y}) && item.sort != Sort::signal)
      return item.title + " begins on no lane of its rank";
    if (item.lost || item.sort == Sort::waits) continue;
    if (!lanes.contains({item.peer, item.to.y})) return item.title + " ends on no lane of its rank";
    if (item.to.x < item.from.x) return item.title + " goes back in time";
    if ((item.sort == Sort::stored || item.sort == Sort::reduced) && item.to.x <= item.from.x)
      return item.title + " takes no time";
  }
  for (std::size_t i = 1; i < drawn.columns.size(); ++i)
    if (drawn.columns[i].left < drawn.columns[i - 1].left + drawn.columns[i - 1].width - 0.01) return "columns overlap";
  for (std::size_t i = 1; i < drawn.bands.size(); ++i)
    if (drawn.bands[i].top < drawn.bands[i - 1].bottom) return "bands overlap";
  return "";
}

std::string sentence_of(const auto& act) {
  try {
    act();
  } catch (const Error& error) { return error.what(); }
  return "";
}

const std::vector<std::string> no_findings;

}  // namespace

TEST_CASE("an all-reduce of 8 ranks as a ring: an arrow a message, a column a round") {
  const Picture drawn = picture::picture_of(of_catalog(Collective::all_reduce, "ring", 8), no_findings, {"ring"});
  CHECK(broken(drawn) == "");
  CHECK(drawn.bands.size() == 8);
  CHECK(drawn.columns.size() == 14);
  CHECK(std::string(drawn.column_word) == "round");
  CHECK(count_of(drawn, Sort::reduced) == 56);
  CHECK(count_of(drawn, Sort::stored) == 56);
  CHECK(count_of(drawn, Sort::reduce) == 56);
  std::map<std::string, std::size_t> words;
  for (const Item& item : drawn.items)
    if (!item.label.empty()) ++words[item.label];
  CHECK(words.size() == 8);  // each block travels
  CHECK(std::all_of(words.begin(), words.end(), [](const auto& it) { return it.second == 14; }));
}

TEST_CASE("every algorithm of the catalog has a picture with each of its messages") {
  for (const Algorithm& algorithm : catalog())
    for (const std::int32_t ranks : {2, 3, 4, 7, 8, 16}) {
      const Shape shape{ranks, 0, 0, 1};
      if (!algorithm.why_not(shape).empty()) continue;
      INFO(name(algorithm.collective) << " " << algorithm.name << " of " << ranks);
      const ScheduleFile file{algorithm.collective, 0, build_all(algorithm, shape)};
      std::size_t sent = 0, locals = 0;
      for (const Schedule& schedule : file.ranks)
        for (const Round& round : schedule.rounds) {
          locals += round.locals.size();
          sent += static_cast<std::size_t>(std::count_if(round.transfers.begin(), round.transfers.end(),
                                                         [](const Transfer& it) { return it.kind == Transfer::Kind::send; }));
        }
      const Picture drawn = picture::picture_of(file, no_findings, {"it", true, 1U << 20U, {}, {}});
      CHECK(broken(drawn) == "");
      CHECK(messages_in(drawn) == sent);
      CHECK(count_of(drawn, Sort::copy) + count_of(drawn, Sort::reduce) == locals);
      CHECK(count(file.collective, 0, file.ranks).messages == sent);
    }
}

TEST_CASE("counts of schedules are those of their programs' formulas") {
  const auto counted = [](Collective collective, const char* name, std::int32_t ranks) {
    const ScheduleFile file = of_catalog(collective, name, ranks);
    return count(collective, 0, file.ranks);
  };
  const Counts ring = counted(Collective::all_reduce, "ring", 8);
  CHECK(ring.rounds == 14);
  CHECK(ring.links.size() == 8);
  CHECK(ring.least_rounds == 3);  // to one peer: doubling
  CHECK_THAT(static_cast<double>(ring.busiest) / static_cast<double>(ring.whole), WithinAbs(1.75, 1e-12));
  CHECK_THAT(ring.least_share, WithinAbs(1.75, 1e-12));
  const Counts direct = counted(Collective::all_to_all, "direct", 6);
  CHECK(direct.rounds == 1);
  CHECK(direct.least_rounds == 1);
  CHECK(direct.links.size() == 30);
  CHECK_THAT(static_cast<double>(direct.busiest) / static_cast<double>(direct.whole), WithinAbs(5.0 / 6, 1e-12));
  const Counts tree = counted(Collective::broadcast, "binomial", 8);
  CHECK(tree.rounds == 3);
  CHECK(tree.links.size() == 7);
  CHECK(!has_bounds(Collective::incast));
  CHECK(counted(Collective::incast, "direct", 4).messages == 3);
}

TEST_CASE("schedules that wait for each other stop in the picture, and what is never received is an arrow that ends between") {
  ScheduleFile file = of_catalog(Collective::all_gather, "direct", 3);
  for (Schedule& schedule : file.ranks) {  // everybody receives before sending
    Round receives, sends;
    for (const Transfer& it : schedule.rounds.front().transfers)
      (it.kind == Transfer::Kind::send ? sends : receives).transfers.push_back(it);
    schedule.rounds = {receives, sends};
  }
  const Picture drawn = picture::picture_of(file, {"it is stuck"}, {"it"});
  CHECK(broken(drawn) == "");
  CHECK(std::all_of(drawn.lanes.begin(), drawn.lanes.end(), [](const picture::Lane& lane) { return lane.stuck; }));
  CHECK(count_of(drawn, Sort::waits) == 3);
  CHECK(messages_in(drawn) == 0);
  CHECK_THAT(drawn.lanes[0].why, ContainsSubstring("rank 0, round 0 waits for rank "));
  CHECK_THAT(picture::draw_svg(drawn), ContainsSubstring("1. it is stuck"));
  ScheduleFile lost = of_catalog(Collective::all_gather, "ring", 2);
  std::erase_if(lost.ranks[1].rounds[0].transfers, [](const Transfer& it) { return it.kind == Transfer::Kind::receive; });
  const Picture other = picture::picture_of(lost, {"one end"}, {"it"});
  CHECK(broken(other) == "");
  CHECK(std::count_if(other.items.begin(), other.items.end(), [](const Item& item) { return item.lost; }) == 1);
}

TEST_CASE("programs of thread blocks have a lane for each, and an arrow for each message") {
  for (std::int32_t ranks = 2; ranks <= 8; ++ranks)
    for (Program& program : right_programs(ranks)) {
      INFO(program.name << " of " << ranks);
      const Picture drawn = picture::picture_of(program, prove(program), {"it", true, 0, {}, {}});
      const Counts counts = count(program);
      CHECK(broken(drawn) == "");
      CHECK(drawn.lanes.size() == counts.thread_blocks);
      CHECK(messages_in(drawn) == counts.messages);
      CHECK(std::none_of(drawn.lanes.begin(), drawn.lanes.end(), [](const picture::Lane& lane) { return lane.stuck; }));
    }
}

TEST_CASE("a program that is broken has a picture that says where") {
  std::mt19937 random(7);
  std::size_t stuck = 0, marked = 0;
  for (int turn = 0; turn < 150; ++turn) {
    std::vector<Program> programs = right_programs(2 + turn % 4);
    Program& program = programs[static_cast<std::size_t>(turn) % programs.size()];
    const std::string what = mutate(program, random);
    if (what.empty()) continue;
    try {
      check_program(program, "it");
    } catch (const Error&) { continue; }
    INFO(what << " in " << program.name);
    const Proof proof = prove(program);
    const Picture drawn = picture::picture_of(program, proof, {"it", true, 0, {}, {}});
    CHECK(broken(drawn) == "");
    CHECK(drawn.findings.size() == proof.findings.size());
    if (std::any_of(drawn.lanes.begin(), drawn.lanes.end(), [](const picture::Lane& lane) { return lane.stuck; })) {
      ++stuck;
      CHECK(!proof.right());
    }
    if (std::any_of(drawn.items.begin(), drawn.items.end(), [](const Item& item) { return item.wrong != 0; })) ++marked;
  }
  CHECK(stuck > 10);
  CHECK(marked > 10);
}

TEST_CASE("published files have pictures") {
  const std::filesystem::path folder = std::filesystem::path(RAILGAUGE_FIXTURES) / "algorithms";
  std::error_code absent;
  if (!std::filesystem::is_directory(folder, absent)) skip("there are no published algorithms at " + folder.string());
  std::size_t drawn_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (path.find("nvls") != std::string::npos || path.find("stale") != std::string::npos || path.ends_with(".tsv")) continue;
    INFO(path);
    const Program program = read_algorithm(path);
    const Picture drawn = picture::picture_of(program, prove(program), {path, true, 0, {}, {}});
    CHECK(broken(drawn) == "");
    const bool deadlock = path.find("deadlock") != std::string::npos;
    CHECK(std::any_of(drawn.lanes.begin(), drawn.lanes.end(), [](const picture::Lane& lane) { return lane.stuck; }) == deadlock);
    if (program.format == AlgorithmFormat::msccl && !deadlock) CHECK(messages_in(drawn) == count(program).messages);
    if (deadlock) CHECK(count_of(drawn, Sort::waits) >= 2);
    ++drawn_files;
  }
  CHECK(drawn_files > 20);
}

TEST_CASE("a message is reduced where a reduction takes any of the slots that it is received in") {
  for (const std::uint32_t slot : {0U, 1U, 2U}) {
    ScheduleFile file{Collective::all_reduce, 0, std::vector<Schedule>(2)};
    for (Schedule& schedule : file.ranks) {
      schedule.blocks = 2;
      schedule.slots = 3;
      schedule.rounds.resize(1);
    }
    file.ranks[1].rounds[0].transfers = {{Transfer::Kind::send, 0, {Buffer::input, 0, 2, 0}}};
    file.ranks[0].rounds[0].transfers = {{Transfer::Kind::receive, 1, {Buffer::scratch, 0, 2, 0}}};
    file.ranks[0].rounds[0].locals = {{Local::Kind::reduce, {Buffer::scratch, 1, 1, slot}, {Buffer::output, 1, 1, 0}}};
    const Picture drawn = picture::picture_of(file, no_findings, {"it"});
    CHECK(count_of(drawn, Sort::reduced) == (slot < 2 ? 1 : 0));
  }
}

TEST_CASE("an SVG has a shape for each item and escapes what a file calls itself, and a page has the data of each") {
  const Picture drawn = picture::picture_of(of_catalog(Collective::all_reduce, "ring", 4), no_findings,
                                            {"<script>\"&\x01.jsonl", true, 4096, {}, {"A <b>note</b>."}});
  const std::string svg = picture::draw_svg(drawn);
  CHECK(occurrences(svg, "<path d=") > drawn.items.size());
  CHECK(svg.find("<script>") == std::string::npos);
  CHECK_THAT(svg, ContainsSubstring("&lt;script&gt;"));
  // No line begins within a character.
  for (const std::string before : {"", "x"}) {
    std::string name = before;
    for (int i = 0; i < 200; ++i) name += "\xC3\xA9";
    Picture named = drawn;
    named.title = name;
    CHECK(picture::draw_svg(named).find(">\xA9") == std::string::npos);
  }
  const std::string page = picture::draw_page(drawn);
  CHECK(page.find("<script>\"") == std::string::npos);
  CHECK(page.find("<b>note") == std::string::npos);
  const std::string before = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(before) + before.size();
  const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  REQUIRE(data["items"].size() == drawn.items.size());
  CHECK(data["items"][0].size() == 9);
  for (const auto& item : data["items"])
    for (const auto& number : item[8]) CHECK(number.get<std::size_t>() < data["words"].size());
  CHECK_THAT(data["words"].dump(), ContainsSubstring("\"0.25 S (1 KiB)\""));
  CHECK_THAT(data["words"].dump(), ContainsSubstring("rank 0, round 0 (line 2): input "));
}

TEST_CASE("a picture that nobody could read is refused") {
  const auto sentence =
      sentence_of([] { (void)picture::picture_of(of_catalog(Collective::all_gather, "direct", 300), no_findings, {"direct"}); });
  CHECK_THAT(sentence, ContainsSubstring("direct: a picture of "));
}
