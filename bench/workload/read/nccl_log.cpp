// HOST:PID:TID [DEVICE] NCCL INFO NAME: opCount H sendbuff P recvbuff P count N datatype D op O root R comm P [nranks=N] stream P
#include "bench/workload/read/nccl_log.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/output/text.hpp"

namespace railgauge {
namespace {

constexpr std::string_view mark = " NCCL INFO ";

struct LogCall {
  std::string_view name;
  WorkKind work;
  Collective collective;
  bool share;  // count is of one rank: S is as many times larger as there are ranks
};
constexpr std::array<LogCall, 11> log_calls = {{
    {"AllReduce", WorkKind::collective, Collective::all_reduce, false},
    {"AllGather", WorkKind::collective, Collective::all_gather, true},
    {"ReduceScatter", WorkKind::collective, Collective::reduce_scatter, true},
    {"Broadcast", WorkKind::collective, Collective::broadcast, false},
    {"Reduce", WorkKind::collective, Collective::reduce, false},
    {"AlltoAll", WorkKind::collective, Collective::all_to_all, true},
    {"AllToAll", WorkKind::collective, Collective::all_to_all, true},
    {"Gather", WorkKind::collective, Collective::gather, true},
    {"Scatter", WorkKind::collective, Collective::scatter, true},
    {"Send", WorkKind::send, Collective::send_receive, false},
    {"Recv", WorkKind::receive, Collective::send_receive, false},
}};
constexpr std::array types_by_number = {Type::int8,    Type::uint8,    Type::int32,       Type::uint32,
                                        Type::int64,   Type::uint64,   Type::float16,     Type::float32,
                                        Type::float64, Type::bfloat16, Type::float8_e4m3, Type::float8_e5m2};
constexpr std::array ops_by_number = {Op::sum, Op::prod, Op::max, Op::min, Op::avg};

// The word behind `key`; empty where the line lacks it.
std::string_view word_behind(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    if (at != 0 && line[at - 1] != ' ') continue;
    std::string_view rest = line.substr(at + key.size());
    return rest.substr(0, rest.find_first_of(" ]\t"));
  }
  return {};
}

std::optional<std::uint64_t> number(std::string_view word, int base = 10) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

bool is_pointer(std::string_view word) {
  return word.starts_with("0x") ? number(word.substr(2), 16).has_value() : word == "(nil)" || number(word, 16).has_value();
}

class Log {
 public:
  explicit Log(TraceInput& input) : input_(input) {}

  std::vector<RankTrace> read() {
    for (std::string line; input_.line(line);) {
      const std::size_t at = line.find(mark);
      if (at == std::string::npos) continue;
      if (line.find(mark, at + 1) != std::string::npos) throw torn();
      take(line.substr(0, at), std::string_view(line).substr(at + mark.size()));
    }
    std::vector<RankTrace> traces;
    for (auto& [process, writer] : writers_) {
      if (!writer.called) continue;
      traces.push_back(std::move(writer.trace));
    }
    if (traces.empty())
      throw Error(
          Fault::usage,
          fmt::format("{}: it has no lines of calls: run with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL", input_.origin()));
    return traces;
  }

 private:
  struct Enqueued {
    std::optional<std::uint32_t> collective;  // the last one
    std::vector<std::uint32_t> messages;      // since then
  };
  struct Writer {
    RankTrace trace;
    std::map<std::string, int> streams;
    std::map<std::string, Enqueued> enqueued;  // by stream
    bool called = false;
  };

  [[nodiscard]] Error fail(const std::string& what) const {
    return {Fault::usage, fmt::format("{}:{}: {}", input_.origin(), input_.lines(), what)};
  }
  [[nodiscard]] Error torn() const {
    return fail("the line of a call is torn: let each process log into a file of its own, NCCL_DEBUG_FILE=log.%h.%p");
  }

  // Who wrote the line: host, process and device, without the thread.
  Writer& writer_of(std::string_view front) {
    const std::size_t begin = front.find_last_of(" \t", front.find(':'));
    if (begin != std::string_view::npos) front.remove_prefix(begin + 1);
    const std::size_t host = front.find(':'), process = host == std::string_view::npos ? host : front.find(':', host + 1);
    const std::size_t device = front.find('[');
    if (process == std::string_view::npos || device == std::string_view::npos) throw torn();
    const std::string who = fmt::format("{} {}", front.substr(0, process), front.substr(device));
    const auto [there, is_new] = writers_.try_emplace(who);
    if (is_new) {
      if (writers_.size() > 4096) throw fail("more than 4096 processes wrote into this file");
      there->second.trace.origin = input_.origin();
      there->second.trace.steps = 0;
      there->second.trace.notes.insert("NCCL's log has no times: the computations between the calls are left out");
    }
    return there->second;
  }

  void take(std::string_view front, std::string_view text) {
    const std::size_t colon = text.find(": opCount ");
    if (colon != std::string_view::npos) {
      take_call(writer_of(front), text.substr(0, colon), text.substr(colon));
      input_.heard();
    } else if (text.find("comm 0x") != std::string_view::npos && text.find(" nranks ") != std::string_view::npos) {
      take_communicator(writer_of(front), text);
      input_.heard();
    }
  }

  void take_communicator(Writer& writer, std::string_view text) {
    const std::string pointer(word_behind(text, "comm "));
    const auto rank = number(word_behind(text, "rank ")), ranks = number(word_behind(text, "nranks "));
    if (!rank || !ranks || *ranks == 0 || *rank >= *ranks || *ranks > static_cast<std::uint64_t>(most_trace_ranks)) return;
    TraceGroup& group = writer.trace.groups[static_cast<std::size_t>(group_of(writer.trace, pointer))];
    group.size = static_cast<int>(*ranks);
    group.position = static_cast<int>(*rank);
    group.name = fmt::format("communicator of {} ranks", *ranks);
    // Before NCCL 2.18 the lines have no commId: a communicator of all ranks is the only one that can be told.
    const std::string_view id = word_behind(text, "commId ");
    if (!id.empty()) group.id = printable(id);
    if (group.id.empty()) group.id = fmt::format("of {} ranks", *ranks);
  }

  void take_call(Writer& writer, std::string_view name, std::string_view text) {
    const LogCall* known = nullptr;
    for (const LogCall& one : log_calls)
      if (one.name == name) known = &one;
    if (known == nullptr) throw fail(fmt::format("no call {} of NCCL is known", printable(name.substr(0, 40))));
    const auto count = number(word_behind(text, "count ")), type = number(word_behind(text, "datatype ")),
               op = number(word_behind(text, "op ")), root = number(word_behind(text, "root "));
    const std::string_view pointer = word_behind(text, "comm "), stream = word_behind(text, "stream ");
    if (!count || !type || !op || !is_pointer(pointer) || !is_pointer(stream)) throw torn();
    if (*type >= types_by_number.size()) throw fail(fmt::format("no datatype {} of NCCL is known", *type));
    if (*count > most_elements) throw fail("more elements than any memory holds");
    TracedCall call;
    WorkNode& node = call.node;
    node.work = known->work;
    node.collective = known->collective;
    node.name = node.work == WorkKind::collective ? std::string(railgauge::name(node.collective))
                                                  : work_names[static_cast<std::size_t>(node.work)];
    node.reason = fmt::format("line {}", input_.lines());
    node.type = types_by_number[*type];
    node.elements = *count;
    call.share = known->share;
    if (node.work == WorkKind::collective && row(node.collective).reduces) {
      // Behind the built-in operations stand those that a program made, as PyTorch does for averages.
      node.op = *op < ops_by_number.size() ? ops_by_number[*op] : Op::sum;
      if (*op >= ops_by_number.size()) writer.trace.notes.insert("operations that the program made are taken for sums");
    }
    const bool other = node.work != WorkKind::collective || row(node.collective).rooted;
    if (other && (!root || *root >= static_cast<std::uint64_t>(most_trace_ranks))) throw torn();
    (node.work == WorkKind::collective ? node.root : node.peer) = other ? static_cast<int>(*root) : 0;
    node.group = group_of(writer.trace, std::string(pointer));
    TraceGroup& group = writer.trace.groups[static_cast<std::size_t>(node.group)];
    if (group.name == pointer) group.name = "communicator";
    if (group.size == 0)
      if (const auto ranks = number(word_behind(text, "[nranks="));
          ranks && *ranks <= static_cast<std::uint64_t>(most_trace_ranks))
        group.size = static_cast<int>(*ranks);
    if (const auto rank = number(word_behind(text, "globalrank ")); rank && *rank < static_cast<std::uint64_t>(most_trace_ranks))
      writer.trace.rank = static_cast<int>(*rank);
    writer.called = true;
    add(writer, std::move(call), std::string(stream));
  }

  // Calls of a stream follow each other; messages to different peers between two collectives run together, as those of one
  // ncclGroupEnd() do.
  void add(Writer& writer, TracedCall call, const std::string& stream) {
    if (++calls_ > most_nodes) throw fail(fmt::format("more than {} calls of all ranks together: log fewer steps", most_nodes));
    WorkNode& node = call.node;
    const bool message = node.work != WorkKind::collective;
    const std::string key =
        message ? fmt::format("{} {} {} {}", stream, static_cast<int>(node.work), node.group, node.peer) : stream;
    node.stream = writer.streams.try_emplace(key, static_cast<int>(writer.streams.size()) + 1).first->second;
    const auto at = static_cast<std::uint32_t>(writer.trace.nodes.size());
    Enqueued& before = writer.enqueued[stream];
    if (message) {
      if (before.collective) node.after = {*before.collective};
      before.messages.push_back(at);
    } else {
      node.after = std::move(before.messages);
      before = {at, {}};
    }
    if (call.share) writer.trace.shares.push_back(at);
    writer.trace.nodes.push_back(std::move(node));
  }

  TraceInput& input_;
  std::map<std::string, Writer> writers_;
  std::size_t calls_ = 0;  // of all writers
};

}  // namespace

std::vector<RankTrace> read_nccl_log(TraceInput& input) { return Log(input).read(); }

}  // namespace railgauge
