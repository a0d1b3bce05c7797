// Reads line by line: a head of columns begins a table, "GPU 0: " begins the links of a GPU, all else is passed over.
#include "topo/read/nvidia_smi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "topo/merge.hpp"
#include "topo/notes.hpp"
#include "topo/path.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/nccl.hpp"
#include "topo/read/nodes.hpp"
#include "topo/read/nvidia_smi_ending.hpp"
#include "topo/read/nvidia_smi_words.hpp"

namespace railgauge::topo {
namespace {

using namespace smi;

constexpr std::size_t most_devices = 1024;
constexpr unsigned most_nvlinks = 18;  // of a GPU whose NVLinks may lead to other GPUs directly
struct Gpu {
  std::string name, uuid, cpu_affinity, numa_affinity, gpu_numa;
  std::map<unsigned, SmiLink> lanes;  // from 0, as NVML counts
  bool all_inactive = false;          // told in one sentence, and the number of links is not
};

class Reader {
 public:
  explicit Reader(const Reading& reading) : reading_(reading), origin_(reading.origin), text_(reading.text) {}

  Graph run() {
    each_line(text_, [&](std::string_view line, std::size_t number) {
      line_ = number;
      if (line.size() > 65536) fail("this line is longer than 65536 characters");
      take(bare(line));
    });
    finish();
    if (gpus_.empty()) fail("there is no GPU in it");
    if (const std::string missing = ending_.missing_links(); !missing.empty()) fail(missing);
    const bool may_be_cut = ending_.check_open_line(reading_);
    const auto nic = std::find_if(nics_.begin(), nics_.end(),
                                  [&](const std::string& name) { return name.starts_with("NIC") && !legend_.contains(name); });
    if (nic != nics_.end() && nic_legend_) fail(fmt::format("the NIC legend ends before {}", *nic));
    const bool unnamed = nic != nics_.end() && (legend_begun_ || is_unterminated(text_));
    const std::string where = unnamed ? fmt::format("{}:{}: nothing tells the name of {}", origin_, line_, *nic) : "";
    Graph graph = build();
    if (may_be_cut) note_open_line(graph, reading_);
    if (unnamed) add_note(graph, where + ": the NIC legend is missing, and the output may be cut");
    return graph;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", origin_, line_, what));
  }

  void take(const std::string& line) {
    if (const std::size_t at = line.find("-p2p "); at != std::string::npos) {
      constexpr auto kinds = std::to_array<std::pair<char, std::string_view>>(
          {{'r', "p2p_read"}, {'w', "p2p_write"}, {'n', "p2p_nvlink"}, {'a', "p2p_atomics"}, {'p', "p2p_pci"}});
      for (const auto& [letter, name] : kinds)
        if (at + 5 < line.size() && line[at + 5] == letter) p2p_ = name;
    }
    if (auto columns = head_of(line); !columns.empty()) {
      finish();
      begin(std::move(columns));
    } else if (const auto heading = heading_of(line)) {
      finish();
      gpu_ = heading->gpu;
      Gpu& gpu = gpus_[heading->gpu];
      gpu.name = heading->name;
      gpu.uuid = heading->uuid;
      ending_.heading(gpu.name, heading->gpu);
    } else if (gpu_ && is_all_inactive(line)) {
      gpus_[*gpu_].all_inactive = true;
      other(line);
    } else if (const auto words = words_of(line); !words.empty()) {
      if (words.front() == "Link" && words.size() > 2 && gpu_)
        lane(words);
      else if (open_.contains(std::string(words.front())))
        table_row(words);
      else if (words.size() == 2 && words[0].ends_with(':') && numbered(words[0].substr(0, words[0].size() - 1), "NIC"))
        add_legend(words[0].substr(0, words[0].size() - 1), words[1]);
      else
        other(line);
    }
  }

  void add_legend(std::string_view nic, std::string_view name) {
    legend_[std::string(nic)] = name;
    ending_.legend(line_, name);
  }

  void other(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("GPU ") && line.find("(UUID") != std::string_view::npos)
      fail("expected `GPU 0: MODEL (UUID: GPU-...)`, and the line ends before that");
    nic_legend_ = nic_legend_ || line.starts_with("NIC Legend");
    legend_begun_ = legend_begun_ || line.starts_with("Legend");
    ending_.other(line_, line);
  }

  void begin(std::vector<std::string> columns) {
    if (columns.size() > most_devices) fail(fmt::format("the table has more than {} columns", most_devices));
    columns_ = std::move(columns);
    open_ = {columns_.begin(), columns_.end()};
    if (open_.size() != columns_.size()) fail("two columns have one name");
    for (const std::string& column : columns_) {
      if (const auto number = numbered(column, "GPU"))
        gpus_[*number];
      else if (std::find(nics_.begin(), nics_.end(), column) == nics_.end())
        nics_.push_back(column);
    }
    gpu_.reset();
  }

  void table_row(const std::vector<std::string_view>& words) {
    const std::string name(words.front());
    const auto gpu = numbered(name, "GPU");
    if (words.size() <= columns_.size())
      fail(fmt::format("the row of {} has {} of {} cells", name, words.size() - 1, columns_.size()));
    for (std::size_t i = 0; i < columns_.size() && i + 1 < words.size(); ++i) {
      const std::string_view word = words[i + 1];
      if (!is_cell(word) || (path_class_of(word) == PathClass::nv && word.size() > 8))
        fail(fmt::format("\"{}\" between {} and {} is no word of nvidia-smi topo", word.substr(0, 60), name, columns_[i]));
      if (columns_[i] != name) put(name, columns_[i], std::string(word));
    }
    open_.erase(name);
    if (!gpu) return;
    ending_.row(line_, {words.begin() + static_cast<std::ptrdiff_t>(columns_.size()) + 1, words.end()});
    Gpu& it = gpus_[*gpu];
    constexpr auto fields = std::to_array<std::string Gpu::*>({&Gpu::cpu_affinity, &Gpu::numa_affinity, &Gpu::gpu_numa});
    for (std::size_t i = 0; i < fields.size() && columns_.size() + 1 + i < words.size(); ++i)
      if (const std::string_view word = words[columns_.size() + 1 + i]; word != "N/A") it.*fields[i] = word;
  }

  void put(const std::string& a, const std::string& b, std::string word) {
    const bool back = cells_.contains({b, a});
    auto& cell = cells_[back ? Pair{b, a} : Pair{a, b}];
    const std::string name = is_p2p(word) ? p2p_ : "path";
    cell[back ? name + "_back" : name] = std::move(word);
  }

  void finish() {
    const auto missing = std::find_if(columns_.begin(), columns_.end(), [&](const auto& it) { return open_.contains(it); });
    if (missing != columns_.end()) fail(fmt::format("the table ends before the row of {}", *missing));
    columns_.clear();
  }

  // "Link 0: 25 GB/s", "Link 0: <inactive>", "Link 0: Remote Device 00000000:07:00.0: Link 46".
  void lane(const std::vector<std::string_view>& words) {
    std::string_view number = words[1];
    if (number.ends_with(':')) number.remove_suffix(1);
    const auto index = whole(number);
    if (!index || *index > 255) fail(fmt::format("\"{}\" is no number of an NVLink", words[1].substr(0, 60)));
    if (const std::string fault = fault_of_link(words); !fault.empty()) fail(fault);
    ending_.link(line_, words);
    SmiLink& it = gpus_[*gpu_].lanes[*index];
    if (const std::string fault = read_link(words, it); !fault.empty()) fail(fault);
  }

  // NVML counts GPUs in the order of their PCI addresses. Where the far ends are GPUs, as many as there are, each link must be
  // the same link seen from its other end.
  void place_gpus() {
    std::set<std::string> remotes;
    for (const auto& [index, gpu] : gpus_)
      for (const auto& [number, it] : gpu.lanes)
        if (!it.remote.empty()) remotes.insert(it.remote);
    remote_ends_ = !remotes.empty();
    if (remotes.size() != gpus_.size()) return;
    std::map<std::string, unsigned> order;
    auto address = remotes.begin();
    for (const auto& [index, gpu] : gpus_) order[*address++] = index;
    std::map<unsigned, std::string> back;
    for (const auto& [where, index] : order) back[index] = where;
    for (const auto& [index, gpu] : gpus_)
      for (const auto& [number, it] : gpu.lanes) {
        if (it.remote.empty() || it.far_end == 0) continue;
        const auto& others = gpus_.at(order.at(it.remote)).lanes;
        const auto other = others.find(it.far_end - 1);
        if (other == others.end() || other->second.remote != back[index] || other->second.far_end != number + 1) return;
      }
    addresses_ = std::move(back);
    places_ = std::move(order);
  }

  [[nodiscard]] std::string key_of(unsigned gpu) const {
    const auto found = addresses_.find(gpu);
    return found != addresses_.end() ? found->second : fmt::format("os:nvml{}", gpu);
  }
  [[nodiscard]] std::string key_of(const std::string& column) const {
    if (const auto gpu = numbered(column, "GPU")) return key_of(*gpu);
    const auto named = legend_.find(column);
    return "os:" + (named == legend_.end() ? column : named->second);
  }

  Node& add(std::string key, Kind kind, std::string name, std::string parent) {
    return add_node(graph_, std::move(key), kind, std::move(name), std::move(parent), "nvidia-smi");
  }
  Link& link(const std::string& a, const std::string& b, LinkKind kind) {
    Link link;
    link.a = a;
    link.b = b;
    link.kind = kind;
    link.provenance = {"nvidia-smi"};
    graph_.links.push_back(std::move(link));
    return graph_.links.back();
  }

  Graph build() {
    place_gpus();
    add("machine", Kind::machine, "machine", "");
    std::map<unsigned, std::set<std::string>> numas;
    for (const auto& [index, gpu] : gpus_)
      if (const auto numa = whole(gpu.numa_affinity)) numas[*numa].insert(gpu.cpu_affinity);
    for (const auto& [numa, threads] : numas) {
      Node& node = add(fmt::format("numa{}", numa), Kind::numa, fmt::format("NUMA {}", numa), "machine");
      if (threads.size() == 1 && !threads.begin()->empty()) node.attributes["thread_list"] = *threads.begin();
    }
    std::set<std::string> taken;
    for (const auto& [index, gpu] : gpus_) {
      add_gpu(index, gpu);
      taken.insert(key_of(index));
    }
    std::uint64_t order = 0;
    for (const std::string& column : nics_) {
      const std::string key = key_of(column);
      if (!taken.insert(key).second) fail(fmt::format("two devices are called {}", key.substr(3)));
      Node& node = add(key, Kind::nic, key.substr(3), numa_of(column));
      node.attributes["index"] = order++;
      if (!column.starts_with("NIC") || legend_.contains(column))
        node.attributes["verbs"] = std::vector<std::string>{key.substr(3)};
    }
    add_lanes();
    add_switches();
    for (const auto& [pair, words] : cells_) add_cell(pair, words);
    sort_depth_first(graph_);
    return std::move(graph_);
  }

  void add_gpu(unsigned index, const Gpu& gpu) {
    const auto numa = whole(gpu.numa_affinity);
    Node& node = add(key_of(index), Kind::gpu, gpu.name.empty() ? "NVIDIA GPU" : gpu.name,
                     numa ? fmt::format("numa{}", *numa) : "machine");
    node.attributes["index"] = std::uint64_t{index};
    const auto put = [&](const char* name, const std::string& text) {
      if (!text.empty()) node.attributes[name] = text;
    };
    put("uuid", gpu.uuid);
    put("cpu_affinity", gpu.cpu_affinity);
    put("numa_affinity", gpu.numa_affinity);
    put("gpu_numa_id", gpu.gpu_numa);
    if (gpu.lanes.empty() && !gpu.all_inactive) return;
    node.attributes["nvlinks_active"] = static_cast<std::uint64_t>(
        std::count_if(gpu.lanes.begin(), gpu.lanes.end(), [](const auto& lane) { return !lane.second.inactive; }));
    if (!gpu.lanes.empty()) node.attributes["nvlinks"] = std::uint64_t{gpu.lanes.size()};
  }

  // A NIC is of the NUMA node of a GPU that it reaches within one.
  [[nodiscard]] std::string numa_of(const std::string& nic) const {
    for (const auto& [index, gpu] : gpus_) {
      const std::string column = fmt::format("GPU{}", index);
      auto cell = cells_.find({column, nic});
      if (cell == cells_.end()) cell = cells_.find({nic, column});
      if (cell == cells_.end() || !cell->second.contains("path")) continue;
      const PathClass path = path_class_of(cell->second.at("path"));
      const auto numa = whole(gpu.numa_affinity);
      if (numa && path >= PathClass::pix && path <= PathClass::node) return fmt::format("numa{}", *numa);
    }
    return "machine";
  }

  void add_lanes() {
    std::set<std::string> switches;
    const bool pairs = std::any_of(cells_.begin(), cells_.end(), [](const auto& cell) {
      return cell.second.contains("path") && path_class_of(cell.second.at("path")) == PathClass::nv;
    });
    for (const auto& [index, gpu] : gpus_) {
      std::map<double, unsigned> active;
      for (const auto& [number, it] : gpu.lanes) {
        if (it.remote.empty() && !it.inactive) {
          ++active[it.speed];
          continue;
        }
        std::string far = key_of(index);
        if (const auto other = places_.find(it.remote); other != places_.end()) {
          if (other->second < index && it.far_end != 0) continue;  // told by the other end
          far = it.remote;
        } else if (!it.remote.empty()) {
          far = it.remote;
          if (switches.insert(far).second) add(far, Kind::nvswitch, "NVSwitch", "machine");
        }
        Link& made = link(key_of(index), far, LinkKind::nvlink);
        made.a_port = number + 1;
        made.b_port = it.far_end;
        made.state = it.inactive ? LinkState::down : LinkState::active;
        if (!it.inactive) carry(made, it.speed);
      }
      for (const auto& [speed, count] : active) {
        if (pairs) break;  // the table tells where they lead
        Link& made = link(key_of(index), key_of(index), LinkKind::nvlink);
        made.count = count;
        made.state = LinkState::active;
        carry(made, speed);
      }
    }
  }

  // A pair's NV# counts all links of both, where switches join them: then a row adds up to more links than a GPU has.
  void add_switches() {
    const std::map<unsigned, NvlinkRow> rows = nvlink_rows(cells_);
    for (const auto& [gpu, row] : rows) {
      unsigned active = 0;
      for (const auto& [number, it] : gpus_[gpu].lanes) active += it.inactive ? 0 : 1;
      switched_ = switched_ || row.sum > (active > 0 ? active : most_nvlinks);
    }
    switched_ = switched_ && !remote_ends_;
    if (switched_) add("nvswitch", Kind::nvswitch, "NVSwitches that this table does not name", "machine");
    for (const auto& [gpu, row] : rows) {
      if (!switched_) return;
      Link& made = link(key_of(gpu), "nvswitch", LinkKind::nvlink);
      made.count = row.most;
      carry(made, slowest(gpu));
    }
  }

  [[nodiscard]] double slowest(unsigned gpu) const {
    double least = 0;
    for (const auto& [number, it] : gpus_.at(gpu).lanes)
      if (it.speed > 0 && (least == 0 || it.speed < least)) least = it.speed;
    return least;
  }

  void add_cell(const Pair& pair, const std::map<std::string, std::string>& words) {
    const auto told = words.find("path");
    const bool nvlink = told != words.end() && path_class_of(told->second) == PathClass::nv;
    const bool elsewhere = remote_ends_ || (switched_ && nvlink);
    if (nvlink && elsewhere && words.size() <= 2) return;  // `nvlink -R` told each of these links, or switches have them
    const bool xgmi = nvlink && told->second.starts_with("XGMI");
    Link& made = link(key_of(pair.first), key_of(pair.second),
                      !nvlink || elsewhere ? LinkKind::path
                      : xgmi               ? LinkKind::xgmi
                                           : LinkKind::nvlink);
    for (const auto& [name, word] : words) {
      if (name.ends_with("_back") && words.contains(name.substr(0, name.size() - 5)) &&
          words.at(name.substr(0, name.size() - 5)) == word)
        continue;
      if (name == "path" && nvlink) continue;
      made.attributes[name] = word;
    }
    if (!nvlink || elsewhere) return;
    made.count = std::max(whole(std::string_view(told->second).substr(xgmi ? 4 : 2)).value_or(1), 1U);
    double least = 0;
    for (const std::string& column : {pair.first, pair.second})
      if (const auto gpu = numbered(column, "GPU"))
        if (const double here = slowest(*gpu); here > 0 && (least == 0 || here < least)) least = here;
    carry(made, least);
  }

  const Reading& reading_;
  const std::string& origin_;
  std::string_view text_;
  std::size_t line_ = 0;
  std::vector<std::string> columns_, nics_;
  std::set<std::string> open_;  // columns whose row is to come
  std::map<std::string, std::string> legend_;
  std::map<unsigned, Gpu> gpus_;
  Cells cells_;
  std::optional<unsigned> gpu_;  // whose links are being read
  std::string p2p_ = "p2p";
  std::map<unsigned, std::string> addresses_;  // of GPUs, where they can be told
  std::map<std::string, unsigned> places_;     // and back
  bool remote_ends_ = false, legend_begun_ = false, nic_legend_ = false, switched_ = false;
  Ending ending_;
  Graph graph_;
};

}  // namespace

Graph read_nvidia_smi(const Reading& reading) { return Reader(reading).run(); }

}  // namespace railgauge::topo
