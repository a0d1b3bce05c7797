// Every algorithm of the catalog as MSCCL XML and as a plan of MSCCL++: proved, and the same when it is read again.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "base/error.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/schedule/map/map.hpp"
#include "bench/schedule/proof/proof.hpp"
#include "bench/schedule/read/read.hpp"
#include "bench/schedule/show.hpp"
#include "bench/schedule/write/from_schedules.hpp"
#include "bench/schedule/write/msccl_xml.hpp"
#include "bench/schedule/write/mscclpp.hpp"
#include "tests/schedule/plans.hpp"
#include "tests/schedule/programs.hpp"
#include "tests/schedule/shapes.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

constexpr Collective of_msccl[] = {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather,
                                   Collective::broadcast,  Collective::reduce,         Collective::gather,
                                   Collective::scatter,    Collective::all_to_all};

std::string sentences(const Proof& proof) {
  std::string text;
  for (const ProofFinding& it : proof.findings) text += it.sentence + "\n";
  return text;
}

// What both of MSCCL's parsers demand of a file, read from its text alone: msccl_parser.cc of ROCm/rccl, topo.cc of
// microsoft/msccl. The first rule that is broken, or "".
std::string broken_rule(const std::string& text) {
  using Attributes = std::map<std::string, std::string>;
  using End = std::tuple<int, int, int>;
  std::map<End, std::vector<int>> sent, received;
  std::set<std::tuple<int, int, int>> awaited, announced;
  std::map<std::string, int> limits;
  int rank = -1, block = -1, step = -1, ranks = 0;
  Attributes thread_block;
  bool chain = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.find('<');
    const std::string element = line.substr(open + 1, line.find_first_of(" >", open) - open - 1);
    Attributes all;
    for (std::size_t at = line.find(' ', open); at != std::string::npos && line.find('=', at) != std::string::npos;) {
      const std::size_t equals = line.find('=', at), end = line.find('"', equals + 2);
      all[line.substr(at + 1, equals - at - 1)] = line.substr(equals + 2, end - equals - 2);
      at = line.find(' ', end);
    }
    const auto number = [&](const char* key) { return std::stoi(all.at(key)); };
    if (element == "algo") {
      ranks = number("ngpus");
      for (const char* const key :
           {"name", "proto", "nchannels", "nchunksperloop", "coll", "inplace", "outofplace", "minBytes", "maxBytes"})
        if (all.count(key) == 0) return std::string("algo lacks ") + key;
      if (number("inplace") + number("outofplace") == 0) return "nothing can use it";
    } else if (element == "gpu") {
      if (number("id") != ++rank) return "ranks are not numbered from 0";
      block = -1;
      limits = {{"i", number("i_chunks")}, {"o", number("o_chunks")}, {"s", number("s_chunks")}};
    } else if (element == "tb") {
      if (number("id") != ++block) return "thread blocks are not numbered from 0";
      if (number("send") == rank || number("recv") == rank) return "it is its own peer";
      if (number("send") >= ranks || number("recv") >= ranks) return "no such peer";
      thread_block = all;
      step = -1;
      chain = false;
    } else if (element == "step") {
      if (number("s") != ++step) return "steps are not numbered from 0";
      const std::string type = all.at("type");
      const int count = number("cnt");
      if (type != "nop" && (count < 1 || count >= 72)) return "count";
      if (chain && number("depid") < 0) return "a step after nops has no dependency";
      chain = type == "nop";
      for (const auto& [buffer, offset] : {std::pair{"srcbuf", "srcoff"}, {"dstbuf", "dstoff"}})
        if ((type == "cpy" || type == "re" || (type == "s") == (buffer[0] == 's')) && type != "nop" &&
            number(offset) + count > limits.at(all.at(buffer)))
          return "offset and count are beyond the buffer";
      if (type == "s") sent[{rank, std::stoi(thread_block.at("send")), std::stoi(thread_block.at("chan"))}].push_back(count);
      if (type == "r") received[{std::stoi(thread_block.at("recv")), rank, std::stoi(thread_block.at("chan"))}].push_back(count);
      if (number("depid") >= 0) awaited.emplace(rank, number("depid"), number("deps"));
      if (number("hasdep") == 1) announced.emplace(rank, block, step);
    }
  }
  if (sent != received) return "the ends of a connection differ";
  return awaited == announced ? "" : "hasdep is not of those steps that are waited for";
}

// All shapes of the catalog's algorithms that MSCCL can name.
template <class Use>
void each_export(std::int32_t most, const Use& use) {
  for (const Algorithm& algorithm : catalog())
    if (std::find(std::begin(of_msccl), std::end(of_msccl), algorithm.collective) != std::end(of_msccl))
      for (std::int32_t ranks = 2; ranks <= most; ++ranks)
        for (const Shape& shape : shapes_of(algorithm, ranks)) {
          INFO(name(algorithm.collective) << " " << algorithm.name << " of " << ranks << ", root " << shape.root);
          use(shape, algorithm, build_all(algorithm, shape));
        }
}

ProgramRequest request_of(const Algorithm& algorithm) {
  ProgramRequest request;
  request.name = algorithm.name;
  request.collective = algorithm.collective;
  request.in_place = algorithm.in_place;
  return request;
}

// Transfers of a round are in flight together: those between the same ranks alone have an order.
std::vector<Schedule> in_order(std::vector<Schedule> ranks) {
  for (Schedule& schedule : ranks)
    for (Round& round : schedule.rounds)
      std::stable_sort(round.transfers.begin(), round.transfers.end(),
                       [](const Transfer& a, const Transfer& b) { return std::tie(a.kind, a.peer) < std::tie(b.kind, b.peer); });
  return ranks;
}

// The schedules side by side, as far as they differ.
std::string difference(const std::vector<Schedule>& written, const std::vector<Schedule>& read) {
  const std::vector<Schedule> a = in_order(written), b = in_order(read);
  for (std::size_t rank = 0; rank < a.size(); ++rank)
    if (rank >= b.size() || !(a[rank] == b[rank]))
      return show(a[rank], static_cast<std::int32_t>(rank)) + "is read as\n" +
             (rank < b.size() ? show(b[rank], static_cast<std::int32_t>(rank)) : "nothing");
  return "";
}

std::string difference(const std::vector<Schedule>& written, const Program& read, const char* name) {
  const MappedProgram mapped = map_program(read, name);
  return difference(written, mapped.ranks);
}

constexpr std::int32_t most_ranks_here = test::sanitized ? 6 : 16;

}  // namespace

TEST_CASE("every algorithm of the catalog is a right program, and the same when its XML is read", "[long]") {
  each_export(most_ranks_here, [](const Shape& shape, const Algorithm& algorithm, const std::vector<Schedule>& schedules) {
    if (!thorough() && shape.ranks > 8 && shape.root != 0) return;
    const Program program = program_of(request_of(algorithm), schedules);
    const std::string text = to_msccl_xml(program);
    CHECK(broken_rule(text) == "");
    const Program read = read_algorithm_text(text, "a.xml");
    CHECK(to_msccl_xml(read) == text);
    const Proof proof = prove(read);
    CHECK(sentences(proof) == "");
    if (row(algorithm.collective).rooted) CHECK(proof.root == shape.root);
    CHECK(difference(schedules, read, "a.xml") == "");
  });
}

TEST_CASE("every algorithm of the catalog is a right plan of MSCCL++, and the same when it is read", "[long]") {
  each_export(test::sanitized ? 4 : 16,
              [](const Shape& shape, const Algorithm& algorithm, const std::vector<Schedule>& schedules) {
                if (!thorough() && shape.ranks > 6 && shape.ranks % 8 != 0) return;
                const std::string text = to_mscclpp(program_of(request_of(algorithm), schedules));
                const Program read = read_algorithm_text(text, "a.json");
                CHECK(to_mscclpp(read) == text);
                const Proof proof = prove(read);
                CHECK(sentences(proof) == "");
                if (row(algorithm.collective).rooted) CHECK(proof.root == shape.root);
                if (thorough() || shape.ranks <= 5) CHECK(difference(schedules, read, "a.json") == "");
              });
}

TEST_CASE("programs of every kind of step and plans of both dialects are written as plans") {
  for (std::int32_t ranks = 2; ranks <= 5; ++ranks) {
    for (const Program& program : right_programs(ranks)) {
      INFO(program.name << " of " << ranks);
      const std::string text = to_mscclpp(program);
      const Program read = read_algorithm_text(text, "a.json");
      CHECK(to_mscclpp(read) == text);
      CHECK(sentences(prove(read)) == "");
    }
    for (const std::string& plan : {read_reduce_plan(ranks), packet_plan(ranks), former_plan(ranks)}) {
      const std::string text = to_mscclpp(read_algorithm_text(plan, "a.json"));
      CHECK(to_mscclpp(read_algorithm_text(text, "b.json")) == text);
      CHECK(sentences(prove(read_algorithm_text(text, "b.json"))) == "");
    }
  }
  CHECK_THROWS_AS(to_mscclpp(read_algorithm_text(port_plan(2), "a.json")), Error);
  CHECK_THROWS_AS(to_msccl_xml(read_algorithm_text(packet_plan(2), "a.json")), Error);
}

TEST_CASE("lanes become channels") {
  each_export(test::sanitized ? 3 : 5, [](const Shape&, const Algorithm& algorithm, const std::vector<Schedule>& schedules) {
    ProgramRequest request = request_of(algorithm);
    request.lanes = 3;
    const std::string text = to_msccl_xml(program_of(request, schedules));
    CHECK(broken_rule(text) == "");
    CHECK(sentences(prove(read_algorithm_text(text, "a.xml"))) == "");
  });
}

TEST_CASE("collectives that MSCCL has no name for are refused") {
  const Schedule nothing;
  ProgramRequest request;
  request.collective = Collective::barrier;
  CHECK_THROWS_AS(program_of(request, {&nothing, 1}), Error);
}
