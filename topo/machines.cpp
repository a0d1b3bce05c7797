// The names of topo/machines.hpp.
#include "topo/machines.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge::topo {
namespace {

std::string_view short_name(std::string_view name) { return name.substr(0, name.find('.')); }

}  // namespace

MachineNames::MachineNames(const View& view) {
  for (std::size_t i = 0; i < view.graph().nodes.size(); ++i) {
    const Node& node = view.node(i);
    if (node.kind != Kind::machine) continue;
    whole_.try_emplace(node.key, i);
    whole_.try_emplace(node.name, i);
    short_.try_emplace(std::string(short_name(node.name)), i);
  }
}

std::size_t MachineNames::at(std::string_view host) const {
  if (const auto found = whole_.find(host); found != whole_.end()) return found->second;
  if (const auto found = short_.find(short_name(host)); found != short_.end()) return found->second;
  throw Error(Fault::usage, fmt::format("there is no machine {} in this graph", host));
}

}  // namespace railgauge::topo
