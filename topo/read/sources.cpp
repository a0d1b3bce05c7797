// Collects, reads and stores evidence through the table of sources.
#include "topo/read/sources.hpp"

#include <fmt/format.h>

#include <array>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "topo/evidence/files.hpp"
#include "topo/generate/generate.hpp"
#include "topo/read/amd_smi.hpp"
#include "topo/read/cable_plan.hpp"
#include "topo/read/hwloc.hpp"
#include "topo/read/ibdiagnet.hpp"
#include "topo/read/ibfabric.hpp"
#include "topo/read/iblinkinfo.hpp"
#include "topo/read/json_reader.hpp"
#include "topo/read/nccl.hpp"
#include "topo/read/netlist.hpp"
#include "topo/read/netloc.hpp"
#include "topo/read/nvidia_smi.hpp"
#include "topo/read/nvml.hpp"
#include "topo/read/pcie.hpp"
#include "topo/read/plain_text.hpp"
#include "topo/read/rocm_smi.hpp"
#include "topo/read/slurm.hpp"
#include "topo/read/topograph.hpp"
#include "topo/read/verbs.hpp"

namespace railgauge::topo {
namespace fs = std::filesystem;
namespace {

// In a file the line has to end: a word that was cut is another word. In place of a file the word is its own origin.
Graph read_generated(const Reading& reading) {
  const bool file = reading.text != reading.origin + '\n';
  if (file && !reading.text.ends_with('\n'))
    throw Error(Fault::usage, fmt::format("{}:1: the line of the word does not end: the file may be cut", reading.origin));
  try {
    return generate(reading.text);
  } catch (const Error& error) {
    if (!file) throw;
    throw Error(Fault::usage, fmt::format("{}:1: {}", reading.origin, error.what()));
  }
}

constexpr auto source_rows = std::to_array<Source>({
    {"hwloc", "hwloc.xml", "processors, memory and PCIe devices, as hwloc XML", collect_hwloc, is_hwloc, read_hwloc},
    {"pcie", "pcie.txt", "PCIe links, what both ends can and what they do now, from the kernel", collect_pcie, is_pcie,
     read_pcie},
    {"verbs", "verbs.txt", "InfiniBand and RoCE ports, their rates, states and counters, from the kernel", collect_verbs,
     is_verbs, read_verbs},
    {"lspci", "lspci.txt", "PCI devices and their links, as `lspci -vvv` prints them", nullptr, is_lspci, read_lspci},
    {"nvml", "nvml.json", "NVIDIA's GPUs, NVLink and C2C, as the driver's management library tells them", collect_nvml, is_nvml,
     read_nvml},
    {"nccl", "nccl.xml", "NCCL's or RCCL's topology, as NCCL_TOPO_DUMP_FILE names it", nullptr, is_nccl, read_nccl},
    {"nccl-graph", "nccl_graph.xml", "NCCL's rings and trees, as NCCL_GRAPH_DUMP_FILE names them", nullptr, is_nccl_graph,
     read_nccl_graph},
    {"rocm-smi", "rocm-smi.txt", "AMD's GPUs and their links, as `rocm-smi --showtopo` prints them, also with --json", nullptr,
     is_rocm_smi, read_rocm_smi},
    {"amd-smi", "amd-smi.txt", "AMD's GPUs and their links, as `amd-smi topology` prints them, also with --json", nullptr,
     is_amd_smi, read_amd_smi},
    {"nvidia-smi", "nvidia-smi.txt", "what nvidia-smi topo -m, topo -p2p, nvlink -s and nvlink -R print", nullptr, is_nvidia_smi,
     read_nvidia_smi},
    {"ibfabric", "ibfabric.txt", "the InfiniBand fabric, what each node and port answered", nullptr, is_ibfabric, read_ibfabric},
    {"ibnetdiscover", "ibnetdiscover.out", "an InfiniBand fabric, as ibnetdiscover prints it", nullptr, is_ibnetdiscover,
     read_netlist},
    {"ibnetdiscover-p", "ibnetdiscover-p.out", "the ports of an InfiniBand fabric, as `ibnetdiscover -p` prints them", nullptr,
     is_ibnetdiscover_ports, read_ibnetdiscover_ports},
    {"ibdiagnet", "ibdiagnet2.db_csv", "an InfiniBand fabric with what its ports counted, as ibdiagnet writes it", nullptr,
     is_ibdiagnet_database, read_ibdiagnet_database},
    {"ibdiagnet-lst", "ibdiagnet2.lst", "the links of an InfiniBand fabric, as ibdiagnet lists them", nullptr, is_ibdiagnet_links,
     read_ibdiagnet_links},
    {"iblinkinfo", "iblinkinfo.txt", "the ports of an InfiniBand fabric, as iblinkinfo prints them", nullptr, is_iblinkinfo,
     read_iblinkinfo},
    {"ibsim", "ibsim.net", "a fabric for the simulator ibsim", nullptr, is_ibsim, read_netlist},
    {"slurm-conf", "topology.conf", "Slurm's tree of switches, or blocks, and their hosts", nullptr, is_slurm_conf,
     read_slurm_conf},
    {"slurm-yaml", "topology.yaml", "Slurm's topologies, from version 25.05 on", nullptr, is_slurm_yaml, read_slurm_yaml},
    {"topograph", "topograph.yaml", "NVIDIA topograph's model of a cluster: switches, hosts and NVLink domains", nullptr,
     is_topograph_model, read_topograph_model},
    {"netloc", "netloc.txt", "an InfiniBand subnet, as netloc of hwloc 2 writes it", nullptr, is_netloc, read_netloc},
    {generated_source, "generated.txt", "a machine or fabric to generate, as one word: rail:hosts=64,host=dgx-h100", nullptr,
     is_generate_word, read_generated},
    {"railgauge", "railgauge.json", "a graph that --as json wrote", nullptr, is_railgauge_json, read_json},
    {cable_plan_source, "cables.csv", "a cable plan: a table with the device and port at both ends of each cable", nullptr,
     is_cable_plan, read_cable_plan},
});

std::string names_of_files() {
  std::string names;
  for (const Source& source : source_rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", source.file);
  return names;
}

std::string names_of_sources() {
  std::string names;
  for (const Source& source : source_rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", source.name);
  return names;
}

Evidence read_folder(const fs::path& folder) {
  Evidence evidence;
  for (const Source& source : source_rows) {
    const fs::path path = folder / source.file;
    std::error_code error;
    if (fs::exists(path, error))
      evidence.push_back({std::string(source.name), path.string(), plain_text(read_file(path), path.string())});
  }
  if (evidence.empty())
    throw Error(Fault::usage, fmt::format("{}: this folder holds no topology ({}); `railgauge topo --save DIR` makes one",
                                          folder.string(), names_of_files()));
  return evidence;
}

}  // namespace

std::span<const Source> sources() noexcept { return source_rows; }

Evidence collect(const fs::path& root, std::vector<Silence>* silent) {
  Evidence evidence;
  const std::string origin = root.empty() ? "this machine" : fmt::format("the machine under {}", root.string());
  for (const Source& source : source_rows) {
    if (source.collect == nullptr) continue;
    Taken taken = source.collect(root);
    if (!taken.text.empty())
      evidence.push_back({std::string(source.name), origin, std::move(taken.text)});
    else if (silent != nullptr)
      silent->push_back({std::string(source.name), std::move(taken.reason)});
  }
  if (evidence.empty()) throw Error(Fault::usage, fmt::format("{}: nothing is recorded there that can be read", root.string()));
  return evidence;
}

Evidence read_evidence(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return read_folder(path);
  if (const std::string word = path.string(); is_generate_word(word) && !fs::exists(path, error))
    return {{std::string(generated_source), word, word + '\n'}};
  std::string text = plain_text(read_file(path), path.string());
  for (const Source& source : source_rows)
    if (source.recognise(text)) return {{std::string(source.name), path.string(), std::move(text)}};
  throw Error(Fault::usage,
              fmt::format("{}: this is no topology that railgauge reads; it reads {}", path.string(), names_of_sources()));
}

std::vector<fs::path> save(const Evidence& evidence, const fs::path& folder) {
  std::error_code error;
  for (const Source& source : source_rows)
    if (fs::exists(folder / source.file, error))
      throw Error(Fault::usage,
                  fmt::format("{}: a topology is stored there already; name another folder", (folder / source.file).string()));
  const bool made = fs::create_directories(folder, error);
  if (error) throw Error(Fault::usage, fmt::format("{}: cannot make this folder: {}", folder.string(), error.message()));
  std::vector<fs::path> written;
  try {
    for (const Reading& reading : evidence)
      for (const Source& source : source_rows)
        if (source.name == reading.source) {
          write_new_file(folder / source.file, reading.text);
          written.push_back(folder / source.file);
        }
  } catch (const Error&) {
    for (const fs::path& path : written) fs::remove(path, error);
    if (made) fs::remove(folder, error);
    throw;
  }
  return written;
}

}  // namespace railgauge::topo
