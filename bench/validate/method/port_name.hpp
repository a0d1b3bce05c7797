// One name for a port, whichever spelling it was given in.
#pragma once

#include <string>

namespace railgauge::validate {

// Returns "mlx5_0/1" for "mlx5_0:1", which is the spelling of UCX.
[[nodiscard]] inline std::string port_name(std::string spelling) {
  if (const std::size_t mark = spelling.find(':'); mark != std::string::npos) spelling[mark] = '/';
  return spelling;
}

// Returns "mlx5_0" for "mlx5_0/1" and for "mlx5_0:1", and "eth0" for "eth0".
[[nodiscard]] inline std::string device_of(const std::string& port) { return port.substr(0, port.find_first_of("/:")); }

// Returns what port_name() does, and for a device alone its first port.
[[nodiscard]] inline std::string port_or_first(const std::string& spelling) {
  const std::string name = port_name(spelling);
  return name.find('/') == std::string::npos ? name + "/1" : name;
}

}  // namespace railgauge::validate
