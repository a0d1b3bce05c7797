// Takes what the kernel says of RDMA devices and their ports: states, rates and counters.
#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>

#include "topo/evidence/collectors.hpp"
#include "topo/evidence/evidence.hpp"
#include "topo/evidence/sysfs.hpp"

namespace railgauge::topo {
namespace fs = std::filesystem;
namespace {

constexpr auto of_device =
    std::to_array<const char*>({"node_guid", "sys_image_guid", "node_desc", "node_type", "fw_ver", "hca_type", "board_id"});
constexpr auto of_port = std::to_array<const char*>({"link_layer", "state", "phys_state", "rate", "lid", "sm_lid"});

class Text {
 public:
  void put(std::string_view name, std::string_view value) {
    if (!value.empty()) fmt::format_to(std::back_inserter(text_), "{} {}\n", name, value);
  }

  void device(const fs::path& folder, const std::string& name) {
    put("device", name);
    put("pci", sysfs_link(folder / "device"));
    for (const char* file : of_device) put(file, sysfs_line(folder / file));
    for (const std::string& interface : sysfs_names(folder / "device" / "net")) put("interface", interface);
    for (const std::string& port : sysfs_names(folder / "ports")) this->port(folder / "ports" / port, port);
  }

  [[nodiscard]] std::string text() const { return text_; }

 private:
  void port(const fs::path& folder, const std::string& number) {
    if (number.find_first_not_of("0123456789") != std::string::npos) return;
    put("port", number);
    for (const char* file : of_port) put(file, sysfs_line(folder / file));
    put("gid", sysfs_line(folder / "gids" / "0"));
    for (const auto& [counters, word] : {std::pair{"counters", "counter"}, std::pair{"hw_counters", "hw_counter"}})
      for (const std::string& counter : sysfs_names(folder / counters)) {
        const std::string value = sysfs_line(folder / counters / counter);
        // Beside counters stand settings, and names of things that this device does not count.
        const bool number_only = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
        if (number_only && counter != "lifespan") put(word, counter + " " + value);
      }
  }

  std::string text_;
};

bool is_word(const std::string& name) {
  for (const char c : name)
    if (static_cast<unsigned char>(c) <= ' ') return false;
  return true;
}

}  // namespace

Taken collect_verbs(const fs::path& root) {
  const fs::path folder = (root.empty() ? fs::path("/") : root) / "sys/class/infiniband";
  Text text;
  for (const std::string& name : sysfs_names(folder))
    if (is_word(name)) text.device(folder / name, name);
  if (text.text().empty()) return {{}, fmt::format("{}: no RDMA device", folder.string())};
  return {fmt::format("railgauge verbs 1\n{}{}\n", text.text(), end_of_evidence), {}};
}

}  // namespace railgauge::topo
