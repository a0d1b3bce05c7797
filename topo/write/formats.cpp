// The table of formats.
#include "topo/write/formats.hpp"

#include <fmt/format.h>

#include <array>

#include "base/error.hpp"
#include "topo/fingerprint.hpp"
#include "topo/read/netlist.hpp"
#include "topo/read/slurm.hpp"

namespace railgauge::topo {
namespace {

constexpr auto format_rows = std::to_array<Format>({
    {"tree", "for people", to_text},
    {"json", "for programs, docs/topology.schema.json", to_json},
    {"matrix", "paths between GPUs and NICs, as nvidia-smi topo -m draws them", to_matrix},
    {"nccl", "the file that NCCL_TOPO_FILE names", to_nccl},
    {"fingerprint", "what the hosts are made of, without names and states: two that differ can be diffed", to_fingerprint},
    {"ibsim", "the InfiniBand fabric, for the simulator ibsim", to_ibsim},
    {"slurm-conf", "Slurm's topology.conf", to_slurm_conf},
    {"slurm-yaml", "Slurm's topology.yaml", to_slurm_yaml},
    {"dot", "for Graphviz", to_dot},
    {"graphml", "for Gephi and yEd", to_graphml},
    {"svg", "a picture", picture_svg, picture_svg},
    {"html", "a picture in one page, with search, facts and tables", picture_html, picture_html},
});

}  // namespace

std::span<const Format> formats() noexcept { return format_rows; }

std::string names_of_formats() {
  std::string names;
  for (const Format& format : format_rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  return names;
}

const Format& find_format(std::string_view name) {
  for (const Format& format : format_rows)
    if (format.name == name) return format;
  throw Error(Fault::usage, fmt::format("--as {}: there is no such format; there are {}", name, names_of_formats()));
}

}  // namespace railgauge::topo
