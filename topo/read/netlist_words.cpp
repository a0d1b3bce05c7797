// Tells what ibnetdiscover prints from ibsim's netlists.
#include "topo/read/netlist_words.hpp"

#include <array>
#include <cstdint>

#include "topo/read/netlist.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace netlist {
namespace {

constexpr auto node_word_rows = std::to_array<NodeWord>({{"Switch", FabricKind::fabric_switch},
                                                         {"Hca", FabricKind::adapter},
                                                         {"Ca", FabricKind::adapter},
                                                         {"Rt", FabricKind::router},
                                                         {"Router", FabricKind::router}});

}  // namespace

std::span<const NodeWord> node_words() noexcept { return node_word_rows; }

bool is_heading(std::string_view line) {
  for (const std::string_view start : {"Chassis ", "Non-Chassis", "Spine Nodes", "Line Nodes", "Chassis Switches"})
    if (line.starts_with(start)) return true;
  return false;
}

bool is_warning(std::string_view line) {
  return line.starts_with("ibwarn: ") || line.starts_with("src/") || line.starts_with("ibdebug: ");
}

}  // namespace netlist

namespace {

using namespace netlist;

enum class Flavour { none, ibnetdiscover, ibsim };

Flavour flavour_of(std::string_view text) {
  constexpr std::size_t far_enough = 64U << 10U;  // comments before the first line that says something
  for (Lines lines(text.substr(0, far_enough)); lines.next();) {
    const std::string_view line = lines.line();
    if (line.starts_with("# Topology file: generated on")) return Flavour::ibnetdiscover;
    if (line.empty() || line[0] == '#' || is_warning(line)) continue;
    for (const std::string_view start :
         {"vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=", "Non-Chassis Nodes"})
      if (line.starts_with(start)) return Flavour::ibnetdiscover;
    for (const std::string_view start : {"hcaguids=", "width=", "speed=", "extspeed=", "module=", "include \"", "do "})
      if (line.starts_with(start)) return Flavour::ibsim;
    for (const NodeWord& word : node_words()) {
      Scan scan(line);
      if (!scan.take(word.word) || scan.done() || !Scan::is_blank(scan.rest()[0])) continue;
      if (!scan.blanks().number() || !scan.blanks().rest().starts_with('"')) continue;
      return Flavour::ibsim;
    }
    if (is_heading(line)) continue;
    return Flavour::none;
  }
  return Flavour::none;
}

}  // namespace

bool is_ibnetdiscover(std::string_view text) { return flavour_of(text) == Flavour::ibnetdiscover; }
bool is_ibsim(std::string_view text) { return flavour_of(text) == Flavour::ibsim; }

}  // namespace railgauge::topo
