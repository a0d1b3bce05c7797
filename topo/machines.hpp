// Machines of a graph by what people call them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "topo/view.hpp"

namespace railgauge::topo {

// By the key, else the name, else the name without its domain; of a name that several have, the first machine.
class MachineNames {
 public:
  explicit MachineNames(const View& view);

  // Its place in Graph::nodes. Throws Error(usage) where there is none.
  [[nodiscard]] std::size_t at(std::string_view host) const;

 private:
  std::map<std::string, std::size_t, std::less<>> whole_, short_;
};

}  // namespace railgauge::topo
