// From the JSON of NVML's answers to plain values; whatever has another type or size than it must have is named.
#include "topo/read/nvml_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"

namespace railgauge::topo {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_devices = 256;
constexpr std::size_t most_links = 128;  // of one GPU
constexpr std::size_t most_partitions = 64;
constexpr std::size_t most_nodes = 1024;  // of NUMA
constexpr std::size_t longest_text = 1024;

// A value and its path in the document, for error messages.
class Place {
 public:
  Place(const Json& json, const std::string& origin, std::string path) : json_(json), origin_(origin), path_(std::move(path)) {}

  [[noreturn]] void fail(std::string_view expected) const {
    throw Error(Fault::usage, fmt::format("{}: {}: expected {}, there stands {}", origin_, path_.empty() ? "the file" : path_,
                                          expected, short_text()));
  }
  void expect_object() const {
    if (!json_.is_object()) fail("an object {...}");
  }

  template <class Use>
  void with(const char* key, Use use) const {
    expect_object();
    if (const auto at = json_.find(key); at != json_.end() && !at->is_null()) use(Place(*at, origin_, step(key)));
  }
  template <class Use>
  void each(const char* key, std::size_t most, Use use) const {
    with(key, [&](const Place& list) {
      if (!list.json_.is_array()) list.fail("a list [...]");
      if (list.json_.size() > most) list.fail(fmt::format("at most {} of them", most));
      for (std::size_t i = 0; i < list.json_.size(); ++i)
        use(Place(list.json_[i], origin_, fmt::format("{}[{}]", list.path_, i)));
    });
  }

  [[nodiscard]] std::string text(const char* key) const {
    std::string text;
    with(key, [&](const Place& it) {
      if (!it.json_.is_string() || it.json_.get_ref<const std::string&>().size() > longest_text)
        it.fail(fmt::format("a text of at most {} bytes", longest_text));
      text = it.json_.get<std::string>();
    });
    return text;
  }
  [[nodiscard]] NvmlNumber number(const char* key) const {
    NvmlNumber number;
    with(key, [&](const Place& it) { number = it.number(); });
    return number;
  }
  [[nodiscard]] std::uint64_t number() const {
    if (!json_.is_number_unsigned()) fail("a whole number");
    return json_.get<std::uint64_t>();
  }
  [[nodiscard]] unsigned small_number() const {
    const std::uint64_t value = number();
    if (value > 9999) fail("a small number");
    return static_cast<unsigned>(value);
  }

  // Numbers of fields; values that are not whole, which no field that railgauge uses has, are passed over.
  [[nodiscard]] NvmlFields fields() const {
    expect_object();
    NvmlFields fields;
    for (const auto& [name, value] : json_.items()) {
      unsigned field = 0;
      const auto end = std::from_chars(name.data(), name.data() + name.size(), field);
      if (end.ec != std::errc() || end.ptr != name.data() + name.size()) fail("numbers of fields as names");
      if (value.is_number_unsigned()) fields[field] = value.get<std::uint64_t>();
    }
    return fields;
  }
  [[nodiscard]] Counters counters() const {
    expect_object();
    Counters counters;
    for (const auto& [name, value] : json_.items()) {
      if (name.empty() || name.size() > 64 || !value.is_number_unsigned()) fail("names and whole numbers");
      counters[name] = value.get<std::uint64_t>();
    }
    return counters;
  }
  // Numbers, and null where there was no answer.
  [[nodiscard]] std::vector<NvmlNumber> cells() const {
    if (!json_.is_array()) fail("a list [...]");
    std::vector<NvmlNumber> cells;
    for (std::size_t i = 0; i < json_.size(); ++i)
      cells.push_back(json_[i].is_null() ? NvmlNumber() : Place(json_[i], origin_, fmt::format("{}[{}]", path_, i)).number());
    return cells;
  }

 private:
  [[nodiscard]] std::string step(const char* key) const { return path_.empty() ? key : fmt::format("{}.{}", path_, key); }
  [[nodiscard]] std::string short_text() const {
    if (json_.is_array()) return fmt::format("a list of {}", json_.size());
    if (json_.is_object()) return "an object";
    if (json_.is_string()) return fmt::format("a text of {} bytes", json_.get_ref<const std::string&>().size());
    return json_.dump();
  }

  const Json& json_;
  const std::string& origin_;
  std::string path_;
};

NvmlLink link_of(const Place& json) {
  NvmlLink link;
  json.with("link", [&](const Place& it) { link.link = it.small_number(); });
  link.state = json.number("state");
  link.version = json.number("version");
  link.remote_type = json.number("remote_type");
  json.with("remote", [&](const Place& it) {
    link.remote = it.text("bus_id");
    link.remote_device = it.number("device_id");
  });
  json.with("errors", [&](const Place& it) { link.errors = it.counters(); });
  json.with("fields", [&](const Place& it) { link.fields = it.fields(); });
  return link;
}

NvmlFabric fabric_of(const Place& json) {
  NvmlFabric fabric{json.number("state"),       json.number("status"),         json.number("clique"),
                    json.number("health_mask"), json.number("health_summary"), json.text("cluster_uuid")};
  const bool digits = fabric.cluster.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!fabric.cluster.empty() && (fabric.cluster.size() != 32 || !digits)) json.fail("a cluster_uuid of 32 hexadecimal digits");
  return fabric;
}

void read_pcie(const Place& json, NvmlDevice& device) {
  const auto small = [&](const char* key, NvmlNumber& into) {
    json.with(key, [&](const Place& it) { into = it.small_number(); });
  };
  small("generation", device.generation);
  small("width", device.width);
  small("max_generation", device.max_generation);
  small("max_width", device.max_width);
  small("gpu_max_generation", device.gpu_max_generation);
  device.replays = json.number("replays");
}

NvmlDevice device_of(const Place& json) {
  NvmlDevice device;
  device.name = json.text("name");
  device.uuid = json.text("uuid");
  device.serial = json.text("serial");
  json.with("pci", [&](const Place& it) { device.bus_id = it.text("bus_id"); });
  std::vector<unsigned> capability;
  json.each("compute_capability", 2, [&](const Place& it) { capability.push_back(it.small_number()); });
  capability.resize(2);
  device.major = capability[0];
  device.minor = capability[1];
  device.memory_bytes = json.number("memory_bytes");
  device.memory_numa = json.number("memory_numa");
  json.with("pcie", [&](const Place& it) { read_pcie(it, device); });
  json.each("near_numa", most_nodes, [&](const Place& it) { device.near_numa.push_back(it.small_number()); });
  json.with("fields", [&](const Place& it) { device.fields = it.fields(); });
  json.each("c2c", most_links, [&](const Place& it) { device.c2c.push_back(it.fields()); });
  json.each("nvlinks", most_links, [&](const Place& it) { device.links.push_back(link_of(it)); });
  json.with("fabric", [&](const Place& it) { device.fabric = fabric_of(it); });
  json.with("platform", [&](const Place& it) {
    device.platform = {it.text("chassis_serial"), it.number("slot"), it.number("tray"), it.number("host"), it.number("module")};
  });
  json.with("mig", [&](const Place& it) {
    device.mig = it.number("current");
    it.each("devices", most_partitions, [&](const Place& part) {
      device.partitions.push_back(
          {part.text("name"), part.text("uuid"), part.number("gpu_instance"), part.number("compute_instance")});
    });
  });
  return device;
}

NvmlMatrix matrix_of(const Place& p2p, const char* key, std::size_t size) {
  NvmlMatrix matrix;
  p2p.each(key, size, [&](const Place& row) {
    matrix.emplace_back(row.cells());
    if (matrix.back().size() != size) row.fail(fmt::format("a row of {}, one for each GPU", size));
  });
  if (!matrix.empty() && matrix.size() != size) p2p.fail(fmt::format("{} rows, one for each GPU", size));
  return matrix;
}

std::size_t line_of(const std::string& text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

}  // namespace

NvmlRecord read_nvml_record(const Reading& reading) {
  Json json;
  try {
    json = Json::parse(reading.text);
  } catch (const Json::parse_error& error) {
    throw Error(Fault::usage, fmt::format("{}:{}: expected JSON, there is a fault at byte {}", reading.origin,
                                          line_of(reading.text, error.byte == 0 ? 0 : error.byte - 1), error.byte));
  } catch (const Json::exception&) {  // a number beyond all that a double holds
    throw Error(Fault::usage, fmt::format("{}: a number is too large", reading.origin));
  }
  const Place all(json, reading.origin, "");
  if (all.text("schema") != "railgauge.nvml/1")
    throw Error(Fault::usage,
                fmt::format("{}: schema: expected railgauge.nvml/1, which this version of railgauge reads", reading.origin));
  NvmlRecord record;
  record.host = all.text("host");
  record.fault = all.text("fault");
  all.with("versions", [&](const Place& it) {
    record.driver = it.text("driver");
    record.nvml = it.text("nvml");
    record.cuda = it.number("cuda");
  });
  all.each("devices", most_devices, [&](const Place& it) { record.devices.push_back(device_of(it)); });
  all.with("p2p", [&](const Place& it) {
    record.may_read = matrix_of(it, "read", record.devices.size());
    record.may_write = matrix_of(it, "write", record.devices.size());
  });
  return record;
}

}  // namespace railgauge::topo
