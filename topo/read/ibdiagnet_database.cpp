// Reads ibdiagnet2.db_csv: tables between START_NAME and END_NAME, each with a head of column names.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "topo/csv.hpp"
#include "topo/infiniband.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/fabric_list.hpp"
#include "topo/read/ibdiagnet.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

constexpr std::string_view begin_word = "START_";
constexpr std::string_view end_word = "END_";

struct CounterColumn {
  std::string_view column, counter;  // as column_name() has it, and the kernel's name
};
constexpr auto counter_columns = std::to_array<CounterColumn>({
    {"symbolerrorcounter", "symbol_error"},
    {"linkerrorrecoverycounter", "link_error_recovery"},
    {"linkdownedcounter", "link_downed"},
    {"portrcverrors", "port_rcv_errors"},
    {"portrcvremotephysicalerrors", "port_rcv_remote_physical_errors"},
    {"portrcvswitchrelayerrors", "port_rcv_switch_relay_errors"},
    {"portxmitdiscards", "port_xmit_discards"},
    {"portxmitconstrainterrors", "port_xmit_constraint_errors"},
    {"portrcvconstrainterrors", "port_rcv_constraint_errors"},
    {"localintegrityerrors", "local_link_integrity_errors"},
    {"locallinkintegrityerrors", "local_link_integrity_errors"},
    {"excessivebufferoverrunerrors", "excessive_buffer_overrun_errors"},
    {"excessbufferoverrunerrors", "excessive_buffer_overrun_errors"},
    {"vl15dropped", "VL15_dropped"},
    {"portxmitwait", "port_xmit_wait"},
    {"portxmitdata", "port_xmit_data"},
    {"portrcvdata", "port_rcv_data"},
    {"portxmitpkts", "port_xmit_packets"},
    {"portrcvpkts", "port_rcv_packets"},
});

// Of one number a byte for each of PortInfo's fields: LinkSpeedActive, LinkSpeedExtActive, the vendor's own, LinkSpeedExtActive2.
double speed_of(std::uint64_t code) {
  if ((code & 0xff000000U) != 0) return infiniband_speed("XDR")->signalling;
  const auto plain = static_cast<unsigned>(code & 0xffU);
  const auto extended = static_cast<unsigned>((code >> 8U) & 0xffU);
  if (extended == 0 && (code & 0x10000U) != 0) return infiniband_speed("FDR10")->signalling;
  return infiniband_rate(0, extended != 0 ? 0 : plain, extended).speed;
}

class Database {
 public:
  explicit Database(const Reading& reading) : list_(reading), fabric_(list_.fabric) {
    for (Lines lines(reading.text); lines.next();) {
      line_ = lines.number();
      read(lines.line());
    }
    if (!section_.empty())
      fail(line_, fmt::format("section {} begins on line {} and does not end; is the file cut off?", section_, begin_));
    if (!has_nodes_) fail(line_, "expected a section NODES (START_NODES ... END_NODES)");
    check_known();
  }

  Fabric take() { return std::move(fabric_); }

 private:
  using Row = void (Database::*)();
  struct SectionRow {
    std::string_view name;
    Row row;
  };
  [[noreturn]] void fail(std::size_t line, const std::string& what) const { list_.fail(line, what); }

  void read(std::string_view line) {
    if (section_.empty()) {
      if (!line.starts_with(begin_word)) return;
      section_ = line.substr(begin_word.size());
      begin_ = line_;
      columns_.clear();
      row_ = nullptr;
      static constexpr auto sections = std::to_array<SectionRow>(
          {{"NODES", &Database::node}, {"PORTS", &Database::port}, {"LINKS", &Database::link}, {"PM_INFO", &Database::counters}});
      for (const SectionRow& section : sections)
        if (section.name == section_) row_ = section.row;
      has_nodes_ = has_nodes_ || section_ == "NODES";
      return;
    }
    if (line.starts_with(end_word) && line.substr(end_word.size()) == section_) {
      section_.clear();
      return;
    }
    if (line.starts_with(begin_word) && line.find(',') == std::string_view::npos)
      fail(line_, fmt::format("expected {}{}, which line {} began, found {}", end_word, section_, begin_, line.substr(0, 60)));
    if (row_ == nullptr || line.empty()) return;
    CsvRecords record(line, ',', line_);
    record.next(fabric_.origin);
    cells_ = record.cells();
    if (!columns_.empty()) return (this->*row_)();
    for (std::size_t i = 0; i < cells_.size(); ++i) columns_.emplace(column_name(cells_[i]), i);
  }

  // nullptr for a column that this version does not write, and for a cell that says that the value is unknown.
  [[nodiscard]] const std::string* cell(std::string_view name) const {
    const auto column = columns_.find(std::string(name));
    if (column == columns_.end()) return nullptr;
    if (column->second >= cells_.size())
      fail(line_, fmt::format("expected {} values, as the head of section {} has columns, found {}", columns_.size(), section_,
                              cells_.size()));
    const std::string& value = cells_[column->second];
    return value.empty() || value == "N/A" || value == "NA" ? nullptr : &value;
  }

  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name) const {
    const std::string* text = cell(name);
    if (text == nullptr) return std::nullopt;
    Scan scan(*text);
    const bool hexadecimal = scan.take("0x");
    const auto value = scan.number(hexadecimal ? 16 : 10);
    if (!value || !scan.done()) fail(line_, fmt::format("expected a number as {}, found '{}'", name, text->substr(0, 60)));
    return value;
  }

  [[nodiscard]] std::uint64_t needed(std::string_view name, std::uint64_t most) const {
    const auto value = number(name);
    if (!value || *value > most) fail(line_, fmt::format("expected a number up to {} as {} of section {}", most, name, section_));
    return *value;
  }

  [[nodiscard]] std::string guid(std::string_view name) const {
    const std::string* text = cell(name);
    std::string key = text == nullptr ? std::string() : guid_key(*text);
    if (key.empty())
      fail(line_, fmt::format("expected a GUID as {} of section {}, found '{}'", name, section_,
                              text == nullptr ? "" : text->substr(0, 60)));
    return key;
  }

  std::size_t place_of(const std::string& key) {
    const std::size_t place = list_.node(key);
    if (place == first_seen_.size()) first_seen_.push_back(line_);
    return place;
  }

  void node() {
    const std::size_t place = place_of(guid("nodeguid"));
    FabricNode& it = fabric_.nodes[place];
    if (it.line != 0) fail(line_, fmt::format("{} is here and on line {}: a GUID names one node only", it.key, it.line));
    it.line = line_;
    const std::uint64_t type = needed("nodetype", 255);
    if (type < 1 || type > 3)
      fail(line_, fmt::format("expected 1 (adapter), 2 (switch) or 3 (router) as nodetype, found {}", type));
    it.kind = type == 1 ? FabricKind::adapter : type == 2 ? FabricKind::fabric_switch : FabricKind::router;
    if (const std::string* description = cell("nodedesc")) it.description = *description;
    it.ports = static_cast<unsigned>(needed("numports", 255));
    if (const auto vendor = number("vendorid")) it.attributes["vendor_id"] = fmt::format("{:#x}", *vendor);
    if (const auto device = number("deviceid")) it.attributes["device_id"] = fmt::format("{:#x}", *device);
    if (const std::string* system = cell("systemimageguid"))
      if (std::string key = guid_key(*system); !key.empty()) it.attributes["system_guid"] = std::move(key);
  }

  // Port 0 of a switch is its management's, which has the switch's LID.
  void port() {
    const std::size_t node = place_of(guid("nodeguid"));
    const auto number_here = static_cast<unsigned>(needed("portnum", most_ports));
    const auto lid = number("lid");
    if (number_here == 0) {
      if (lid.value_or(0) != 0) fabric_.nodes[node].attributes["lid"] = *lid;
      return;
    }
    const std::size_t place = list_.port(node, number_here, line_);
    FabricPort& it = fabric_.ports[place];
    if (!described_.insert(place).second)
      fail(line_, fmt::format("port {} of {} is described twice", number_here, fabric_.nodes[node].key));
    it.line = line_;
    if (lid.value_or(0) != 0) it.attributes["lid"] = *lid;
    if (const std::string* text = cell("portguid"))
      if (std::string key = guid_key(*text); !key.empty()) it.attributes["port_guid"] = std::move(key);
    it.state = port_state(number("portstate").value_or(0), number("portphystate").value_or(0));
    if (it.state == LinkState::down || it.state == LinkState::disabled) return;  // its registers hold no rate
    it.active = rate("linkwidthactv", "linkspeedactv");
    it.capable = rate("linkwidthsup", "linkspeedsup");
  }

  [[nodiscard]] Rate rate(std::string_view width, std::string_view speed) const {
    return {infiniband_lanes(static_cast<unsigned>(number(width).value_or(0) & 0xffU)), speed_of(number(speed).value_or(0))};
  }

  void link() {
    const std::size_t a = place_of(guid("nodeguid1"));
    const std::size_t b = place_of(guid("nodeguid2"));
    const std::size_t a_port = list_.port(a, static_cast<unsigned>(needed("portnum1", most_ports)), line_);
    const std::size_t b_port = list_.port(b, static_cast<unsigned>(needed("portnum2", most_ports)), line_);
    list_.join(a_port, b_port, line_);
  }

  void counters() {
    const std::size_t node = place_of(guid("nodeguid"));
    const auto number_here =
        static_cast<unsigned>(needed(columns_.contains("portnumber") ? "portnumber" : "portnum", most_ports));
    if (number_here == 0) return;
    Counters found;
    for (const CounterColumn& it : counter_columns)
      if (const auto value = number(it.column)) found[std::string(it.counter)] = *value;
    fabric_.ports[list_.port(node, number_here, line_)].counters = std::move(found);
  }

  void check_known() const {
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i)
      if (fabric_.nodes[i].line == 0)
        fail(first_seen_[i], fmt::format("expected a node of section NODES, found {}", fabric_.nodes[i].key));
  }

  FabricList list_;
  Fabric& fabric_;  // of the list
  std::size_t line_ = 1, begin_ = 0;
  std::string section_;
  bool has_nodes_ = false;
  Row row_ = nullptr;
  std::unordered_map<std::string, std::size_t> columns_;
  std::vector<std::string> cells_;
  std::vector<std::size_t> first_seen_;        // lines that name the nodes first
  std::unordered_set<std::size_t> described_;  // ports that section PORTS has had
};

}  // namespace

bool is_ibdiagnet_database(std::string_view text) {
  for (Lines lines(text.substr(0, 1U << 20U)); lines.next();)
    if (lines.line() == "START_NODES" || lines.line() == "START_LINKS" || lines.line() == "START_PORTS") return true;
  return false;
}

Graph read_ibdiagnet_database(const Reading& reading) {
  Graph graph = to_graph(Database(reading).take());
  note_open_line(graph, reading);
  return graph;
}

}  // namespace railgauge::topo
