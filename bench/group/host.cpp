// Reads the host's name, kernel and CPU model.
#include "bench/group/host.hpp"
#include "base/version.hpp"

#include <sys/utsname.h>

#include <fstream>

namespace railgauge {

Host describe_host() {
  Host host;
  utsname names{};
  if (::uname(&names) == 0) {
    host.name = names.nodename;
    host.kernel = std::string(names.sysname) + " " + names.release;
  }
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; host.cpu.empty() && std::getline(cpus, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) host.cpu = line.substr(colon + 2);
  }
  return host;
}

std::vector<std::pair<std::string, std::string>> versions(const ChosenTransport& transport) {
  std::vector<std::pair<std::string, std::string>> result{{"railgauge", std::string(version())}};
  for (const ChosenTransport::ConfiguredTransport& part : transport.parts)
    if (*part.known->table->version != '\0') result.emplace_back(part.known->name, part.known->table->version);
  return result;
}

std::string gpu_of(const Result& result) {
  if (result.point.device == "host") return {};
  for (const auto& [what, version] : result.versions) {
    const std::size_t open = version.find(" (");
    if (what == device_of_rank_0 && open != std::string::npos && version.ends_with(')'))
      return version.substr(open + 2, version.size() - open - 3);
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> settings_of(const ChosenTransport& transport) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const ChosenTransport::ConfiguredTransport& part : transport.parts)
    for (const auto& [name, value] : part.settings) result.emplace_back(part.known->name + "." + name, value);
  return result;
}

}  // namespace railgauge
