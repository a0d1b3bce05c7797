// What ibdiagnet writes of an InfiniBand fabric: the database ibdiagnet2.db_csv and the list of links ibdiagnet2.lst.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

[[nodiscard]] bool is_ibdiagnet_database(std::string_view text);
[[nodiscard]] bool is_ibdiagnet_links(std::string_view text);

// Sections NODES, PORTS, LINKS and PM_INFO; others are passed over. Throws Error(usage) that names the line.
[[nodiscard]] Graph read_ibdiagnet_database(const Reading&);

// Each line is a link; numbers are hexadecimal. Throws Error(usage) that names the line.
[[nodiscard]] Graph read_ibdiagnet_links(const Reading&);

}  // namespace railgauge::topo
