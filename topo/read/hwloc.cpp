// From hwloc XML to the graph: machine, packages, NUMA nodes, caches and distances. PCIe is in hwloc_io.cpp.
#include "topo/read/hwloc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "topo/read/hwloc_tree.hpp"
#include "topo/read/hwloc_walk.hpp"

namespace railgauge::topo {
namespace {

struct Sizes {
  std::uint64_t count = 0, bytes = 0, largest = 0;
};

// Objects of one kind by the processors they hold, to count those inside a set in a time that grows with the set alone.
class Holders {
 public:
  void add(const HwlocObject& object) {
    object.processors.each([&](std::size_t bit) {
      if (at_.size() <= bit) at_.resize(bit + 1);
      at_[bit] = objects_.size() + 1;
    });
    objects_.push_back({&object, object.processors.size(), 0});
  }

  [[nodiscard]] std::size_t all() const { return objects_.size(); }

  // What lies in `set` with all its processors.
  Sizes inside(const HwlocSet& set) {
    Sizes sizes;
    set.each([&](std::size_t bit) {
      if (bit >= at_.size() || at_[bit] == 0) return;
      Holder& holder = objects_[at_[bit] - 1];
      if (++holder.met != holder.processors) return;
      ++sizes.count;
      sizes.bytes += holder.object->bytes;
      sizes.largest = std::max(sizes.largest, holder.object->bytes);
    });
    set.each([&](std::size_t bit) {
      if (bit < at_.size() && at_[bit] != 0) objects_[at_[bit] - 1].met = 0;
    });
    return sizes;
  }

 private:
  struct Holder {
    const HwlocObject* object;
    std::size_t processors, met;
  };
  std::vector<Holder> objects_;
  std::vector<std::size_t> at_;  // of each processor, the place of its holder in objects_ and 1; 0 is none
};

struct Level {
  unsigned level;
  const char *count, *all, *largest;
};
constexpr auto levels = std::to_array<Level>({
    {3, "l3_caches", "l3_bytes", "l3_largest_bytes"},
    {2, "l2_caches", "l2_bytes", "l2_largest_bytes"},
    {1, "l1_caches", "l1_bytes", "l1_largest_bytes"},
});

// A model is padded by some makers: "AMD EPYC 7763 64-Core Processor                ".
std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  const std::size_t end = text.find_last_not_of(' ');
  return begin == std::string_view::npos ? std::string() : std::string(text.substr(begin, end - begin + 1));
}

std::string model_of(const HwlocInfos& infos, const std::string& architecture) {
  for (const char* name : {"CPUModel", "CPUType", "CPUVendor"})
    if (std::string text = trimmed(hwloc_info(infos, name)); !text.empty()) return text;
  return architecture.empty() ? "processor" : architecture + " processor";
}

class Processors {
 public:
  explicit Processors(HwlocWalk& walk) : walk_(walk) {
    gather(*walk.tree.root);
    for (const HwlocBandwidth& it : walk.tree.bandwidths) bandwidths_[it.memory].push_back(&it);
  }

  void visit(const HwlocObject& object, std::string holder) {
    if (object.type == HwlocType::machine) holder = machine(object);
    if (object.type == HwlocType::package) holder = package(object, holder);
    for (const HwlocObject* it : object.memory) memory(*it, holder);
    for (const HwlocObject* it : object.children) visit(*it, holder);
  }

 private:
  void gather(const HwlocObject& object) {
    if (object.type == HwlocType::package && !object.processors.empty()) packaged_.push_back(&object);
    if (object.type == HwlocType::core) cores_.add(object);
    if (object.type == HwlocType::thread) threads_.add(object);
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (object.type == HwlocType::cache && object.level == levels[i].level) caches_[i].add(object);
    for (const HwlocObject* it : object.memory) gather(*it);
    if (object.type == HwlocType::numa) memory_bytes_ += object.bytes;
    for (const HwlocObject* it : object.children) gather(*it);
  }

  void put_processors(const HwlocObject& object, Attributes& attributes) {
    put(attributes, "cores", cores_.inside(object.processors).count);
    put(attributes, "threads", threads_.inside(object.processors).count);
  }

  void put_caches(const HwlocObject& object, Attributes& attributes) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const Sizes sizes = caches_[i].inside(object.processors);
      put(attributes, levels[i].count, sizes.count);
      put(attributes, levels[i].all, sizes.bytes);
      put(attributes, levels[i].largest, sizes.largest);
    }
  }

  std::string machine(const HwlocObject& object) {
    // Since version 3 the operating system's words stand beside the machine.
    const auto info = [&](const char* name) {
      const std::string_view own = hwloc_info(object.infos, name);
      return std::string(own.empty() ? hwloc_info(walk_.tree.infos, name) : own);
    };
    const std::string host = info("HostName");
    Node& node = walk_.add(&object, Kind::machine, "machine", "");
    node.name = host.empty() ? "machine" : host;
    put(node.attributes, "host_name", host);
    put(node.attributes, "os", info("OSName"));
    put(node.attributes, "kernel", info("OSRelease"));
    architecture_ = info("Architecture");
    put(node.attributes, "architecture", architecture_);
    put(node.attributes, "maker", trimmed(info("DMISysVendor")));
    put(node.attributes, "product", trimmed(info("DMIProductName")));
    put(node.attributes, "memory_bytes", memory_bytes_);
    put(node.attributes, "packages", packaged_.size());
    put(node.attributes, "cores", cores_.all());
    put(node.attributes, "threads", threads_.all());
    // Without packages the processors' model and caches are the machine's.
    if (packaged_.empty()) {
      put(node.attributes, "cpu_model", model_of(object.infos, architecture_));
      put_caches(object, node.attributes);
    } else {
      put_unpackaged(node.attributes);
    }
    return node.key;
  }

  // Processors beside the packages: of a firmware that tells the packages of some only.
  void put_unpackaged(Attributes& attributes) {
    std::uint64_t cores = 0;
    std::uint64_t threads = 0;
    for (const HwlocObject* it : packaged_) {
      cores += cores_.inside(it->processors).count;
      threads += threads_.inside(it->processors).count;
    }
    if (cores < cores_.all()) put(attributes, "cores_without_package", cores_.all() - cores);
    if (threads < threads_.all()) put(attributes, "threads_without_package", threads_.all() - threads);
  }

  std::string package(const HwlocObject& object, const std::string& holder) {
    Node& node = walk_.add(&object, Kind::package, fmt::format("package{}", next_package_++), holder);
    node.name = model_of(object.infos, architecture_);
    put(node.attributes, "cpu_model", node.name);
    put_processors(object, node.attributes);
    put_caches(object, node.attributes);
    return node.key;
  }

  // GB/s from this NUMA node's processors to its memory, where the firmware tells it; else 0.
  double bandwidth(const HwlocObject& numa) const {
    const auto told = bandwidths_.find(&numa);
    if (told == bandwidths_.end() || numa.processors.empty()) return 0;
    for (const HwlocBandwidth* it : told->second)
      if (numa.processors.inside(it->processors)) return static_cast<double>(it->mebibytes_per_second) * 1048576 / 1e9;
    return 0;
  }

  void memory(const HwlocObject& object, const std::string& holder) {
    if (object.type != HwlocType::numa) {  // a cache in front of memory
      for (const HwlocObject* it : object.memory) memory(*it, holder);
      return;
    }
    const std::uint64_t number = object.os_index.value_or(next_numa_);
    ++next_numa_;
    Node& node = walk_.add(&object, Kind::numa, fmt::format("numa{}", number), holder);
    node.name = fmt::format("NUMA {}", node.key.substr(4));
    put(node.attributes, "memory_bytes", object.bytes);
    put(node.attributes, "memory_kind", object.subtype);
    put(node.attributes, "thread_list", object.processors.list());
    put_processors(object, node.attributes);
    walk_.link(holder, node.key, LinkKind::memory, bandwidth(object));
  }

  HwlocWalk& walk_;
  Holders cores_, threads_;
  std::array<Holders, levels.size()> caches_;
  std::unordered_map<const HwlocObject*, std::vector<const HwlocBandwidth*>> bandwidths_;
  std::string architecture_;
  std::vector<const HwlocObject*> packaged_;  // packages with processors
  std::uint64_t memory_bytes_ = 0, next_package_ = 0, next_numa_ = 0;
};

struct MatrixRow {
  std::string_view name;  // that hwloc gives the matrix
  LinkKind kind;
};
constexpr auto bandwidths = std::to_array<MatrixRow>({
    {"NVLinkBandwidth", LinkKind::nvlink},
    {"XGMIBandwidth", LinkKind::xgmi},
});

using LinkPlaces = std::map<std::pair<std::string, std::string>, std::size_t>;  // both ends of a link of this matrix: its place

// One cell of hwloc's matrix, in both directions.
void add_cell(HwlocWalk& walk, LinkPlaces& told, const HwlocMatrix& matrix, const MatrixRow* bandwidth, std::size_t i,
              std::size_t j) {
  const auto a = walk.keys.find(matrix.objects[i]);
  const auto b = walk.keys.find(matrix.objects[j]);
  if (a == walk.keys.end() || b == walk.keys.end() || a->second == b->second) return;
  const std::uint64_t there = matrix.values[i * matrix.objects.size() + j];
  const std::uint64_t back = matrix.values[j * matrix.objects.size() + i];
  if (there == 0 && back == 0) return;
  if (bandwidth != nullptr) {  // MB/s
    const std::uint64_t less = there != 0 && back != 0 ? std::min(there, back) : std::max(there, back);
    // Logical devices of one package (CPX, TPX) have an object each, and share the links of the package.
    const double gigabytes = static_cast<double>(less) / 1e3;
    const auto [at, fresh] = told.try_emplace(std::minmax(a->second, b->second), walk.graph.links.size());
    if (fresh)
      walk.link(a->second, b->second, bandwidth->kind, gigabytes);
    else
      walk.graph.links[at->second].bandwidth.nominal = std::max(walk.graph.links[at->second].bandwidth.nominal, gigabytes);
  } else {
    walk.link(a->second, b->second, LinkKind::distance, 0);
    put(walk.graph.links.back().attributes, "a_to_b", there);
    put(walk.graph.links.back().attributes, "b_to_a", back);
  }
}

void add_matrix(HwlocWalk& walk, const HwlocMatrix& matrix) {
  const auto row =
      std::find_if(bandwidths.begin(), bandwidths.end(), [&](const MatrixRow& it) { return it.name == matrix.name; });
  const MatrixRow* bandwidth = row == bandwidths.end() ? nullptr : &*row;
  const std::vector<HwlocObject*>& objects = matrix.objects;
  LinkPlaces told;
  for (std::size_t i = 0; i < objects.size(); ++i)
    for (std::size_t j = i + 1; j < objects.size(); ++j) {
      if (objects[i] == nullptr || objects[j] == nullptr) continue;
      const bool memory = objects[i]->type == HwlocType::numa && objects[j]->type == HwlocType::numa;
      if (bandwidth != nullptr || (matrix.latency && memory)) add_cell(walk, told, matrix, bandwidth, i, j);
    }
}

void add_distances(HwlocWalk& walk) {
  bool latencies = false;  // a machine can tell them twice; the first is the firmware's
  for (const HwlocMatrix& matrix : walk.tree.matrices) {
    const bool latency =
        matrix.latency && !matrix.objects.empty() && matrix.objects[0] != nullptr && matrix.objects[0]->type == HwlocType::numa;
    if (!latency || !latencies) add_matrix(walk, matrix);
    latencies = latencies || latency;
  }
}

}  // namespace

Node& HwlocWalk::add(const HwlocObject* object, Kind kind, const std::string& key, const std::string& parent) {
  std::string unique = key;
  unsigned& wanted = taken[key];
  for (unsigned n = ++wanted; n > 1; wanted = ++n) {
    unique = fmt::format("{}#{}", key, n);
    if (taken.try_emplace(unique, 1).second) break;
  }
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
  const HwlocTree tree = read_hwloc_tree(reading);
  Graph graph;
  HwlocWalk walk{tree, graph, {}, {}};
  Processors(walk).visit(*tree.root, "");
  add_hwloc_io(walk);
  add_distances(walk);
  return graph;
}

}  // namespace railgauge::topo
