// Each line becomes two ports that are each other's peer.
#include "topo/read/cable_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "topo/csv.hpp"
#include "topo/infiniband.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/fabric_list.hpp"
#include "topo/scan.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t longest_name = 128;

struct Head {
  PlanColumns columns;
  char separator = ',';
};

std::optional<Head> head_of(std::string_view line) {
  for (const char separator : {',', ';', '\t'}) {
    CsvRecords record(line, separator);
    try {
      record.next("");
    } catch (const Error&) {
      continue;  // a quote that is open to the next line is no head
    }
    if (const auto columns = plan_columns(record.cells())) return Head{*columns, separator};
  }
  return std::nullopt;
}

// The place of the head: its number and where it begins. Comments may stand before it.
struct Beginning {
  Head head;
  std::size_t line = 0, offset = 0;
};
std::optional<Beginning> find_head(std::string_view text) {
  for (Lines lines(text); lines.next();) {
    if (Scan(lines.line()).blanks().done()) continue;
    if (const auto head = head_of(lines.line()))
      return Beginning{*head, lines.number(), static_cast<std::size_t>(lines.line().data() - text.data())};
    if (!lines.line().starts_with('#')) break;
  }
  return std::nullopt;
}

// The number of a switch's port. Nothing when the text is none.
std::optional<unsigned> switch_port(std::string_view text) {
  std::string small = lower(text);
  small.erase(std::remove(small.begin(), small.end(), ' '), small.end());
  Scan scan(small);
  bool cages = false;  // "sw13p2"
  for (const std::string_view word : {"port", "swp", "ethernet", "eth", "ib", "sw", "p"})
    if (scan.take(word)) {
      cages = word == "sw";
      break;
    }
  std::array<std::uint64_t, 3> numbers{};
  std::size_t count = 0;
  for (; count < numbers.size(); ++count) {
    if (count > 0 && !scan.take(cages ? "p" : "/")) break;
    const auto number = scan.number();
    if (!number || *number == 0 || *number > 9999) return std::nullopt;
    numbers[count] = *number;
  }
  if (!scan.done()) return std::nullopt;
  constexpr unsigned per_cage = 2;
  const auto in_cage = [&](std::uint64_t cage, std::uint64_t port) -> std::optional<unsigned> {
    if (port > per_cage) return std::nullopt;
    return static_cast<unsigned>((cage - 1) * per_cage + port);
  };
  if (count == 1) return static_cast<unsigned>(numbers[0]);
  if (count == 3) return numbers[0] == 1 ? in_cage(numbers[1], numbers[2]) : std::nullopt;
  if (!cages && numbers[0] == 1) return static_cast<unsigned>(numbers[1]);  // the only module
  return in_cage(numbers[0], numbers[1]);
}

// "mlx5_0", "mlx5_0/1", "HCA-1 port 2", "3": an adapter and the number of its port, either of which may be missing.
struct HostPort {
  std::string adapter;
  std::optional<unsigned> number;
};
std::optional<HostPort> host_port(std::string_view text) {
  HostPort it;
  const std::string small = lower(text);
  Scan scan(small);
  const auto number_behind = [&](std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words)
      if (scan.take(word)) break;
    const auto number = scan.blanks().number();
    if (!number || !scan.done() || *number == 0 || *number > most_ports) return false;
    it.number = static_cast<unsigned>(*number);
    return true;
  };
  if (number_behind({"port", "p"})) return it;
  const std::size_t end = std::min(text.find_first_of("/: "), text.size());
  it.adapter = text.substr(0, end);
  const bool named =
      !it.adapter.empty() && it.adapter.size() <= 32 && std::all_of(it.adapter.begin(), it.adapter.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
      });
  if (!named) return std::nullopt;
  if (end == text.size()) return it;
  scan = Scan(std::string_view(small).substr(end + 1));
  scan.blanks();
  return number_behind({"port", "p"}) ? std::optional(it) : std::nullopt;
}

class Plan {
 public:
  explicit Plan(const Reading& reading) : reading_(reading), list_(reading) {
    const auto beginning = find_head(reading.text);
    if (!beginning)
      throw Error(Fault::usage,
                  fmt::format("{}:1: expected a head with the device and port of both ends, as `from host, from port, "
                              "to switch, to port`",
                              reading.origin));
    head_ = beginning->head;
    first_ = beginning->line;
    text_ = std::string_view(reading.text).substr(beginning->offset);
    each([&](const CsvRecords& record) { note_switches(record); });
    each([&](const CsvRecords& record) { read(record); });
    if (list_.fabric.nodes.empty()) list_.fail(first_, "expected cables below this head, found none");
  }
  Fabric take() { return std::move(list_.fabric); }

 private:
  struct Cells {
    std::string_view device, adapter, port;
    [[nodiscard]] bool blank() const { return device.empty() && adapter.empty() && port.empty(); }
  };

  [[noreturn]] void expected(std::string_view what, std::string_view found) const {
    list_.fail(line_, found.empty() ? fmt::format("expected {}, found nothing", what)
                                    : fmt::format("expected {}, found '{}'", what, found.substr(0, 60)));
  }

  // Every record below the head that is neither blank nor a comment.
  template <class Use>
  void each(const Use& use) {
    CsvRecords records(text_, head_.separator, first_);
    records.next(reading_.origin);
    while (records.next(reading_.origin)) {
      line_ = records.line();
      const std::string& first = records.cells().front();
      const bool comment = first.starts_with('#') && (records.cells().size() == 1 || first.starts_with("# "));
      if (!records.blank() && !comment) use(records);
    }
  }

  [[nodiscard]] Cells cells_of(const CsvRecords& record, const PlanEnd& end) const {
    const auto at = [&](std::optional<std::size_t> place) {
      return place && *place < record.cells().size() ? std::string_view(record.cells()[*place]) : std::string_view();
    };
    return {at(end.device), at(end.adapter), at(end.port)};
  }

  // "MF0;leaf7:MQM9700/U1" is leaf7.
  static std::string switch_name(std::string_view device) {
    const SwitchDescription it = read_switch_description(device);
    if (it.system.empty()) return std::string(device);
    return it.board.empty() || it.board == "U1" ? it.system : it.system + "/" + it.board;
  }

  void note_switches(const CsvRecords& record) {
    for (const PlanEnd* end : {&head_.columns.a, &head_.columns.b})
      if (const Cells cells = cells_of(record, *end); end->fabric_switch && !cells.device.empty())
        switches_.insert(switch_name(cells.device));
  }

  void read(const CsvRecords& record) {
    const Cells a = cells_of(record, head_.columns.a);
    const Cells b = cells_of(record, head_.columns.b);
    // A heading between groups of cables, or a port that stays free.
    if (a.blank() || b.blank()) return;
    const std::size_t a_port = end_of(a, head_.columns.a);
    const std::size_t b_port = end_of(b, head_.columns.b);
    list_.join(a_port, b_port, line_);
    if (!head_.columns.speed || *head_.columns.speed >= record.cells().size()) return;
    const Rate rate = rate_of(record.cells()[*head_.columns.speed]);
    list_.fabric.ports[a_port].active = list_.fabric.ports[b_port].active = rate;
  }

  std::size_t end_of(const Cells& cells, const PlanEnd& end) {
    if (cells.device.empty()) expected("the name of a device", "");
    if (cells.device.size() > longest_name) expected(fmt::format("a name of at most {} letters", longest_name), cells.device);
    if (cells.port.empty() && cells.adapter.empty()) expected(fmt::format("the port of {}", cells.device), "");
    const Description described = read_description(cells.device);
    if (switches_.contains(switch_name(cells.device))) return switch_end(cells);
    if (end.host || !described.device.empty() || !cells.adapter.empty() || !switch_port(cells.port))
      return host_end(cells, described);
    return switch_end(cells);
  }

  std::size_t switch_end(const Cells& cells) {
    const auto number = switch_port(cells.port);
    if (!number || *number > most_ports)
      expected(fmt::format("the number of a port of {}, 1 to {}", cells.device.substr(0, 60), most_ports), cells.port);
    return list_.port(node(switch_name(cells.device), FabricKind::fabric_switch), *number, line_);
  }

  std::size_t host_end(const Cells& cells, const Description& described) {
    const std::string host = described.host.empty() ? std::string(cells.device) : described.host;
    if (host.find('/') != std::string::npos || host.find(' ') != std::string::npos)
      expected("the name of a host, which has neither a slash nor a blank", host);
    HostPort port;
    if (!cells.port.empty()) {
      const auto read = host_port(cells.port);
      if (!read) expected("a port of a host as mlx5_0, mlx5_0/1, HCA-1 or 1", cells.port);
      port = *read;
    }
    for (const std::string_view adapter : {std::string_view(described.device), cells.adapter})
      if (!adapter.empty()) {
        const auto read = host_port(adapter);
        if (!read || read->adapter.empty()) expected("an adapter as mlx5_0 or HCA-1", adapter);
        if (!port.adapter.empty() && port.adapter != read->adapter)
          expected(fmt::format("a port of the adapter {}", read->adapter), cells.port);
        port.adapter = read->adapter;
        if (!port.number) port.number = read->number;
      }
    const bool counted = port.adapter.empty();
    const std::string device = counted ? fmt::format("port {}", *port.number) : port.adapter;
    const std::size_t place = node(host + " " + device, FabricKind::adapter);
    FabricNode& adapter = list_.fabric.nodes[place];
    adapter.host = host;
    adapter.device = device;
    if (counted) adapter.attributes["position"] = std::uint64_t{*port.number};
    return list_.port(place, counted ? 1 : port.number.value_or(1), line_);
  }

  std::size_t node(const std::string& key, FabricKind kind) {
    const std::size_t place = list_.node(key);
    FabricNode& it = list_.fabric.nodes[place];
    if (it.line != 0 && it.kind != kind)
      list_.fail(line_, fmt::format("{} is {} here, and was not on line {}", key.substr(0, 60),
                                    kind == FabricKind::adapter ? "a host's adapter" : "a switch", it.line));
    if (it.line == 0) {
      it.line = line_;
      it.kind = kind;
      if (kind == FabricKind::fabric_switch) it.description = key;
    }
    return place;
  }

  // "NDR", "HDR100", "4xEDR". Of a number of gigabits ("400G") the lanes are unknown, and nothing is compared.
  [[nodiscard]] Rate rate_of(const std::string& text) const {
    if (text.empty() || text == "N/A" || text == "-") return {};
    std::string word = text;
    for (char& c : word)
      if (c >= 'a' && c <= 'z' && c != 'x') c = static_cast<char>(c - 'a' + 'A');
    if (const Rate rate = infiniband_rate(word); rate.width != 0 && rate.speed > 0) return rate;
    const std::size_t digits = std::min(word.find_first_of("0123456789"), word.size());
    const InfinibandSpeed* speed = infiniband_speed(word);
    if (speed != nullptr) return {4, speed->signalling};
    speed = infiniband_speed(std::string_view(word).substr(0, digits));
    Scan scan(std::string_view(word).substr(digits));
    const auto number = scan.number();
    if (speed != nullptr && number && scan.done())
      for (const unsigned lanes : {1U, 2U, 4U})
        if (speed->data * lanes == static_cast<double>(*number)) return {lanes, speed->signalling};
    if (digits == 0 && number && (scan.blanks().done() || scan.take("G"))) return {};
    expected("a speed as NDR, HDR100 or 400G", text);
  }

  const Reading& reading_;
  FabricList list_;
  Head head_;
  std::string_view text_;  // from the head on
  std::size_t first_ = 0, line_ = 0;
  std::unordered_set<std::string> switches_;  // names that stand in a column of switches
};

}  // namespace

bool is_cable_plan(std::string_view text) { return find_head(text.substr(0, 64U << 10U)).has_value(); }

Graph read_cable_plan(const Reading& reading) {
  Graph graph = to_graph(Plan(reading).take());
  note_open_line(graph, reading);
  return graph;
}

}  // namespace railgauge::topo
