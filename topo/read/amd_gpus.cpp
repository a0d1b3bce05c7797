// Words of AMD's tools are checked as they come; pairs become links when all are known.
#include "topo/read/amd_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "topo/merge.hpp"
#include "topo/read/nodes.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

constexpr auto field_rows = std::to_array<AmdFieldRow>({
    {AmdField::accessible, "accessible", "True, False, ENABLED or DISABLED"},
    {AmdField::weight, "weight", "a weight"},
    {AmdField::hops, "hops", "a number of hops"},
    {AmdField::type, "link_type", "XGMI or PCIE"},
    {AmdField::bandwidth, "bandwidth", "the least and the most bandwidth as 50000-100000"},
    {AmdField::coherent, "coherent", "C or NC"},
    {AmdField::atomics, "atomics", "64,32, 64 or 32"},
    {AmdField::dma, "dma", "T or F"},
    {AmdField::bidirectional, "bidirectional", "T or F"},
});
static_assert(field_rows.size() == static_cast<std::size_t>(AmdField::bidirectional) + 1);

constexpr std::uint64_t largest = 1000000000;  // of weights, hops and megabytes per second

std::optional<std::uint64_t> number_in(std::string_view word) {
  Scan scan(word);
  const auto number = scan.number();
  return number && scan.done() && *number <= largest ? number : std::nullopt;
}

struct Range {
  std::uint64_t least = 0, most = 0;
};
std::optional<Range> range_in(std::string_view word) {
  const std::size_t dash = word.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto least = number_in(word.substr(0, dash));
  const auto most = number_in(word.substr(dash + 1));
  if (!least || !most || *least > *most) return std::nullopt;
  return Range{*least, *most};
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_word_of(AmdField field, std::string_view word) {
  switch (field) {
    case AmdField::accessible:
      return is_one_of(word, {"ENABLED", "DISABLED"});
    case AmdField::weight:
    case AmdField::hops:
      return number_in(word).has_value();
    case AmdField::type:
      return is_one_of(word, {"XGMI", "PCIE"});
    case AmdField::bandwidth:
      return range_in(word).has_value();
    case AmdField::coherent:
      return is_one_of(word, {"C", "NC"});
    case AmdField::atomics:
      return is_one_of(word, {"64,32", "32,64", "64", "32"});
    case AmdField::dma:
    case AmdField::bidirectional:
      return is_one_of(word, {"T", "F"});
  }
  return false;
}

class Builder {
 public:
  Builder(const AmdMachine& machine, const std::string& origin) : machine_(machine), origin_(origin) {}

  Graph build() {
    if (machine_.gpus.empty()) throw Error(Fault::usage, fmt::format("{}: there is no GPU in it", origin_));
    add("machine", Kind::machine, "machine", "");
    std::set<unsigned> numas;
    for (const auto& [number, gpu] : machine_.gpus)
      if (const auto numa = numa_of(gpu)) numas.insert(*numa);
    for (const unsigned numa : numas) add(fmt::format("numa{}", numa), Kind::numa, fmt::format("NUMA {}", numa), "machine");
    std::set<std::string> keys;
    for (const auto& [number, gpu] : machine_.gpus) {
      const std::string key = key_of(number);
      if (!keys.insert(key).second) throw Error(Fault::usage, fmt::format("{}: two GPUs have the PCI address {}", origin_, key));
      const auto numa = numa_of(gpu);
      Node& node = add(key, Kind::gpu, "AMD GPU", numa ? fmt::format("numa{}", *numa) : "machine");
      node.attributes["index"] = std::uint64_t{number};
      if (gpu.numa_affinity) node.attributes["numa_affinity"] = std::to_string(*gpu.numa_affinity);
    }
    for (const auto& [pair, words] : machine_.words) {
      const auto back = machine_.words.find({pair.second, pair.first});
      if (pair.first < pair.second)
        add_link(pair.first, pair.second, words, back == machine_.words.end() ? Words() : back->second);
      else if (back == machine_.words.end())
        add_link(pair.second, pair.first, Words(), words);
    }
    sort_depth_first(graph_);
    return std::move(graph_);
  }

 private:
  using Words = std::map<AmdField, std::string>;

  static std::optional<unsigned> numa_of(const AmdGpu& gpu) { return gpu.numa_node ? gpu.numa_node : gpu.numa_affinity; }

  std::string key_of(unsigned number) const {
    const std::string& address = machine_.gpus.at(number).address;
    return address.empty() ? fmt::format("os:rsmi{}", number) : address;
  }

  Node& add(std::string key, Kind kind, std::string name, std::string parent) {
    return add_node(graph_, std::move(key), kind, std::move(name), std::move(parent), machine_.source);
  }

  static std::string_view word_of(const Words& words, AmdField field) {
    const auto found = words.find(field);
    return found == words.end() ? std::string_view() : std::string_view(found->second);
  }

  static std::string_view either(const Words& words, const Words& back, AmdField field) {
    const std::string_view word = word_of(words, field);
    return word.empty() ? word_of(back, field) : word;
  }

  // How far the path through PCIe goes at most, where that is known.
  std::string_view path_of(unsigned a, unsigned b, std::uint64_t hops) const {
    const auto numa_a = numa_of(machine_.gpus.at(a));
    const auto numa_b = numa_of(machine_.gpus.at(b));
    if (numa_a && numa_b) return *numa_a == *numa_b ? "NODE" : "SYS";
    return hops > 2 ? "SYS" : hops == 2 ? "NODE" : "";
  }

  void add_link(unsigned a, unsigned b, const Words& words, const Words& back) {
    Link link;
    link.a = key_of(a);
    link.b = key_of(b);
    link.provenance = {machine_.source};
    const std::string_view type = either(words, back, AmdField::type);
    const std::uint64_t hops = number_in(either(words, back, AmdField::hops)).value_or(0);
    link.kind = type == "XGMI" && hops <= 1 ? LinkKind::xgmi : LinkKind::path;
    for (const AmdFieldRow& row : field_rows) {
      const std::string_view word = either(words, back, row.field);
      if (word.empty() || row.field == AmdField::bandwidth) continue;
      put_attribute(link, std::string(row.attribute), word);
      if (const std::string_view other = word_of(back, row.field); !other.empty() && other != word)
        put_attribute(link, std::string(row.attribute) + "_back", other);
    }
    if (link.kind == LinkKind::path)
      if (const std::string_view path = type == "XGMI" ? "XGMI1" : type == "PCIE" ? path_of(a, b, hops) : ""; !path.empty())
        link.attributes["path"] = std::string(path);
    carry(link, words, back);
    graph_.links.push_back(std::move(link));
  }

  static void put_attribute(Link& link, const std::string& name, std::string_view word) {
    if (const auto number = number_in(word); number && !name.starts_with("atomics"))
      link.attributes[name] = *number;
    else
      link.attributes[name] = std::string(word);
  }

  // "0-0" is what two GPUs have that nothing joins directly. The slower direction holds.
  static void carry(Link& link, const Words& words, const Words& back) {
    Range range;
    for (const Words* told : {&words, &back})
      if (const auto it = range_in(word_of(*told, AmdField::bandwidth)); it && it->most > 0)
        if (range.most == 0 || it->most < range.most) range = *it;
    if (range.most == 0) return;
    if (link.kind != LinkKind::xgmi) {
      link.attributes["min_bandwidth_megabytes_per_second"] = range.least;
      link.attributes["max_bandwidth_megabytes_per_second"] = range.most;
      return;
    }
    constexpr std::uint64_t most_links = 64;
    if (range.least > 0 && range.most % range.least == 0 && range.most / range.least <= most_links)
      link.count = static_cast<unsigned>(range.most / range.least);
    link.bandwidth.nominal = static_cast<double>(range.most) / 1000;
  }

  const AmdMachine& machine_;
  const std::string& origin_;
  Graph graph_;
};

}  // namespace

std::span<const AmdFieldRow> amd_fields() noexcept { return field_rows; }

bool is_json(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  if (!text.starts_with('[')) return text.starts_with('{');
  const std::size_t next = text.find_first_not_of(blanks, 1);
  return next != std::string_view::npos && std::string_view("[{]").find(text[next]) != std::string_view::npos;
}

AmdGpu* gpu_at(AmdMachine& machine, unsigned number) {
  if (machine.gpus.size() >= most_amd_gpus && !machine.gpus.contains(number)) return nullptr;
  return &machine.gpus[number];
}

bool put(AmdMachine& machine, unsigned from, unsigned to, AmdField field, std::string_view word) {
  if (field == AmdField::accessible) word = word == "True" ? "ENABLED" : word == "False" ? "DISABLED" : word;
  const bool silent = is_one_of(word, {"N/A", "None", "SELF", "XXXX", "UNKNOWN"});
  if (!silent && !is_word_of(field, word) && !(from == to && (word == "0" || word == "1"))) return false;
  if (from != to && !silent) machine.words[{from, to}][field] = word;
  return true;
}

Graph to_graph(const AmdMachine& machine, const std::string& origin) { return Builder(machine, origin).build(); }

void AmdTables::fail(std::size_t line, const std::string& what) const {
  throw Error(Fault::usage, fmt::format("{}:{}: {}", reading_.origin, line, what));
}

void AmdTables::begin(std::size_t line, std::optional<AmdField> field) {
  finish(line);
  field_ = field;
  headless_ = field.has_value();
}

void AmdTables::finish(std::size_t line) {
  if (headless_) fail(line, "expected the GPUs of the table, but it ends after its title");
  if (!open_.empty()) fail(line, fmt::format("the table ends before the row of {}", open_.begin()->first));
}

bool AmdTables::head(std::size_t line, const std::vector<std::string_view>& words) {
  if (words.empty() || words.size() > most_amd_gpus) return false;
  std::vector<unsigned> columns;
  const std::size_t before = machine_.gpus.size();
  for (const std::string_view word : words) {
    const auto number = number_of_(machine_, word);
    if (!number) {
      while (machine_.gpus.size() > before) machine_.gpus.erase(std::prev(machine_.gpus.end()));  // what words added stands last
      return false;
    }
    if (std::find(columns.begin(), columns.end(), *number) != columns.end())
      fail(line, fmt::format("two columns have the name {}", word.substr(0, 60)));
    columns.push_back(*number);
  }
  columns_ = std::move(columns);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    open_.emplace(words[i], columns_[i]);
    machine_.gpus[columns_[i]];
  }
  if (machine_.gpus.size() > most_amd_gpus) fail(line, fmt::format("there are more than {} GPUs in it", most_amd_gpus));
  return true;
}

void AmdTables::take(std::size_t line, const std::vector<std::string_view>& words) {
  if (!field_ || words.empty()) return;
  if (headless_) {
    headless_ = !head(line, words);
    return;
  }
  if (open_.empty()) return;
  const auto row = open_.find(words.front());
  if (row == open_.end()) return;
  if (words.size() != columns_.size() + 1)
    fail(line, fmt::format("expected {} cells in the row of {}, found {}", columns_.size(), words.front(), words.size() - 1));
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!put(machine_, row->second, columns_[i], *field_, words[i + 1]))
      fail(line, fmt::format("expected {}, found '{}'", field_rows[static_cast<std::size_t>(*field_)].expected,
                             words[i + 1].substr(0, 60)));
  open_.erase(row);
}

}  // namespace railgauge::topo
