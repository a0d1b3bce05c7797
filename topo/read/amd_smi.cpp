// Tables whose titles end in "TABLE:", with PCI addresses around them, and JSON with the links of each GPU.
#include "topo/read/amd_smi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "topo/pci.hpp"
#include "topo/read/amd_gpus.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/json_text.hpp"
#include "topo/read/nvidia_smi_words.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

using Json = nlohmann::json;

struct Title {
  std::string_view text;
  std::string_view key;  // in JSON
  AmdField field;
};
// amd-smi spells "COHERANCY".
constexpr auto titles = std::to_array<Title>({
    {"ACCESS TABLE:", "link_status", AmdField::accessible},
    {"WEIGHT TABLE:", "weight", AmdField::weight},
    {"HOPS TABLE:", "num_hops", AmdField::hops},
    {"LINK TYPE TABLE:", "link_type", AmdField::type},
    {"NUMA BW TABLE:", "bandwidth", AmdField::bandwidth},
    {"CACHE COHERANCY TABLE:", "coherent", AmdField::coherent},
    {"CACHE COHERENCY TABLE:", "coherent", AmdField::coherent},
    {"ATOMICS TABLE:", "atomics", AmdField::atomics},
    {"DMA TABLE:", "dma", AmdField::dma},
    {"BI-DIRECTIONAL TABLE:", "bi_dir", AmdField::bidirectional},
});

const Title* title_of(std::string_view line) {
  const auto* const row = std::find_if(titles.begin(), titles.end(), [&](const Title& it) { return it.text == line; });
  return row == titles.end() ? nullptr : row;
}

// A colon makes a word an address; "3" alone is none.
std::string address_of(std::string_view word) {
  return word.find(':') == std::string_view::npos || word.find('.') == std::string_view::npos ? std::string() : pci_key(word);
}

std::optional<unsigned> number_of(AmdMachine& machine, std::string_view word) {
  std::string address = address_of(word);
  if (address.empty()) return std::nullopt;
  for (const auto& [number, gpu] : machine.gpus)
    if (gpu.address == address) return number;
  const auto number = static_cast<unsigned>(machine.gpus.size());
  if (number >= most_amd_gpus) return std::nullopt;
  machine.gpus[number].address = std::move(address);
  return number;
}

Graph from_text(const Reading& reading) {
  AmdMachine machine;
  machine.source = reading.source;
  AmdTables tables(reading, machine, number_of);
  std::size_t last = 1;
  for (Lines lines(reading.text); lines.next();) {
    last = lines.number();
    const std::string line = smi::bare(lines.line());
    const std::string_view trimmed = std::string_view(line).substr(std::min(line.find_first_not_of(" \t"), line.size()));
    if (const Title* title = title_of(trimmed))
      tables.begin(last, title->field);
    else if (trimmed.ends_with("TABLE:"))
      tables.begin(last, std::nullopt);
    else
      tables.take(last, smi::words_of(line));
  }
  tables.finish(last);
  Graph graph = to_graph(machine, reading.origin);
  note_open_line(graph, reading);
  return graph;
}

class Document {
 public:
  explicit Document(const Reading& reading) : reading_(reading), json_(parse_json(reading, 8, 20000000)) {
    machine_.source = reading.source;
    const Json& list = list_of_gpus();
    if (!list.is_array()) fail("the file", "a list of GPUs", list);
    if (list.size() > most_amd_gpus) fail("the file", fmt::format("at most {} GPUs", most_amd_gpus), Json(list.size()));
    for (std::size_t i = 0; i < list.size(); ++i) add_gpu(list[i], fmt::format("[{}]", i));
    for (std::size_t i = 0; i < list.size(); ++i) add_links(list[i], fmt::format("[{}]", i));
  }
  AmdMachine take() { return std::move(machine_); }

 private:
  // Some versions put the list into an object.
  [[nodiscard]] const Json& list_of_gpus() const {
    if (json_.is_object())
      for (const char* name : {"gpu_data", "topology"})
        if (const auto found = json_.find(name); found != json_.end()) return *found;
    return json_;
  }

  [[noreturn]] void fail(std::string_view where, std::string_view what, const Json& found) const {
    throw Error(Fault::usage, fmt::format("{}: {}: expected {}, found {}", reading_.origin, where, what,
                                          found.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 60)));
  }

  [[nodiscard]] const Json& get(const Json& object, const std::string& where, const char* name) const {
    if (!object.is_object()) fail(where, "an object {...}", object);
    const auto found = object.find(name);
    if (found == object.end()) fail(where, fmt::format("\"{}\"", name), object);
    return *found;
  }

  [[nodiscard]] unsigned number(const Json& object, const std::string& where) const {
    const Json& value = get(object, where, "gpu");
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > 65535) fail(where + ".gpu", "the number of a GPU", value);
    return value.get<unsigned>();
  }

  void add_gpu(const Json& object, const std::string& where) {
    const unsigned index = number(object, where);
    if (machine_.gpus.contains(index)) fail(where + ".gpu", "a number that no other GPU has", Json(index));
    const Json& bdf = get(object, where, "bdf");
    AmdGpu& gpu = machine_.gpus[index];
    if (!bdf.is_string()) fail(where + ".bdf", "a PCI address", bdf);
    if (bdf.get_ref<const std::string&>() == "N/A") return;
    gpu.address = address_of(bdf.get_ref<const std::string&>());
    if (gpu.address.empty()) fail(where + ".bdf", "a PCI address", bdf);
  }

  void add_links(const Json& object, const std::string& where) {
    const unsigned from = number(object, where);
    const Json& links = get(object, where, "links");
    if (!links.is_array()) fail(where + ".links", "a list of links", links);
    for (std::size_t i = 0; i < links.size(); ++i) {
      const std::string at = fmt::format("{}.links[{}]", where, i);
      const unsigned to = number(links[i], at);
      if (!machine_.gpus.contains(to)) fail(at + ".gpu", "a GPU of this file", Json(to));
      for (const Title& title : titles)
        if (const auto value = links[i].find(title.key); value != links[i].end()) {
          const std::string word = value->is_string() ? value->get<std::string>() : value->is_null() ? "N/A" : value->dump();
          if (!put(machine_, from, to, title.field, word))
            fail(fmt::format("{}.{}", at, title.key), amd_fields()[static_cast<std::size_t>(title.field)].expected, *value);
        }
    }
  }

  const Reading& reading_;
  const Json json_;
  AmdMachine machine_;
};

}  // namespace

bool is_amd_smi(std::string_view text) {
  text = text.substr(0, 64U << 10U);
  if (is_json(text)) {
    const auto holds = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
    return holds("\"bdf\"") && holds("\"links\"") && holds("\"gpu\"");
  }
  for (Lines lines(text); lines.next();) {
    const std::string line = smi::bare(lines.line());
    if (title_of(std::string_view(line).substr(std::min(line.find_first_not_of(" \t"), line.size()))) != nullptr) return true;
  }
  return false;
}

Graph read_amd_smi(const Reading& reading) {
  return is_json(reading.text) ? to_graph(Document(reading).take(), reading.origin) : from_text(reading);
}

}  // namespace railgauge::topo
