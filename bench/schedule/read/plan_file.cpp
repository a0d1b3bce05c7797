// Operations are taken while the file is parsed, so that a large one needs no tree.
#include "bench/schedule/read/plan_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "bench/schedule/read/plan_words.hpp"
#include "bench/schedule/read/program.hpp"

namespace railgauge {
namespace {

using PlanJson = nlohmann::json;

constexpr std::size_t deepest = 12, most_values = 1'500'000, most_values_of_operation = 20'000, most_values_elsewhere = 500'000;

// Counts the lines that the parser has read.
struct LineIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  const char* at = nullptr;
  std::size_t* line = nullptr;
  reference operator*() const { return *at; }
  LineIterator& operator++() {
    if (*at == '\n') ++*line;
    ++at;
    return *this;
  }
  LineIterator operator++(int) {
    LineIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const LineIterator& a, const LineIterator& b) { return a.at == b.at; }
};

class PlanReader {
 public:
  explicit PlanReader(std::string_view origin) : origin_(origin) {}

  ExecutionPlan read(std::string_view text) {
    PlanJson root;
    try {
      root = PlanJson::parse(LineIterator{text.data(), &line_}, LineIterator{text.data() + text.size(), &line_},
                             [this](int depth, PlanJson::parse_event_t event, PlanJson& parsed) {
                               return take(static_cast<std::size_t>(depth), event, parsed);
                             });
    } catch (const PlanJson::exception&) { fail(line_, "this is no JSON, or it was cut"); }
    head(root);
    return std::move(plan_);
  }

 private:
  using Event = PlanJson::parse_event_t;

  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", origin_, line, what));
  }
  static std::string shown(const PlanJson& json) {
    std::string text = json.dump(-1, ' ', true, PlanJson::error_handler_t::replace);
    return text.size() > 40 ? text.substr(0, 37) + "..." : text;
  }

  // Whether the value is kept.
  bool take(std::size_t depth, Event event, PlanJson& parsed) {
    if (event == Event::object_start || event == Event::array_start) {
      if (depth >= deepest) fail(line_, fmt::format("brackets are more than {} deep, and no plan has as many", deepest));
      lines_[depth] = line_;
      if (depth + 1 < keys_.size()) keys_[depth + 1].clear();
    }
    if (event == Event::value || event == Event::array_start)
      for (const auto& [at, key] : {std::pair{2U, "gpus"}, {4U, "threadblocks"}, {6U, "ops"}})
        if (depth == at && keys_[at - 1] == key) fail(line_, fmt::format("\"{}\" is to be a list of objects", key));
    if (event == Event::key && depth < keys_.size()) keys_[depth] = parsed.get_ref<const std::string&>();
    if (event == Event::key && depth == 3) {
      if (keys_[3] == "inputChunks") plan_.former = true;
      if (keys_[3] == "input_chunks") plan_.former = false;
    }
    const bool in_operation = depth >= 6 && keys_[1] == "gpus" && keys_[3] == "threadblocks" && keys_[5] == "ops";
    if (event == Event::object_start && depth == 6) of_operation_ = 0;
    if (event != Event::object_end && event != Event::array_end) {
      if (++values_ > most_values) fail(line_, fmt::format("there are more than {} values", most_values));
      if (in_operation ? ++of_operation_ > most_values_of_operation : ++elsewhere_ > most_values_elsewhere)
        fail(line_, fmt::format("{} has more than {} values", in_operation ? "an operation" : "what is no operation",
                                in_operation ? most_values_of_operation : most_values_elsewhere));
    }
    if (event != Event::object_end || !parsed.is_object()) return true;
    if (in_operation && depth == 6) {
      operations_.push_back(operation(parsed, lines_[6]));
      count_ += 1 + operations_.back().inner.size();
      if (count_ > most_plan_operations) fail(line_, fmt::format("there are more than {} operations", most_plan_operations));
      return false;
    }
    if (depth == 4 && keys_[1] == "gpus" && keys_[3] == "threadblocks") {
      thread_block(parsed);
      return false;
    }
    if (depth == 2 && keys_[1] == "gpus") {
      rank(parsed);
      return false;
    }
    return true;
  }

  const PlanJson* find(const PlanJson& object, const char* key) const {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }
  std::uint64_t number_of(const PlanJson& json, std::string_view key, std::size_t line, std::uint64_t most) const {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > most)
      fail(line, fmt::format("\"{}\": {} is no number from 0 to {}", key, shown(json), most));
    return json.get<std::uint64_t>();
  }
  std::uint32_t number(const PlanJson& object, const char* key, std::size_t line, std::optional<std::uint32_t> otherwise = {},
                       std::uint64_t most = most_blocks) const {
    const PlanJson* const value = find(object, key);
    if (value == nullptr && otherwise) return *otherwise;
    if (value == nullptr) fail(line, fmt::format("\"{}\" is missing", key));
    return static_cast<std::uint32_t>(number_of(*value, key, line, most));
  }
  static std::int32_t note(const PlanJson& object, const char* key) {
    const auto found = object.find(key);
    const bool noted = found != object.end() && found->is_number_unsigned() && found->get<std::uint64_t>() <= most_steps;
    return noted ? found->get<std::int32_t>() : Step::none;
  }
  std::string_view text(const PlanJson& object, const char* key, std::size_t line) const {
    const PlanJson* const value = find(object, key);
    if (value == nullptr) fail(line, fmt::format("\"{}\" is missing", key));
    if (!value->is_string()) fail(line, fmt::format("\"{}\": {} is no text", key, shown(*value)));
    return value->get_ref<const std::string&>();
  }
  // The members of a list of objects; none where there is no list.
  template <class Use>
  void each(const PlanJson& object, const char* key, std::size_t line, const Use& use) const {
    const PlanJson* const list = find(object, key);
    if (list == nullptr) return;
    if (!list->is_array()) fail(line, fmt::format("\"{}\" is to be a list", key));
    for (const PlanJson& it : *list) {
      if (!it.is_object()) fail(line, fmt::format("\"{}\" is to be a list of objects, and {} is none", key, shown(it)));
      use(it);
    }
  }
  std::vector<std::uint32_t> numbers(const PlanJson& object, const char* key, std::size_t line) const {
    std::vector<std::uint32_t> all;
    const PlanJson* const list = find(object, key);
    if (list == nullptr) return all;
    if (!list->is_array()) fail(line, fmt::format("\"{}\" is to be a list", key));
    for (const PlanJson& it : *list) all.push_back(static_cast<std::uint32_t>(number_of(it, key, line, most_blocks)));
    return all;
  }
  Buffer buffer(const PlanJson& object, const char* key, std::size_t line) const {
    const std::string_view value = text(object, key, line);
    if (value == "i") return Buffer::input;
    if (value == "o") return Buffer::output;
    if (value == "s") return Buffer::scratch;
    fail(line, fmt::format("\"{}\": {} is no buffer: there are i, o and s", key, shown(PlanJson(value))));
  }
  PlanChannel channel_type(const PlanJson& object, const char* key, std::size_t line) const {
    struct Row {
      std::string_view name;
      PlanChannel type;
    };
    constexpr Row rows[] = {{"memory", PlanChannel::memory}, {"port", PlanChannel::port},  {"switch", PlanChannel::network},
                            {"sm", PlanChannel::memory},     {"proxy", PlanChannel::port}, {"nvls", PlanChannel::network},
                            {"none", PlanChannel::none}};
    const std::string_view value = text(object, key, line);
    for (const Row& row : rows)
      if (row.name == value) return row.type;
    fail(line, fmt::format("\"{}\": {} is no type of channel: there are memory, port and switch, formerly sm, proxy and nvls",
                           key, shown(PlanJson(value))));
  }
  PlanJoin join(const PlanJson& object, const char* source, const char* target, std::size_t line) const {
    const Buffer to = buffer(object, target, line);
    const auto key = 1 + 3 * static_cast<int>(buffer(object, source, line)) + static_cast<int>(to);
    return {static_cast<std::uint8_t>(key), to};
  }

  PlanOperation operation(const PlanJson& json, std::size_t line) const {
    PlanOperation it;
    it.line = line;
    const std::string_view name = text(json, "name", line);
    const int word = find_plan_word(name, plan_.former);
    if (word < 0)
      fail(line, fmt::format("there is no operation {} in {} plans of MSCCL++", shown(PlanJson(name)),
                             plan_.former ? "former" : "current"));
    it.word = static_cast<std::int16_t>(word);
    const PlanWord& row = plan_words()[static_cast<std::size_t>(word)];
    if (row.kind == PlanKind::network) return it;
    if (const char* const key = plan_.former ? "ctype" : "channel_type"; find(json, key) != nullptr)
      it.channel_type = channel_type(json, key, line);
    if (plan_.former) {
      former(json, row, it);
      return it;
    }
    for (const bool source : {true, false})
      each(json, source ? "src_buff" : "dst_buff", line,
           [&](const PlanJson& part) { (source ? it.sources : it.targets).push_back(operand(part, line)); });
    it.channels = numbers(json, "channel_ids", line);
    it.semaphores = numbers(json, "semaphore_ids", line);
    it.note = {note(json, "round"), note(json, "data")};
    if (row.kind == PlanKind::barrier) {
      it.barrier = number(json, "barrier_id", line);
      it.meeting = number(json, "num_threadblocks", line);
    }
    if (const PlanJson* const group = find(json, "tbg_info"); group != nullptr && group->is_object()) {
      it.slices = number(*group, "tbg_size", line, {}, 64);
      it.slice = number(*group, "tb_id", line, {}, 64);
      if (it.slices == 0 || it.slice >= it.slices)
        fail(line, fmt::format("\"tbg_info\": thread block {} of {} does not exist", it.slice, it.slices));
    }
    if (row.kind == PlanKind::pipeline)
      each(json, "ops", line, [&](const PlanJson& part) {
        it.inner.push_back(operation(part, line));
        if (plan_words()[static_cast<std::size_t>(it.inner.back().word)].kind == PlanKind::pipeline)
          fail(line, "a pipeline stands in a pipeline, which MSCCL++ does not execute");
      });
    return it;
  }

  PlanOperand operand(const PlanJson& json, std::size_t line) const {
    PlanOperand it;
    it.index = number(json, "index", line);
    it.size = number(json, "size", line);
    if (find(json, "switch_channel_id") != nullptr) {
      it.where = PlanOperand::Where::network;
    } else if (find(json, "buffer_id") != nullptr) {
      it.where = PlanOperand::Where::remote;
      it.number = number(json, "buffer_id", line);
    } else {
      it.buffer = buffer(json, "type", line);
    }
    return it;
  }

  void former(const PlanJson& json, const PlanWord& row, PlanOperation& it) const {
    const std::size_t line = it.line;
    const std::uint32_t count = number(json, "cnt", line, 1);
    const auto own = [&](const PlanJson& object, const char* of, const char* at) {
      PlanOperand operand;
      operand.buffer = buffer(object, of, line);
      operand.index = number(object, at, line);
      operand.size = count;
      return operand;
    };
    for (const bool source : {true, false}) {
      std::vector<PlanOperand>& operands = source ? it.sources : it.targets;
      const char* const list = source ? "srcs" : "dsts";
      const bool listed = row.kind == PlanKind::pairs && find(json, list) != nullptr;
      if (!listed && find(json, source ? "srcbuff" : "dstbuff") != nullptr)
        operands.push_back(own(json, source ? "srcbuff" : "dstbuff", source ? "srcoff" : "dstoff"));
      each(json, list, line, [&](const PlanJson& part) { operands.push_back(own(part, "buff", "off")); });
      const char* const channels = source ? "i_cids" : "o_cids";
      if (find(json, channels) == nullptr) continue;
      const PlanJson* const buffers = find(json, source ? "i_buff" : "o_buff");
      if (buffers == nullptr || !buffers->is_object())
        fail(line, fmt::format("\"{}\" is missing beside \"{}\"", source ? "i_buff" : "o_buff", channels));
      const PlanJoin joined = join(*buffers, "src", "dst", line);
      const bool moves = row.kind == PlanKind::pairs || row.kind == PlanKind::reduces;
      each(json, channels, line, [&](const PlanJson& part) {
        const std::uint32_t id = number(part, "id", line);
        if (!moves || row.signals) {
          it.channels.push_back(id);
          it.join = joined;
        }
        if (!moves) return;
        PlanOperand operand;
        operand.where = PlanOperand::Where::channel;
        operand.join = joined;
        operand.number = id;
        operand.index = number(part, "off", line);
        operand.size = count;
        operands.push_back(operand);
      });
    }
    each(json, "deps", line, [&](const PlanJson& part) {
      it.awaited.emplace_back(number(part, "tb", line), number(part, "step", line, {}, most_steps));
    });
  }

  PlanList list(const PlanJson& json, const char* numbers_of, std::size_t line) const {
    PlanList it;
    const bool plain = find(json, "channel_type") != nullptr;
    it.type = channel_type(json, plain ? "channel_type" : find(json, "type") != nullptr ? "type" : "ctype", line);
    if (!plain && it.type != PlanChannel::network)
      it.key = (find(json, "srcbuff") != nullptr ? join(json, "srcbuff", "dstbuff", line) : join(json, "src", "dst", line)).key;
    if (find(json, numbers_of) == nullptr) fail(line, fmt::format("a channel lacks \"{}\"", numbers_of));
    it.numbers = numbers(json, numbers_of, line);
    return it;
  }

  void in_order(const PlanJson& json, std::size_t line, const char* what, std::size_t expected, std::size_t most) const {
    const std::uint32_t id = number(json, "id", line, {}, most);
    if (id != expected)
      fail(line, fmt::format("{} has \"id\" {} where {} is expected: they are numbered from 0", what, id, expected));
  }

  void thread_block(const PlanJson& json) {
    const std::size_t line = lines_[4];
    PlanThreadBlock it;
    it.line = line;
    it.operations = std::move(operations_);
    operations_.clear();
    if (++all_thread_blocks_ > most_thread_blocks)
      fail(line, fmt::format("there are more than {} thread blocks", most_thread_blocks));
    each(json, "channels", line,
         [&](const PlanJson& part) { it.channels.push_back(list(part, plan_.former ? "cids" : "channel_ids", line)); });
    each(json, "remote_buffer_refs", line, [&](const PlanJson& part) {
      it.remote_buffers.push_back(
          {channel_type(part, "access_channel_type", line), PlanJoin::none, numbers(part, "remote_buffer_ids", line)});
    });
    in_order(json, line, "a thread block", thread_blocks_.size(), most_thread_blocks_a_rank - 1);
    thread_blocks_.push_back(std::move(it));
  }

  void rank(const PlanJson& json) {
    const std::size_t line = lines_[2];
    PlanRank it;
    it.line = line;
    it.thread_blocks = std::move(thread_blocks_);
    thread_blocks_.clear();
    in_order(json, line, "a rank", plan_.ranks.size(), most_ranks - 1);
    const auto chunks = [&](const char* former, const char* current) {
      return number(json, plan_.former ? former : current, line);
    };
    it.input = chunks("inputChunks", "input_chunks");
    it.output = chunks("outputChunks", "output_chunks");
    it.scratch = chunks("scratchChunks", "scratch_chunks");
    each(json, "channels", line, [&](const PlanJson& part) { channel(part, it, line); });
    each(json, "remote_buffers", line, [&](const PlanJson& part) {
      it.remote_buffers.push_back({number(part, "rank", line, {}, most_ranks - 1), buffer(part, "type", line)});
    });
    each(json, "semaphores", line, [&](const PlanJson& part) { it.semaphores.push_back(number(part, "init_value", line)); });
    plan_.ranks.push_back(std::move(it));
  }

  void channel(const PlanJson& json, PlanRank& rank, std::size_t line) const {
    const char* const type = plan_.former ? "type" : "channel_type";
    if (channel_type(json, type, line) != PlanChannel::network) {
      rank.channels.push_back(list(json, plan_.former ? "connectedTo" : "connected_to", line));
      return;
    }
    if (!plan_.former && find(json, "buffer_type") == nullptr)
      fail(line, fmt::format("a channel of type switch lacks \"buffer_type\"{}: no release of MSCCL++ loads this plan",
                             find(json, "buff") != nullptr ? " (it has \"buff\", as plans between two dialects have)" : ""));
    each(json, plan_.former ? "rankGroups" : "rank_groups", line, [&](const PlanJson& group) {
      if (rank.network_ranks.empty()) rank.network_ranks = numbers(group, "ranks", line);
    });
  }

  void head(const PlanJson& root) {
    if (!root.is_object()) fail(1, "a plan of MSCCL++ is a JSON object");
    if (find(root, "gpus") == nullptr) fail(1, "\"gpus\" is missing: this is no plan of MSCCL++");
    if (plan_.ranks.empty()) fail(1, "\"gpus\" is to be a list of ranks, and has none");
    plan_.name = find(root, "name") != nullptr ? text(root, "name", 1) : std::string_view();
    const bool misspelt = find(root, "collective") == nullptr && find(root, "colletive") != nullptr;
    plan_.collective = text(root, misspelt ? "colletive" : "collective", 1);  // as the first dialect has it
    plan_.protocol = text(root, "protocol", 1);
    plan_.in_place = flag(root, "inplace", true);
    plan_.double_scratch = flag(root, "use_double_scratch_buffer", false);
    plan_.least_bytes = bytes(root, "min_message_size");
    plan_.most_bytes = bytes(root, "max_message_size");
    if (plan_.most_bytes == std::numeric_limits<std::uint64_t>::max()) plan_.most_bytes = 0;
  }
  bool flag(const PlanJson& root, const char* key, bool needed) const {
    const PlanJson* const value = find(root, key);
    if (value == nullptr && !needed) return false;
    if (value == nullptr || !value->is_boolean()) fail(1, fmt::format("\"{}\" is to be true or false", key));
    return value->get<bool>();
  }
  std::uint64_t bytes(const PlanJson& root, const char* key) const {
    const PlanJson* const value = find(root, key);
    return value == nullptr ? 0 : number_of(*value, key, 1, std::numeric_limits<std::uint64_t>::max());
  }

  std::string_view origin_;
  std::size_t line_ = 1, values_ = 0, elsewhere_ = 0, of_operation_ = 0, count_ = 0, all_thread_blocks_ = 0;
  std::array<std::string, 7> keys_;              // of the objects that are open, by depth
  std::array<std::size_t, deepest> lines_ = {};  // where they began
  std::vector<PlanOperation> operations_;        // of the thread block that is read
  std::vector<PlanThreadBlock> thread_blocks_;   // of the rank that is read
  ExecutionPlan plan_;
};

}  // namespace

ExecutionPlan read_plan(std::string_view text, std::string_view origin) { return PlanReader(origin).read(text); }

}  // namespace railgauge
