// Reads what hwloc XML has beside the objects: distances, bandwidths between devices, bandwidths of memory.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "topo/read/hwloc_document.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t most_objects = 1024;  // of a matrix; check_hwloc_xml allows no more
constexpr std::string_view blanks = " \t\r\n";

// Words of all children of this name, one after the other.
std::vector<std::string_view> words_of(pugi::xml_node element, const char* name) {
  std::vector<std::string_view> words;
  for (const pugi::xml_node child : element.children(name)) {
    const std::string_view text = child.child_value();
    for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
      const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
      words.push_back(text.substr(at, end - at));
      at = text.find_first_not_of(blanks, end);
    }
  }
  return words;
}

template <class Map>
HwlocObject* find(const Map& map, std::uint64_t number) {
  const auto found = map.find(number);
  return found == map.end() ? nullptr : found->second;
}

void add_matrix(HwlocDocument& document, pugi::xml_node element) {
  constexpr std::uint64_t means_latency = 4;
  HwlocMatrix matrix;
  matrix.name = element.attribute("name").value();
  matrix.latency = (hwloc_number(element.attribute("kind").value()) & means_latency) != 0;
  const std::uint64_t count = hwloc_number(element.attribute("nbobjs").value());
  const std::vector<std::string_view> indexes = words_of(element, "indexes");
  const std::vector<std::string_view> values = words_of(element, "u64values");
  if (count > most_objects || indexes.size() != count || values.size() != count * count)
    document.fail(element, fmt::format("a matrix of {} objects must have {} indexes and {} values, and has {} and {}", count,
                                       count, count > most_objects ? 0 : count * count, indexes.size(), values.size()));
  const bool by_os = std::string_view(element.attribute("indexing").value()) == "os";
  const std::string_view type = element.attribute("type").value();
  if (by_os && type != "NUMANode") return;  // of hardware threads
  for (const std::string_view index : indexes) {
    const std::size_t colon = index.find(':');  // "PCIDev:637" where types are mixed
    const std::uint64_t number = hwloc_number(colon == std::string_view::npos ? index : index.substr(colon + 1));
    matrix.objects.push_back(by_os ? find(document.numa_by_os_index, number) : find(document.by_gp_index, number));
  }
  for (const std::string_view value : values) matrix.values.push_back(hwloc_number(value));
  document.tree.matrices.push_back(std::move(matrix));
}

// Of NUMA nodes' bandwidth to their processors; later words replace earlier ones about the same.
void add_bandwidths(HwlocDocument& document, pugi::xml_node attribute) {
  constexpr std::uint64_t higher_is_better_from_somewhere = 5;
  if (std::string_view(attribute.attribute("name").value()) != "Bandwidth") return;
  if (hwloc_number(attribute.attribute("flags").value()) != higher_is_better_from_somewhere) return;
  for (const pugi::xml_node value : attribute.children("memattr_value")) {
    const HwlocObject* memory = find(document.by_gp_index, hwloc_number(value.attribute("target_obj_gp_index").value()));
    const pugi::xml_attribute from = value.attribute("initiator_cpuset");
    if (memory == nullptr || memory->type != HwlocType::numa || !from) continue;
    document.tree.bandwidths.push_back({memory, HwlocSet(from.value()), hwloc_number(value.attribute("value").value())});
  }
}

}  // namespace

void add_old_distances(HwlocDocument& document, pugi::xml_node object) {
  for (const pugi::xml_node element : object.children("distances")) {
    const std::uint64_t count = hwloc_number(element.attribute("nbobjs").value());
    if (count < 2 || count > most_objects || count != document.numa.size()) continue;
    const float base = std::strtof(element.attribute("latency_base").value(), nullptr);
    std::vector<float> given;
    for (const pugi::xml_node latency : element.children("latency"))
      given.push_back(std::strtof(latency.attribute("value").value(), nullptr) * base);
    if (given.size() != count * count)
      document.fail(element,
                    fmt::format("distances of {} objects must have {} values, and have {}", count, count * count, given.size()));
    constexpr float most = 1e12F;
    if (std::any_of(given.begin(), given.end(), [](float it) { return !(it >= 0 && it <= most); })) continue;
    const bool whole = std::all_of(given.begin(), given.end(), [](float it) {
      constexpr float near = .001F;
      const float fraction = it - std::floor(it);
      return fraction <= near || fraction >= 1 - near;
    });
    HwlocMatrix matrix;
    matrix.latency = true;
    matrix.objects = document.numa;
    constexpr float parts = 1000;  // what is not whole is told in thousandths, as hwloc does
    for (const float it : given) matrix.values.push_back(static_cast<std::uint64_t>(whole ? it + .5F : it * parts));
    document.tree.matrices.push_back(std::move(matrix));
  }
}

void add_hwloc_tables(HwlocDocument& document, pugi::xml_node topology) {
  for (const pugi::xml_node element : topology.children()) {
    const std::string_view tag = element.name();
    if (tag == "distances2" || tag == "distances2hetero")
      add_matrix(document, element);
    else if (tag == "memattr")
      add_bandwidths(document, element);
  }
}

}  // namespace railgauge::topo
