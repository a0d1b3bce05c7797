// GPUs of AMD and what rocm-smi and amd-smi tell of each pair of them: words by field, tables of them, and the graph.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

enum class AmdField : std::uint8_t { accessible, weight, hops, type, bandwidth, coherent, atomics, dma, bidirectional };

struct AmdFieldRow {
  AmdField field;
  std::string_view attribute;  // of a link
  std::string_view expected;   // for sentences
};
[[nodiscard]] std::span<const AmdFieldRow> amd_fields() noexcept;  // in the order of the enumeration; static storage

struct AmdGpu {
  std::string address;  // PCI; empty where it is not told
  std::optional<unsigned> numa_node, numa_affinity;
};

struct AmdMachine {
  std::string source;
  std::map<unsigned, AmdGpu> gpus;                                                 // by their numbers
  std::map<std::pair<unsigned, unsigned>, std::map<AmdField, std::string>> words;  // from one to another
};

inline constexpr std::size_t most_amd_gpus = 1024;

// Whether a text is JSON: it opens an object, or a list of them. "[root@node7 ~]# rocm-smi" does not.
[[nodiscard]] bool is_json(std::string_view text);

// nullptr where the GPU would be one too many.
[[nodiscard]] AmdGpu* gpu_at(AmdMachine&, unsigned number);

// Keeps a word about a pair. False for a word that the field does not have; words that say that nothing is known ("N/A", "XXXX")
// are taken and not kept. Of a GPU and itself nothing is kept.
[[nodiscard]] bool put(AmdMachine&, unsigned from, unsigned to, AmdField, std::string_view word);

// GPUs have the key of their PCI address, or "os:rsmi0" of their number. A pair of type XGMI and one hop becomes a link of kind
// xgmi, any other a link of kind path: NODE for PCIe inside a NUMA node, SYS from one to another. Bandwidths are megabytes per
// second, the least of them of one link and the most of all links of the pair. Throws Error(usage) when two GPUs have one
// address.
[[nodiscard]] Graph to_graph(const AmdMachine&, const std::string& origin);

// Tables of GPUs by GPUs, each below its title. Lines that are no part of a table are passed over.
class AmdTables {
 public:
  // `number_of` gives the number of a GPU by what stands in heads and rows; nothing for another word.
  using Number = std::optional<unsigned> (*)(AmdMachine&, std::string_view word);
  AmdTables(const Reading& reading, AmdMachine& machine, Number number_of)
      : reading_(reading), machine_(machine), number_of_(number_of) {}

  // A title: nothing for a table that is not read.
  void begin(std::size_t line, std::optional<AmdField> field);
  void take(std::size_t line, const std::vector<std::string_view>& words);
  // Throws Error(usage) when the last table is not whole.
  void finish(std::size_t line);

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const;
  bool head(std::size_t line, const std::vector<std::string_view>& words);

  const Reading& reading_;
  AmdMachine& machine_;
  Number number_of_;
  std::optional<AmdField> field_;
  bool headless_ = false;  // below a title, and before the head
  std::vector<unsigned> columns_;
  std::map<std::string, unsigned, std::less<>> open_;  // rows to come
};

}  // namespace railgauge::topo
