// Each line is a JSON value of its own, so that what is wrong has a line.
#include "bench/schedule/file/schedule_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view schema = "railgauge.schedule/1";
constexpr std::uint64_t most_ranks = 100'000;
constexpr std::uint64_t most_blocks = 1U << 30U;
// Of all ranks, scratch included, since what is proved has memory for each: so many, and more as the file is longer.
constexpr std::uint64_t blocks_of_any_file = 1U << 21U, blocks_of_a_byte = 16;

Json json_of(const Blocks& it) {
  return Json::array({buffer_names[static_cast<std::size_t>(it.buffer)], it.first, it.count, it.slot});
}

std::string head_of(const ScheduleFile& file) {
  Json slots = Json::array(), rounds = Json::array();
  for (const Schedule& schedule : file.ranks) {
    slots.push_back(schedule.slots);
    rounds.push_back(schedule.rounds.size());
  }
  const Json head = {{"schema", schema},
                     {"collective", name(file.collective)},
                     {"ranks", file.ranks.size()},
                     {"root", file.root},
                     {"blocks", file.ranks.empty() ? 0 : file.ranks.front().blocks},
                     {"slots", std::move(slots)},
                     {"rounds", std::move(rounds)}};
  return head.dump();
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  ScheduleFile read() {
    head();
    for (std::size_t rank = 0; rank < file_.ranks.size(); ++rank)
      for (std::size_t number = 0; number < file_.ranks[rank].rounds.size(); ++number) round(rank, number);
    if (at_ < text_.size()) {
      ++line_;
      fail("nothing is expected behind the last round of the last rank");
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", origin_, line_, sentence));
  }

  Json next(std::string_view wanted) {
    ++line_;
    if (at_ >= text_.size()) fail(fmt::format("the file ends before {}: it was cut", wanted));
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) fail(fmt::format("{} does not end with its line: the file was cut", wanted));
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    // Brackets in brackets would recurse for each: no line has more than four.
    std::size_t depth = 0;
    for (const char letter : line) {
      if (letter == '[' || letter == '{') ++depth;
      if ((letter == ']' || letter == '}') && depth > 0) --depth;
      if (depth > deepest) fail(fmt::format("{} has brackets {} deep, and {} are the most", wanted, depth, deepest));
    }
    Json json = Json::parse(line.begin(), line.end(), nullptr, false);
    if (!json.is_object()) fail(fmt::format("{} is no JSON object", wanted));
    return json;
  }

  const Json& field(const Json& object, const char* name) const {
    const auto found = object.find(name);
    if (found == object.end()) fail(fmt::format("\"{}\" is missing", name));
    return *found;
  }

  std::uint64_t number(const Json& json, std::string_view what, std::uint64_t least, std::uint64_t most) const {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() < least || json.get<std::uint64_t>() > most)
      fail(fmt::format("{} is to be a number from {} to {}, and {} stands there", what, least, most, shown(json)));
    return json.get<std::uint64_t>();
  }
  static std::string shown(const Json& json) {
    std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
    return text.size() > 60 ? text.substr(0, 57) + "..." : text;
  }

  void head() {
    const Json head = next("the first line");
    if (field(head, "schema") != schema) fail(fmt::format("this is no file of schedules: its schema is not {}", schema));
    const Json& collective = field(head, "collective");
    const std::optional<Collective> found =
        collective.is_string() ? find_collective(collective.get<std::string>()) : std::optional<Collective>();
    if (!found) fail(fmt::format("there is no collective {}", shown(collective)));
    file_.collective = *found;
    const std::uint64_t ranks = number(field(head, "ranks"), "\"ranks\"", 1, most_ranks);
    file_.root = static_cast<std::int32_t>(number(field(head, "root"), "\"root\"", 0, ranks - 1));
    const auto blocks = static_cast<std::uint32_t>(number(field(head, "blocks"), "\"blocks\"", 0, most_blocks));
    const Json& slots = field(head, "slots");
    const Json& rounds = field(head, "rounds");
    for (const auto& [json, what] : {std::pair{&slots, "\"slots\""}, {&rounds, "\"rounds\""}})
      if (!json->is_array() || json->size() != ranks)
        fail(fmt::format("{} is to be a list of {} numbers, one a rank", what, ranks));
    file_.ranks.resize(ranks);
    auto lines = static_cast<std::uint64_t>(std::count(text_.begin(), text_.end(), '\n'));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      Schedule& schedule = file_.ranks[rank];
      schedule.blocks = blocks;
      schedule.slots = static_cast<std::uint32_t>(number(slots[rank], "each of \"slots\"", 0, most_blocks));
      // Each round has a line: more of them would take memory before the file is seen to end.
      schedule.rounds.resize(number(rounds[rank], "each of \"rounds\" (which have a line each)", 0, lines));
      lines -= schedule.rounds.size();
    }
    std::uint64_t all = ranks * blocks;
    for (const Schedule& schedule : file_.ranks) all += schedule.slots;
    if (const std::uint64_t most = blocks_of_any_file + blocks_of_a_byte * text_.size(); all > most)
      fail(fmt::format("its ranks have {} blocks, scratch included, and {} are the most of a file of {} bytes", all, most,
                       text_.size()));
  }

  void round(std::size_t rank, std::size_t number_of_round) {
    const std::string wanted = fmt::format("round {} of rank {}", number_of_round, rank);
    const Json json = next(wanted);
    number(field(json, "rank"), "\"rank\"", rank, rank);
    number(field(json, "round"), "\"round\"", number_of_round, number_of_round);
    const Json& transfers = field(json, "transfers");
    const Json& locals = field(json, "locals");
    if (!transfers.is_array() || !locals.is_array()) fail("\"transfers\" and \"locals\" are to be lists");
    Round& round = file_.ranks[rank].rounds[number_of_round];
    for (const Json& it : transfers) {
      if (!it.is_array() || it.size() != 6 || (it[0] != "send" && it[0] != "receive"))
        fail(fmt::format("a transfer is to be [\"send\" or \"receive\", peer, buffer, first, count, slot], and {} stands there",
                         shown(it)));
      Transfer transfer;
      transfer.kind = it[0] == "send" ? Transfer::Kind::send : Transfer::Kind::receive;
      transfer.peer = static_cast<std::int32_t>(number(it[1], "a peer", 0, file_.ranks.size() - 1));
      transfer.blocks = blocks(it, 2, rank);
      round.transfers.push_back(transfer);
    }
    for (const Json& it : locals) {
      if (!it.is_array() || it.size() != 9 || (it[0] != "copy" && it[0] != "reduce"))
        fail(
            fmt::format("a local is to be [\"copy\" or \"reduce\", buffer, first, count, slot of the source, and the same of the "
                        "target], and {} stands there",
                        shown(it)));
      Local local;
      local.kind = it[0] == "copy" ? Local::Kind::copy : Local::Kind::reduce;
      local.source = blocks(it, 1, rank);
      local.target = blocks(it, 5, rank);
      round.locals.push_back(local);
    }
  }

  Blocks blocks(const Json& json, std::size_t at, std::size_t rank) const {
    const Schedule& schedule = file_.ranks[rank];
    Blocks blocks;
    std::size_t buffer = 0;
    while (buffer < std::size(buffer_names) && json[at] != buffer_names[buffer]) ++buffer;
    if (buffer == std::size(buffer_names))
      fail(fmt::format("a buffer is input, output or scratch, and {} stands there", shown(json[at])));
    blocks.buffer = static_cast<Buffer>(buffer);
    blocks.first = static_cast<std::uint32_t>(number(json[at + 1], "the first block", 0, schedule.blocks));
    blocks.count = static_cast<std::uint32_t>(number(json[at + 2], "the number of blocks", 0, schedule.blocks - blocks.first));
    const bool scratch = blocks.buffer == Buffer::scratch;
    if (scratch && blocks.count > schedule.slots)
      fail(fmt::format("{} blocks in {} slots of scratch", blocks.count, schedule.slots));
    blocks.slot = static_cast<std::uint32_t>(number(json[at + 3], "a slot", 0, scratch ? schedule.slots - blocks.count : 0));
    return blocks;
  }

  static constexpr std::size_t deepest = 4;

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0, line_ = 0;
  ScheduleFile file_;
};

}  // namespace

std::string to_text(const ScheduleFile& file) {
  std::string text = head_of(file) + "\n";
  for (std::size_t rank = 0; rank < file.ranks.size(); ++rank)
    for (std::size_t number = 0; number < file.ranks[rank].rounds.size(); ++number) {
      const Round& round = file.ranks[rank].rounds[number];
      Json transfers = Json::array(), locals = Json::array();
      for (const Transfer& it : round.transfers) {
        Json json = Json::array({it.kind == Transfer::Kind::send ? "send" : "receive", it.peer});
        for (Json& part : json_of(it.blocks)) json.push_back(std::move(part));
        transfers.push_back(std::move(json));
      }
      for (const Local& it : round.locals) {
        Json json = Json::array({it.kind == Local::Kind::copy ? "copy" : "reduce"});
        for (const Blocks& blocks : {it.source, it.target})
          for (Json& part : json_of(blocks)) json.push_back(std::move(part));
        locals.push_back(std::move(json));
      }
      const Json line = {{"rank", rank}, {"round", number}, {"transfers", std::move(transfers)}, {"locals", std::move(locals)}};
      text += line.dump() + "\n";
    }
  return text;
}

ScheduleFile read_schedules(std::string_view text, const std::string& origin) { return Reader(text, origin).read(); }

}  // namespace railgauge
