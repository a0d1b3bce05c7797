// One name for a port, however it was said.
#pragma once

#include <string>

namespace railgauge::validate {

// "mlx5_0/1" of "mlx5_0:1", as UCX takes it.
[[nodiscard]] inline std::string port_name(std::string said) {
  if (const std::size_t mark = said.find(':'); mark != std::string::npos) said[mark] = '/';
  return said;
}

// "mlx5_0" of "mlx5_0/1" and of "mlx5_0:1", "eth0" of itself.
[[nodiscard]] inline std::string device_of(const std::string& port) { return port.substr(0, port.find_first_of("/:")); }

// As port_name(), and of a device alone its first port.
[[nodiscard]] inline std::string port_or_first(const std::string& said) {
  const std::string name = port_name(said);
  return name.find('/') == std::string::npos ? name + "/1" : name;
}

}  // namespace railgauge::validate
