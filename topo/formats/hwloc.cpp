// From hwloc XML to the graph: machine, packages, NUMA nodes, caches and distances. PCIe is in hwloc_io.cpp.
#include "topo/formats/hwloc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "topo/formats/hwloc_handle.hpp"
#include "topo/formats/hwloc_walk.hpp"

namespace railgauge::topo {
namespace {

std::uint64_t inside(hwloc_topology_t topology, hwloc_obj_t object, hwloc_obj_type_t type) {
  const int count = hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset, type);
  return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

struct Level {
  hwloc_obj_type_t type;
  const char *count, *all, *largest;
};
constexpr auto levels = std::to_array<Level>({
    {HWLOC_OBJ_L3CACHE, "l3_caches", "l3_bytes", "l3_largest_bytes"},
    {HWLOC_OBJ_L2CACHE, "l2_caches", "l2_bytes", "l2_largest_bytes"},
    {HWLOC_OBJ_L1CACHE, "l1_caches", "l1_bytes", "l1_largest_bytes"},
});

void put_processors(hwloc_topology_t topology, hwloc_obj_t object, Attributes& attributes) {
  put(attributes, "cores", inside(topology, object, HWLOC_OBJ_CORE));
  put(attributes, "threads", inside(topology, object, HWLOC_OBJ_PU));
}

void put_caches(hwloc_topology_t topology, hwloc_obj_t object, Attributes& attributes) {
  for (const Level& level : levels) {
    std::uint64_t all = 0;
    std::uint64_t largest = 0;
    hwloc_obj_t cache = nullptr;
    std::uint64_t count = 0;
    while ((cache = hwloc_get_next_obj_inside_cpuset_by_type(topology, object->cpuset, level.type, cache)) != nullptr) {
      all += cache->attr->cache.size;
      largest = std::max<std::uint64_t>(largest, cache->attr->cache.size);
      ++count;
    }
    put(attributes, level.count, count);
    put(attributes, level.all, all);
    put(attributes, level.largest, largest);
  }
}

std::string list_of_threads(hwloc_const_bitmap_t set) {
  char* text = nullptr;
  if (set == nullptr || hwloc_bitmap_list_asprintf(&text, set) < 0) return {};
  const std::unique_ptr<char, decltype(&std::free)> owner(text, std::free);
  return text;
}

// A model is padded by some makers: "AMD EPYC 7763 64-Core Processor                ".
std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  const std::size_t end = text.find_last_not_of(' ');
  return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

std::string model_of(hwloc_obj_t package, const std::string& architecture) {
  for (const char* name : {"CPUModel", "CPUType", "CPUVendor"})
    if (std::string text = trimmed(hwloc_text(package, name)); !text.empty()) return text;
  return architecture.empty() ? "processor" : architecture + " processor";
}

// GB/s from this NUMA node's processors to its memory, where the firmware tells it; else 0.
double memory_bandwidth(hwloc_topology_t topology, hwloc_obj_t numa) {
  if (numa->cpuset == nullptr || hwloc_bitmap_iszero(numa->cpuset)) return 0;
  hwloc_location from{};
  from.type = HWLOC_LOCATION_TYPE_CPUSET;
  from.location.cpuset = numa->cpuset;
  hwloc_uint64_t mebibytes = 0;
  if (hwloc_memattr_get_value(topology, HWLOC_MEMATTR_ID_BANDWIDTH, numa, &from, 0, &mebibytes) != 0) return 0;
  return static_cast<double>(mebibytes) * 1048576 / 1e9;
}

class Processors {
 public:
  explicit Processors(HwlocWalk& walk) : walk_(walk) {}

  void visit(hwloc_obj_t object, std::string holder) {
    if (object->type == HWLOC_OBJ_MACHINE) holder = machine(object);
    if (object->type == HWLOC_OBJ_PACKAGE) holder = package(object, holder);
    for (hwloc_obj_t it = object->memory_first_child; it != nullptr; it = it->next_sibling) memory(it, holder);
    for (hwloc_obj_t it = object->first_child; it != nullptr; it = it->next_sibling) visit(it, holder);
  }

 private:
  std::string machine(hwloc_obj_t object) {
    const std::string host = hwloc_text(object, "HostName");
    Node& node = walk_.add(object, Kind::machine, "machine", "");
    node.name = host.empty() ? "machine" : host;
    put(node.attributes, "host_name", host);
    put(node.attributes, "os", hwloc_text(object, "OSName"));
    put(node.attributes, "kernel", hwloc_text(object, "OSRelease"));
    architecture_ = hwloc_text(object, "Architecture");
    put(node.attributes, "architecture", architecture_);
    put(node.attributes, "maker", trimmed(hwloc_text(object, "DMISysVendor")));
    put(node.attributes, "product", trimmed(hwloc_text(object, "DMIProductName")));
    put(node.attributes, "memory_bytes", object->total_memory);
    put(node.attributes, "packages", inside(walk_.topology, object, HWLOC_OBJ_PACKAGE));
    put_processors(walk_.topology, object, node.attributes);
    // Without packages the processors' model and caches are the machine's.
    if (inside(walk_.topology, object, HWLOC_OBJ_PACKAGE) == 0) {
      put(node.attributes, "cpu_model", model_of(object, architecture_));
      put_caches(walk_.topology, object, node.attributes);
    }
    return node.key;
  }

  std::string package(hwloc_obj_t object, const std::string& holder) {
    Node& node = walk_.add(object, Kind::package, fmt::format("package{}", object->logical_index), holder);
    node.name = model_of(object, architecture_);
    put(node.attributes, "cpu_model", node.name);
    put_processors(walk_.topology, object, node.attributes);
    put_caches(walk_.topology, object, node.attributes);
    return node.key;
  }

  void memory(hwloc_obj_t object, const std::string& holder) {
    if (object->type != HWLOC_OBJ_NUMANODE) {  // a cache in front of memory
      for (hwloc_obj_t it = object->memory_first_child; it != nullptr; it = it->next_sibling) memory(it, holder);
      return;
    }
    const bool known = object->os_index != HWLOC_UNKNOWN_INDEX;
    Node& node = walk_.add(object, Kind::numa, fmt::format("numa{}", known ? object->os_index : object->logical_index), holder);
    node.name = fmt::format("NUMA {}", node.key.substr(4));
    put(node.attributes, "memory_bytes", object->attr->numanode.local_memory);
    put(node.attributes, "memory_kind", object->subtype ? std::string(object->subtype) : std::string());
    put(node.attributes, "thread_list", list_of_threads(object->cpuset));
    put_processors(walk_.topology, object, node.attributes);
    walk_.link(holder, node.key, LinkKind::memory, memory_bandwidth(walk_.topology, object));
  }

  HwlocWalk& walk_;
  std::string architecture_;
};

struct MatrixRow {
  std::string_view name;  // that hwloc gives the matrix
  LinkKind kind;
};
constexpr auto bandwidths = std::to_array<MatrixRow>({
    {"NVLinkBandwidth", LinkKind::nvlink},
    {"XGMIBandwidth", LinkKind::xgmi},
});

// One cell of hwloc's matrix, both ways.
void add_cell(HwlocWalk& walk, const hwloc_distances_s& matrix, const MatrixRow* bandwidth, unsigned i, unsigned j) {
  const auto a = walk.keys.find(matrix.objs[i]);
  const auto b = walk.keys.find(matrix.objs[j]);
  if (a == walk.keys.end() || b == walk.keys.end() || a->second == b->second) return;
  const std::uint64_t there = matrix.values[std::size_t{i} * matrix.nbobjs + j];
  const std::uint64_t back = matrix.values[std::size_t{j} * matrix.nbobjs + i];
  if (there == 0 && back == 0) return;
  if (bandwidth != nullptr) {  // MB/s
    const std::uint64_t less = there != 0 && back != 0 ? std::min(there, back) : std::max(there, back);
    walk.link(a->second, b->second, bandwidth->kind, static_cast<double>(less) / 1e3);
  } else {
    walk.link(a->second, b->second, LinkKind::distance, 0);
    put(walk.graph.links.back().attributes, "a_to_b", there);
    put(walk.graph.links.back().attributes, "b_to_a", back);
  }
}

void add_matrix(HwlocWalk& walk, hwloc_distances_s& matrix) {
  const char* given = hwloc_distances_get_name(walk.topology, &matrix);
  const std::string_view name = given ? given : "";
  const auto row = std::find_if(bandwidths.begin(), bandwidths.end(), [&](const MatrixRow& it) { return it.name == name; });
  const MatrixRow* bandwidth = row == bandwidths.end() ? nullptr : &*row;
  const bool latency = (matrix.kind & HWLOC_DISTANCES_KIND_MEANS_LATENCY) != 0;
  for (unsigned i = 0; i < matrix.nbobjs; ++i)
    for (unsigned j = i + 1; j < matrix.nbobjs; ++j) {
      if (matrix.objs[i] == nullptr || matrix.objs[j] == nullptr) continue;
      const bool memory = matrix.objs[i]->type == HWLOC_OBJ_NUMANODE && matrix.objs[j]->type == HWLOC_OBJ_NUMANODE;
      if (bandwidth != nullptr || (latency && memory)) add_cell(walk, matrix, bandwidth, i, j);
    }
}

void add_distances(HwlocWalk& walk) {
  unsigned count = 0;
  if (hwloc_distances_get(walk.topology, &count, nullptr, 0, 0) != 0 || count == 0) return;
  std::vector<hwloc_distances_s*> matrices(count);
  if (hwloc_distances_get(walk.topology, &count, matrices.data(), 0, 0) != 0) return;
  matrices.resize(std::min<std::size_t>(count, matrices.size()));
  bool latencies = false;  // a machine can tell them twice; the first is the firmware's
  for (hwloc_distances_s* matrix : matrices) {
    const bool latency = (matrix->kind & HWLOC_DISTANCES_KIND_MEANS_LATENCY) != 0 && matrix->nbobjs > 0 &&
                         matrix->objs[0] != nullptr && matrix->objs[0]->type == HWLOC_OBJ_NUMANODE;
    if (!latency || !latencies) add_matrix(walk, *matrix);
    latencies = latencies || latency;
    hwloc_distances_release(walk.topology, matrix);
  }
}

}  // namespace

Node& HwlocWalk::add(hwloc_obj_t object, Kind kind, std::string key, const std::string& parent) {
  std::string unique = key;
  for (unsigned n = 2; !taken.insert(unique).second; ++n) unique = fmt::format("{}#{}", key, n);
  if (object != nullptr) keys[object] = unique;
  Node node;
  node.key = std::move(unique);
  node.kind = kind;
  node.parent = parent;
  node.provenance = {"hwloc"};
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back();
}

void HwlocWalk::link(const std::string& a, const std::string& b, LinkKind kind, double nominal) {
  Link link;
  link.a = a;
  link.b = b;
  link.kind = kind;
  link.bandwidth.nominal = nominal;
  link.provenance = {"hwloc"};
  graph.links.push_back(std::move(link));
}

std::string hwloc_text(hwloc_obj_t object, const char* name) {
  const char* text = hwloc_obj_get_info_by_name(object, name);
  return text ? text : "";
}

void put(Attributes& attributes, const char* name, std::string text) {
  if (!text.empty()) attributes[name] = std::move(text);
}

void put(Attributes& attributes, const char* name, std::uint64_t number) {
  if (number != 0) attributes[name] = number;
}

void append(Attributes& attributes, const char* name, std::string text) {
  if (text.empty()) return;
  auto [at, fresh] = attributes.try_emplace(name, std::vector<std::string>());
  if (auto* list = std::get_if<std::vector<std::string>>(&at->second)) list->push_back(std::move(text));
}

Graph read_hwloc(const Reading& reading) {
  check_hwloc_xml(reading.text, reading.origin);
  Graph graph;
  const HwlocTopology topology = make_hwloc(reading.origin);
  // hwloc counts the closing zero byte.
  if (hwloc_topology_set_xmlbuffer(topology.get(), reading.text.c_str(), static_cast<int>(reading.text.size() + 1)) != 0)
    throw_hwloc("hwloc_topology_set_xmlbuffer", reading.origin, errno);
  if (hwloc_topology_load(topology.get()) != 0) throw_hwloc("hwloc_topology_load", reading.origin, errno);
  HwlocWalk walk{topology.get(), graph, {}, {}};
  Processors(walk).visit(hwloc_get_root_obj(topology.get()), "");
  add_hwloc_io(walk);
  add_distances(walk);
  return graph;
}

}  // namespace railgauge::topo
