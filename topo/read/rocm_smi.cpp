// Tables below titles in lines of "=", lines "GPU[0] : (Topology) Numa Node: 0", and the same as keys of JSON.
#include "topo/read/rocm_smi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "topo/notes.hpp"
#include "topo/read/amd_gpus.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/json_text.hpp"
#include "topo/read/nvidia_smi_words.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

using Json = nlohmann::json;

struct Title {
  std::string_view text;  // in the line above the table
  std::string_view key;   // in JSON, before "between DRM devices 0 and 1"
  AmdField field;
};
constexpr auto titles = std::to_array<Title>({
    {"Link accessibility between two GPUs", "Link accessibility", AmdField::accessible},
    {"Weight between two GPUs", "Weight", AmdField::weight},
    {"Hops between two GPUs", "Hops", AmdField::hops},
    {"Link Type between two GPUs", "Link type", AmdField::type},
    {"Bandwidth", "", AmdField::bandwidth},
});
constexpr std::string_view first_title = "ROCm System Management Interface";
constexpr std::string_view last_title = "End of ROCm SMI Log";
constexpr std::string_view topology = "(Topology) ";
constexpr std::string_view numa_node = "Numa Node";
constexpr std::string_view numa_affinity = "Numa Affinity";

// "==== Hops between two GPUs ====", also where a copy lost some of the signs.
std::optional<std::string_view> title_of(std::string_view line) {
  while (!line.empty() && Scan::is_blank(line.front())) line.remove_prefix(1);
  if (!line.starts_with("==")) return std::nullopt;
  const std::size_t first = line.find_first_not_of("= ");
  if (first == std::string_view::npos) return std::nullopt;
  return line.substr(first, line.find_last_not_of("= ") - first + 1);
}

std::optional<unsigned> number_of(AmdMachine& /*machine*/, std::string_view word) { return smi::numbered(word, "GPU"); }

class Text {
 public:
  explicit Text(const Reading& reading) : reading_(reading), tables_(reading, machine_, number_of) {
    machine_.source = reading.source;
    for (Lines lines(reading.text); lines.next();) {
      line_ = lines.number();
      read(smi::bare(lines.line()));
    }
    tables_.finish(line_);
  }

  Graph build() {
    Graph graph = to_graph(machine_, reading_.origin);
    note_open_line(graph, reading_);
    if (begun_ && !ended_)
      add_note(graph,
               fmt::format("{}:{}: the output does not end with `{}`: it was cut here", reading_.origin, line_, last_title));
    return graph;
  }

 private:
  [[noreturn]] void expected(std::string_view what, std::string_view found) const {
    throw Error(Fault::usage, fmt::format("{}:{}: expected {}, found '{}'", reading_.origin, line_, what, found.substr(0, 60)));
  }

  void read(const std::string& line) {
    if (const auto title = title_of(line)) {
      const auto* const row = std::find_if(titles.begin(), titles.end(), [&](const Title& it) { return it.text == *title; });
      tables_.begin(line_, row == titles.end() ? std::nullopt : std::optional(row->field));
      begun_ = begun_ || *title == first_title;
      ended_ = ended_ || *title == last_title;
      return;
    }
    for (const auto& [words, member] : {std::pair{numa_node, &AmdGpu::numa_node}, {numa_affinity, &AmdGpu::numa_affinity}})
      if (const std::size_t at = line.find(std::string(topology) + std::string(words) + ":"); at != std::string::npos) {
        read_numa(std::string_view(line).substr(0, at), std::string_view(line).substr(at + topology.size() + words.size() + 1),
                  member);
        return;
      }
    tables_.take(line_, smi::words_of(line));
  }

  // "GPU[0]\t\t: " or "GPU 0: ", and " 0"; -1 is a GPU whose NUMA node the kernel does not know.
  void read_numa(std::string_view gpu, std::string_view value, std::optional<unsigned> AmdGpu::* member) {
    Scan scan(gpu);
    if (scan.blanks().take("GPU")) {
      if (!scan.take("[")) scan.blanks();
      if (const auto number = scan.number(); number && *number <= 65535) {
        Scan word(value);
        word.blanks();
        if (word.rest() == "-1") {
          gpu_at(static_cast<unsigned>(*number));
          return;
        }
        const auto numa = word.number();
        if (!numa || !word.blanks().done() || *numa > 65535) expected("the number of a NUMA node", value);
        gpu_at(static_cast<unsigned>(*number)).*member = static_cast<unsigned>(*numa);
        return;
      }
    }
    expected("a GPU as `GPU[0]`", gpu);
  }

  AmdGpu& gpu_at(unsigned number) {
    AmdGpu* gpu = topo::gpu_at(machine_, number);
    if (gpu == nullptr) expected(fmt::format("at most {} GPUs", most_amd_gpus), fmt::format("GPU[{}]", number));
    return *gpu;
  }

  const Reading& reading_;
  AmdMachine machine_;
  AmdTables tables_;
  std::size_t line_ = 1;
  bool begun_ = false, ended_ = false;  // a part that was pasted has neither title
};

// Of "card0" the NUMA node; of "system" the pairs, each once.
class Document {
 public:
  explicit Document(const Reading& reading) : reading_(reading), json_(parse_json(reading, 8, 10000000)) {
    machine_.source = reading.source;
    for (const auto& [name, value] : json_.items()) {
      if (!value.is_object()) fail(name, "an object {...}", value);
      if (name == "system")
        for (const auto& [key, word] : value.items()) read_pair(key, word);
      else if (const auto card = smi::numbered(name, "card"))
        read_card(*card, name, value);
    }
  }
  AmdMachine take() { return std::move(machine_); }

 private:
  [[noreturn]] void fail(std::string_view where, std::string_view what, const Json& found) const {
    const std::string name = Json(std::string(where.substr(0, 80))).dump(-1, ' ', true, Json::error_handler_t::replace);
    throw Error(Fault::usage, fmt::format("{}: {}: expected {}, found {}", reading_.origin, name, what,
                                          found.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 60)));
  }

  static std::string word_of(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.is_null() ? "N/A" : value.is_boolean() ? (value.get<bool>() ? "True" : "False") : value.dump();
  }

  AmdGpu& gpu_at(unsigned number, std::string_view where) {
    AmdGpu* gpu = topo::gpu_at(machine_, number);
    if (gpu == nullptr) fail(where, fmt::format("at most {} GPUs", most_amd_gpus), Json(number));
    return *gpu;
  }

  void read_card(unsigned card, const std::string& name, const Json& value) {
    AmdGpu& gpu = gpu_at(card, name);
    for (const auto& [words, member] : {std::pair{numa_node, &AmdGpu::numa_node}, {numa_affinity, &AmdGpu::numa_affinity}})
      if (const auto found = value.find(std::string(topology) + std::string(words)); found != value.end()) {
        const std::string word = word_of(*found);
        if (word == "-1" || word == "N/A") continue;
        const auto number = smi::whole(word);
        if (!number) fail(name, "the number of a NUMA node", *found);
        gpu.*member = number;
      }
  }

  // "(Topology) Hops between DRM devices 0 and 1"
  void read_pair(const std::string& key, const Json& value) {
    Scan scan(key);
    if (!scan.take(topology)) return;
    for (const Title& title : titles) {
      if (title.key.empty() || !scan.take(title.key)) continue;
      if (!scan.take(" between DRM devices ")) fail(key, "`between DRM devices 0 and 1`", value);
      const auto a = scan.number();
      const bool two = scan.take(" and ");
      const auto b = scan.number();
      if (!a || !two || !b || !scan.done() || *a > 65535 || *b > 65535) fail(key, "two numbers of GPUs", value);
      gpu_at(static_cast<unsigned>(*a), key);
      gpu_at(static_cast<unsigned>(*b), key);
      if (!put(machine_, static_cast<unsigned>(*a), static_cast<unsigned>(*b), title.field, word_of(value)))
        fail(key, amd_fields()[static_cast<std::size_t>(title.field)].expected, value);
      return;
    }
  }

  const Reading& reading_;
  const Json json_;
  AmdMachine machine_;
};

}  // namespace

bool is_rocm_smi(std::string_view text) {
  if (is_json(text)) return text.find("\"(Topology) ") != std::string_view::npos;
  for (Lines lines(text.substr(0, 64U << 10U)); lines.next();) {
    const std::string line = smi::bare(lines.line());
    if (const auto title = title_of(line))
      if (*title == first_title || *title == "Numa Nodes" || title->ends_with("between two GPUs")) return true;
  }
  return false;
}

Graph read_rocm_smi(const Reading& reading) {
  return is_json(reading.text) ? to_graph(Document(reading).take(), reading.origin) : Text(reading).build();
}

}  // namespace railgauge::topo
