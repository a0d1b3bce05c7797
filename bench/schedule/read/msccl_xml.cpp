// Takes the scanner's calls element by element, so that a large file needs no tree.
#include "bench/schedule/read/msccl_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "topo/xml/xml.hpp"

namespace railgauge {
namespace {

constexpr std::size_t longest_value = 256;

struct CollectiveSpelling {
  std::string_view spelling;
  Collective collective;
};
constexpr CollectiveSpelling spellings[] = {
    {"allreduce", Collective::all_reduce},
    {"allgather", Collective::all_gather},
    {"alltoall", Collective::all_to_all},
    {"reduce", Collective::reduce},
    {"broadcast", Collective::broadcast},
    {"reducescatter", Collective::reduce_scatter},
    {"reduce_scatter", Collective::reduce_scatter},
    {"gather", Collective::gather},
    {"scatter", Collective::scatter},
};

class MscclReader {
 public:
  explicit MscclReader(std::string_view origin) : origin_(origin) {}

  Program read(std::string_view text) {
    topo::check_xml(
        text, origin_,
        [this](const topo::XmlAttribute& it) {
          finish_element();
          element_ = it.element;
          line_ = it.line;
          depth_ = it.depth;
          attributes_.clear();
        },
        [this](const topo::XmlAttribute& it) {
          if (it.value.size() > longest_value)
            fail(it.line, fmt::format("the value of {} is longer than {} characters", it.name.substr(0, 40), longest_value));
          attributes_.emplace_back(it.name, it.value);
        });
    finish_element();
    finish();
    return std::move(program_);
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", origin_, line, what));
  }

  std::optional<std::string_view> find(std::string_view attribute) const {
    for (const auto& [key, value] : attributes_)
      if (key == attribute) return value;
    return std::nullopt;
  }
  std::string_view text(std::string_view attribute) const {
    const auto value = find(attribute);
    if (!value) fail(line_, fmt::format("<{}> lacks the attribute {}", element_, attribute));
    return *value;
  }
  template <class Number>
  Number parsed(std::string_view attribute, std::string_view value, Number least, Number most) const {
    Number number{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || number < least || number > most)
      fail(line_, fmt::format("<{}>: {}=\"{}\" is no number from {} to {}", element_, attribute, value, least, most));
    return number;
  }
  template <class Number>
  Number number(std::string_view attribute, Number least, Number most) const {
    return parsed(attribute, text(attribute), least, most);
  }
  template <class Number>
  Number number_or(std::string_view attribute, Number otherwise, Number least, Number most) const {
    const auto value = find(attribute);
    return value ? parsed(attribute, *value, least, most) : otherwise;
  }
  bool flag_or(std::string_view attribute, bool otherwise) const { return number_or(attribute, otherwise ? 1 : 0, 0, 1) == 1; }

  void finish_element() {
    if (depth_ == 0) return;
    if (depth_ == 1) {
      if (element_ != "algo") fail(line_, fmt::format("a file of MSCCL begins with <algo>, not <{}>", element_.substr(0, 40)));
      algo();
    } else if (depth_ == 2 && element_ == "gpu") {
      gpu();
    } else if (depth_ == 3 && element_ == "tb") {
      thread_block();
    } else if (depth_ == 4 && element_ == "step" && in_thread_block_) {
      step();
    } else if (depth_ == 3 && element_ == "copy") {
      in_thread_block_ = false;
    } else if (element_ == "op") {
      fail(line_, "<op> is of a dialect of msccl-tools that no executor reads: export the algorithm with <step>");
    } else {
      fail(line_, fmt::format("<{}> does not belong here: <algo> holds <gpu>, that <tb>, that <step>", element_.substr(0, 40)));
    }
  }

  void algo() {
    program_.name = find("name").value_or("");
    program_.protocol = find("proto").value_or("Simple");
    if (program_.protocol != "Simple" && program_.protocol != "LL" && program_.protocol != "LL128")
      fail(line_, fmt::format("<algo>: proto=\"{}\" is none of Simple, LL and LL128", program_.protocol));
    program_.channels = number_or<std::uint32_t>("nchannels", 1, 1, 1024);
    program_.blocks = number<std::uint32_t>("nchunksperloop", 1, static_cast<std::uint32_t>(most_blocks));
    program_.ranks.resize(number<std::size_t>("ngpus", 1, most_ranks));
    const std::string_view collective = text("coll");
    const auto* const row = std::find_if(std::begin(spellings), std::end(spellings),
                                         [&](const CollectiveSpelling& it) { return it.spelling == collective; });
    if (row == std::end(spellings))
      fail(line_, fmt::format("<algo>: coll=\"{}\": what such a collective must give is not known; known are allreduce, "
                              "allgather, alltoall, reduce, broadcast, reducescatter, gather and scatter",
                              collective));
    program_.collective = row->collective;
    program_.in_place = flag_or("inplace", false);
    program_.out_of_place = flag_or("outofplace", !program_.in_place);
    if (!program_.in_place && !program_.out_of_place)
      fail(line_, "<algo>: inplace and outofplace are both 0, so that nothing could use it");
    constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
    program_.least_bytes = number_or<std::uint64_t>("minBytes", 0, 0, any);
    program_.most_bytes = number_or<std::uint64_t>("maxBytes", 0, 0, any);
  }

  void gpu() {
    const auto id = number<std::size_t>("id", 0, program_.ranks.size() - 1);
    rank_ = id;
    in_thread_block_ = false;
    ProgramRank& rank = program_.ranks[id];
    if (rank.line != 0) fail(line_, fmt::format("<gpu>: there are two of id {}, the other in line {}", id, rank.line));
    rank.line = line_;
    rank.input = number<std::uint32_t>("i_chunks", 0, static_cast<std::uint32_t>(most_blocks));
    rank.output = number<std::uint32_t>("o_chunks", 0, static_cast<std::uint32_t>(most_blocks));
    rank.scratch = number<std::uint32_t>("s_chunks", 0, static_cast<std::uint32_t>(most_blocks));
  }

  void thread_block() {
    std::vector<ThreadBlock>& all = program_.ranks[rank_].thread_blocks;
    const auto id = number<std::size_t>("id", 0, most_thread_blocks_a_rank - 1);
    if (++thread_blocks_ > most_thread_blocks)
      fail(line_, fmt::format("there are more than {} thread blocks", most_thread_blocks));
    if (id >= all.size()) all.resize(id + 1);
    if (all[id].line != 0)
      fail(line_, fmt::format("<tb>: rank {} has two of id {}, the other in line {}", rank_, id, all[id].line));
    thread_block_ = id;
    in_thread_block_ = true;
    all[id].line = line_;
    constexpr std::int32_t highest = static_cast<std::int32_t>(most_ranks) - 1;
    all[id].send_peer = number<std::int32_t>("send", Step::none, highest);
    all[id].receive_peer = number<std::int32_t>("recv", Step::none, highest);
    all[id].channel = number<std::uint32_t>("chan", 0, 1023);
  }

  Buffer buffer(std::string_view attribute) const {
    const std::string_view value = text(attribute);
    if (value == "i") return Buffer::input;
    if (value == "o") return Buffer::output;
    if (value == "s") return Buffer::scratch;
    fail(line_, fmt::format("<step>: {}=\"{}\" is no buffer: there are i, o and s", attribute, value));
  }

  void step() {
    if (++steps_ > most_steps) fail(line_, fmt::format("there are more than {} steps", most_steps));
    std::vector<Step>& steps = program_.ranks[rank_].thread_blocks[thread_block_].steps;
    Step step;
    step.line = line_;
    const auto expected = steps.size();
    if (number<std::size_t>("s", 0, most_steps) != expected)
      fail(line_, fmt::format("<step>: s=\"{}\" where step {} of thread block {} is expected: they are numbered from 0",
                              text("s"), expected, thread_block_));
    step.kind = kind();
    constexpr auto highest = static_cast<std::uint32_t>(most_blocks);
    if (step.kind != StepType::nop) step.count = number<std::uint32_t>("cnt", 0, highest);
    // The other operand is a note of what the peer does, or nothing.
    if (reads_source(step.kind)) {
      step.source_buffer = buffer("srcbuf");
      step.source = number<std::uint32_t>("srcoff", 0, highest);
    }
    if (writes_target(step.kind)) {
      step.target_buffer = buffer("dstbuf");
      step.target = number<std::uint32_t>("dstoff", 0, highest);
    }
    step.awaited_thread_block = number_or<std::int32_t>("depid", Step::none, Step::none, most_thread_blocks_a_rank - 1);
    if (step.awaited_thread_block != Step::none) step.awaited_step = number<std::int32_t>("deps", 0, most_steps - 1);
    step.announced = flag_or("hasdep", false);
    step.note = {note("round"), note("data")};
    steps.push_back(step);
  }

  // Whoever else writes such an attribute may mean something else.
  std::int32_t note(std::string_view attribute) const {
    const std::string_view value = find(attribute).value_or("");
    std::int32_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool whole = error == std::errc{} && end == value.data() + value.size();
    return whole && number >= 0 && number <= static_cast<std::int32_t>(most_steps) ? number : Step::none;
  }

  StepType kind() const {
    const std::string_view type = text("type");
    for (std::size_t i = 0; i <= static_cast<std::size_t>(StepType::rrcs); ++i)
      if (name(static_cast<StepType>(i)) == type) return static_cast<StepType>(i);
    if (type == "ra") fail(line_, "<step>: type=\"ra\" has a name in MSCCL, but its interpreter does not execute it");
    fail(line_, fmt::format("<step>: type=\"{}\" is none of nop, cpy, re, s, r, rcs, rrc, rrs and rrcs", type));
  }

  void finish() const {
    for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank) {
      const ProgramRank& mine = program_.ranks[rank];
      if (mine.line == 0) fail(1, fmt::format("ngpus is {}, and there is no <gpu> of id {}", program_.ranks.size(), rank));
      for (std::size_t id = 0; id < mine.thread_blocks.size(); ++id)
        if (mine.thread_blocks[id].line == 0)
          fail(mine.line, fmt::format("rank {} has a thread block {} and none of id {}: they are numbered from 0", rank,
                                      mine.thread_blocks.size() - 1, id));
    }
    check_program(program_, origin_);
  }

  std::string_view origin_, element_;
  std::size_t line_ = 0, depth_ = 0;
  std::vector<std::pair<std::string_view, std::string_view>> attributes_;
  std::size_t rank_ = 0, thread_block_ = 0, steps_ = 0, thread_blocks_ = 0;
  bool in_thread_block_ = false;
  Program program_;
};

}  // namespace

Program read_msccl_xml(std::string_view text, std::string_view origin) { return MscclReader(origin).read(text); }

}  // namespace railgauge
