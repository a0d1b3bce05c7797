// The questions to NVIDIA's management library.
#include "topo/evidence/nvml_questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

namespace railgauge::topo {
namespace {

using Json = nlohmann::ordered_json;
using nvml::Handle;
using nvml::Return;

constexpr unsigned most_devices = 256;     // a library that says more is broken
constexpr unsigned most_mig_devices = 64;  // of one GPU

constexpr auto device_fields = std::to_array<unsigned>({
    nvml::field::speed_common, nvml::field::link_count, nvml::field::switch_links, nvml::field::c2c_count, 173, 174, 175, 176,
    177, 178, 179, 180, 181, 182, 183,  // PCIe errors
});
constexpr auto link_fields = std::to_array<unsigned>({
    nvml::field::remote_link,
    nvml::field::dl_replay,
    nvml::field::dl_recovery,
    nvml::field::dl_crc,
    nvml::field::speed,
    nvml::field::state,
    nvml::field::version,
    206,
    207,
    208,
    209,
    210,
    211,
    212,
    213,
    214,
    215,
    219,
    221,  // errors and recoveries of NVLink 5
});
constexpr auto c2c_fields = std::to_array<unsigned>({nvml::field::c2c_status, nvml::field::c2c_bandwidth});

struct ErrorRow {
  unsigned counter;
  const char* name;
};
constexpr auto link_errors =
    std::to_array<ErrorRow>({{0, "replay"}, {1, "recovery"}, {2, "crc_flit"}, {3, "crc_data"}, {4, "ecc_data"}});

struct P2pRow {
  unsigned index;
  const char* name;
};
constexpr auto p2p_kinds = std::to_array<P2pRow>({{0, "read"}, {1, "write"}, {2, "nvlink"}, {3, "atomics"}, {4, "pci"}});

template <std::size_t size>
std::string text_in(const std::array<char, size>& buffer) {
  return {buffer.begin(), std::find(buffer.begin(), buffer.end(), '\0')};
}

template <std::size_t size>
std::string hexadecimal(const std::array<unsigned char, size>& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

class Questions {
 public:
  Questions(const nvml::Library& library, Teller& teller) : library_(library), teller_(teller) {}

  void ask() {
    teller_.doing("nvmlInit_v2");
    if (const Return code = library_.init(); code != nvml::success) {
      say("fault", fmt::format("nvmlInit_v2: {}", nvml::words_of(code)));
      return;
    }
    versions();
    devices();
    pairs();
    teller_.doing("nvmlShutdown");
    if (library_.shutdown != nullptr) library_.shutdown();
  }

 private:
  void say(const char* key, const Json& value) {
    teller_.say(Json{{key, value}}.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  // A function that is not there answers as one that NVML does not know; the list "absent" says so once.
  template <class Function, class... Arguments>
  Return call(Function* function, const char* name, Arguments... arguments) {
    if (function == nullptr) return nvml::function_not_found;
    teller_.doing(fmt::format("{}{}", name, where_));
    const Return code = function(arguments...);
    if (code != nvml::success && refused_ != nullptr) (*refused_)[name] = code;
    return code;
  }

  template <class Function, class... Arguments>
  void text(Json& into, const char* key, Function* function, const char* name, Arguments... arguments) {
    std::array<char, 128> buffer{};
    if (call(function, name, arguments..., buffer.data(), static_cast<unsigned>(buffer.size())) == nvml::success)
      into[key] = text_in(buffer);
  }
  template <class Function, class... Arguments>
  void number(Json& into, const char* key, Function* function, const char* name, Arguments... arguments) {
    unsigned value = 0;
    if (call(function, name, arguments..., &value) == nvml::success) into[key] = value;
  }

  void versions() {
    Json refused = Json::object();
    refused_ = &refused;
    Json all = Json::object();
    text(all, "driver", library_.driver_version, "nvmlSystemGetDriverVersion");
    text(all, "nvml", library_.nvml_version, "nvmlSystemGetNVMLVersion");
    int cuda = 0;
    if (call(library_.cuda_version, "nvmlSystemGetCudaDriverVersion_v2", &cuda) == nvml::success) all["cuda"] = cuda;
    if (!refused.empty()) all["refused"] = refused;
    say("versions", all);
    refused_ = nullptr;
  }

  void devices() {
    unsigned count = 0;
    if (const Return code = call(library_.device_count, "nvmlDeviceGetCount_v2", &count); code != nvml::success) {
      say("fault", fmt::format("nvmlDeviceGetCount_v2: {}", nvml::words_of(code)));
      return;
    }
    if (count > most_devices)
      say("fault", fmt::format("nvmlDeviceGetCount_v2: {} GPUs, of which {} were asked", count, most_devices));
    for (unsigned i = 0; i < std::min(count, most_devices); ++i) {
      where_ = fmt::format(" of GPU {}", i);
      Json json = {{"index", i}};
      Json refused = Json::object();
      refused_ = &refused;
      Handle handle = nullptr;
      if (call(library_.device, "nvmlDeviceGetHandleByIndex_v2", i, &handle) == nvml::success) {
        handles_.push_back(handle);
        describe(json, handle);
      } else {
        handles_.push_back(nullptr);
      }
      if (!refused.empty()) json["refused"] = refused;
      refused_ = nullptr;
      say("device", json);
    }
    where_.clear();
  }

  void describe(Json& json, Handle gpu) {
    text(json, "name", library_.name, "nvmlDeviceGetName", gpu);
    text(json, "uuid", library_.uuid, "nvmlDeviceGetUUID", gpu);
    text(json, "serial", library_.serial, "nvmlDeviceGetSerial", gpu);
    nvml::PciInfo pci{};
    if (call(library_.pci_info, "nvmlDeviceGetPciInfo_v3", gpu, &pci) == nvml::success)
      json["pci"] = {{"bus_id", text_in(pci.bus_id)}, {"device_id", pci.device_id}, {"subsystem_id", pci.subsystem_id}};
    int major = 0;
    int minor = 0;
    if (call(library_.compute_capability, "nvmlDeviceGetCudaComputeCapability", gpu, &major, &minor) == nvml::success)
      json["compute_capability"] = {major, minor};
    nvml::Memory memory{};
    if (call(library_.memory, "nvmlDeviceGetMemoryInfo", gpu, &memory) == nvml::success) json["memory_bytes"] = memory.total;
    Json pcie = Json::object();
    number(pcie, "generation", library_.pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration", gpu);
    number(pcie, "width", library_.pcie_width, "nvmlDeviceGetCurrPcieLinkWidth", gpu);
    number(pcie, "max_generation", library_.pcie_max_generation, "nvmlDeviceGetMaxPcieLinkGeneration", gpu);
    number(pcie, "max_width", library_.pcie_max_width, "nvmlDeviceGetMaxPcieLinkWidth", gpu);
    number(pcie, "gpu_max_generation", library_.pcie_gpu_max_generation, "nvmlDeviceGetGpuMaxPcieLinkGeneration", gpu);
    number(pcie, "replays", library_.pcie_replays, "nvmlDeviceGetPcieReplayCounter", gpu);
    json["pcie"] = pcie;
    number(json, "memory_numa", library_.numa_node, "nvmlDeviceGetNumaNodeId", gpu);
    std::array<unsigned long, 16> nodes{};
    if (call(library_.memory_affinity, "nvmlDeviceGetMemoryAffinity", gpu, static_cast<unsigned>(nodes.size()), nodes.data(),
             0U) == nvml::success)
      json["near_numa"] = nodes_in(nodes);
    json["fields"] = fields(gpu, device_fields, 0);
    c2c(json, gpu);
    fabric(json, gpu);
    platform(json, gpu);
    mig(json, gpu);
    json["nvlinks"] = links(gpu);
  }

  static Json nodes_in(const std::array<unsigned long, 16>& set) {
    Json nodes = Json::array();
    constexpr unsigned bits = 8 * sizeof(unsigned long);
    for (unsigned n = 0; n < set.size() * bits; ++n)
      if ((set[n / bits] >> (n % bits) & 1U) != 0) nodes.push_back(n);
    return nodes;
  }

  static Json value_of(const nvml::FieldValue& it) {
    switch (it.type) {
      case nvml::ValueType::real:
        return it.value.real;
      case nvml::ValueType::u32:
        return it.value.u32;
      case nvml::ValueType::native:
        return it.value.native;
      case nvml::ValueType::u64:
        return it.value.u64;
      case nvml::ValueType::i64:
        return it.value.i64;
      case nvml::ValueType::i32:
        return it.value.i32;
      case nvml::ValueType::u16:
        return it.value.u16;
    }
    return nullptr;
  }

  // By number of field; those that the GPU does not have are left out.
  template <std::size_t count>
  Json fields(Handle gpu, const std::array<unsigned, count>& wanted, unsigned scope) {
    std::array<nvml::FieldValue, count> values{};
    for (std::size_t i = 0; i < count; ++i) {
      values[i].field = wanted[i];
      values[i].scope = scope;
      values[i].result = nvml::not_supported;  // a library that fills nothing in says nothing
    }
    Json json = Json::object();
    if (call(library_.fields, "nvmlDeviceGetFieldValues", gpu, static_cast<int>(count), values.data()) != nvml::success)
      return json;
    for (const nvml::FieldValue& it : values)
      if (it.result == nvml::success) json[fmt::format("{}", it.field)] = value_of(it);
    return json;
  }

  void c2c(Json& json, Handle gpu) {
    const auto found = json["fields"].find(fmt::format("{}", nvml::field::c2c_count));
    if (found == json["fields"].end() || !found->is_number_unsigned()) return;
    Json all = Json::array();
    for (unsigned i = 0; i < std::min<std::uint64_t>(found->get<std::uint64_t>(), nvml::most_links); ++i)
      all.push_back(fields(gpu, c2c_fields, i));
    if (!all.empty()) json["c2c"] = all;
  }

  void fabric(Json& json, Handle gpu) {
    nvml::FabricInfo3 it{};
    it.version = nvml::tag<nvml::FabricInfo3>(3);
    Return code = call(library_.fabric, "nvmlDeviceGetGpuFabricInfoV", gpu, static_cast<void*>(&it));
    const bool summary = code == nvml::success;
    if (code == nvml::version_mismatch || code == nvml::invalid_argument) {
      nvml::FabricInfo2 old{};
      old.version = nvml::tag<nvml::FabricInfo2>(2);
      code = call(library_.fabric, "nvmlDeviceGetGpuFabricInfoV", gpu, static_cast<void*>(&old));
      it = {old.version, old.cluster_uuid, old.status, old.clique, old.state, old.health_mask, 0};
    }
    if (code != nvml::success) return;
    refused_->erase("nvmlDeviceGetGpuFabricInfoV");
    json["fabric"] = {{"state", it.state},
                      {"status", it.status},
                      {"cluster_uuid", hexadecimal(it.cluster_uuid)},
                      {"clique", it.clique},
                      {"health_mask", it.health_mask}};
    if (summary) json["fabric"]["health_summary"] = it.health_summary;
  }

  void platform(Json& json, Handle gpu) {
    nvml::PlatformInfo it{};
    it.version = nvml::tag<nvml::PlatformInfo>(2);
    Return code = call(library_.platform, "nvmlDeviceGetPlatformInfo", gpu, &it);
    if (code == nvml::version_mismatch || code == nvml::invalid_argument) {
      it.version = nvml::tag<nvml::PlatformInfo>(1);
      code = call(library_.platform, "nvmlDeviceGetPlatformInfo", gpu, &it);
    }
    if (code != nvml::success) return;
    refused_->erase("nvmlDeviceGetPlatformInfo");
    json["platform"] = {{"ib_guid", hexadecimal(it.ib_guid)},
                        {"chassis_serial", text_in(it.chassis_serial)},
                        {"slot", it.slot},
                        {"tray", it.tray},
                        {"host", it.host},
                        {"peer_type", it.peer_type},
                        {"module", it.module}};
  }

  void mig(Json& json, Handle gpu) {
    unsigned current = 0;
    unsigned pending = 0;
    if (call(library_.mig_mode, "nvmlDeviceGetMigMode", gpu, &current, &pending) != nvml::success) return;
    json["mig"] = {{"current", current}, {"pending", pending}};
    unsigned count = 0;
    if (current != 1 || call(library_.mig_count, "nvmlDeviceGetMaxMigDeviceCount", gpu, &count) != nvml::success) return;
    Json all = Json::array();
    for (unsigned i = 0; i < std::min(count, most_mig_devices); ++i) {
      Handle part = nullptr;
      if (library_.mig_device == nullptr || library_.mig_device(gpu, i, &part) != nvml::success) continue;  // an empty place
      Json one = Json::object();
      text(one, "name", library_.name, "nvmlDeviceGetName", part);
      text(one, "uuid", library_.uuid, "nvmlDeviceGetUUID", part);
      number(one, "gpu_instance", library_.gpu_instance, "nvmlDeviceGetGpuInstanceId", part);
      number(one, "compute_instance", library_.compute_instance, "nvmlDeviceGetComputeInstanceId", part);
      all.push_back(std::move(one));
    }
    json["mig"]["devices"] = all;
  }

  // Links past the last one, and all of a GPU without NVLink, are refused: they are left out.
  Json links(Handle gpu) {
    Json all = Json::array();
    const std::string before = where_;
    Json* const refused = refused_;
    for (unsigned i = 0; i < nvml::most_links; ++i) {
      where_ = fmt::format("{} link {}", before, i);
      Json nothing = Json::object();
      refused_ = &nothing;
      Json one = {{"link", i}};
      // NCCL asks for it first too: the question trains the link.
      unsigned p2p = 0;
      const bool capable =
          call(library_.link_capability, "nvmlDeviceGetNvLinkCapability", gpu, i, nvml::cap_p2p, &p2p) == nvml::success;
      number(one, "state", library_.link_state, "nvmlDeviceGetNvLinkState", gpu, i);
      if (!one.contains("state")) {
        if (i == 0) refused->update(nothing);
        continue;
      }
      number(one, "version", library_.link_version, "nvmlDeviceGetNvLinkVersion", gpu, i);
      if (capable) one["p2p"] = p2p;
      remote(one, gpu, i);
      Json errors = Json::object();
      for (const ErrorRow& row : link_errors) {
        std::uint64_t value = 0;
        if (call(library_.link_errors, "nvmlDeviceGetNvLinkErrorCounter", gpu, i, row.counter, &value) == nvml::success)
          errors[row.name] = value;
      }
      if (!errors.empty()) one["errors"] = errors;
      if (Json values = fields(gpu, link_fields, i); !values.empty()) one["fields"] = std::move(values);
      all.push_back(std::move(one));
    }
    refused_ = refused;
    where_ = before;
    return all;
  }

  void remote(Json& one, Handle gpu, unsigned link) {
    nvml::PciInfo pci{};
    if (call(library_.link_remote, "nvmlDeviceGetNvLinkRemotePciInfo_v2", gpu, link, &pci) == nvml::success) {
      const std::string bus = text_in(pci.bus_id);
      one["remote"] = {{"bus_id", bus.empty() ? text_in(pci.bus_id_legacy) : bus}, {"device_id", pci.device_id}};
    }
    number(one, "remote_type", library_.link_remote_type, "nvmlDeviceGetNvLinkRemoteDeviceType", gpu, link);
  }

  // One number for each pair in the order of GPUs, null where there was no answer.
  template <class Ask>
  Json matrix(Ask ask) {
    Json rows = Json::array();
    bool any = false;
    for (std::size_t a = 0; a < handles_.size(); ++a) {
      Json row = Json::array();
      for (std::size_t b = 0; b < handles_.size(); ++b) {
        where_ = fmt::format(" of GPUs {} and {}", a, b);
        unsigned value = 0;
        const bool good =
            a != b && handles_[a] != nullptr && handles_[b] != nullptr && ask(handles_[a], handles_[b], &value) == nvml::success;
        any = any || good;
        row.push_back(good ? Json(value) : Json(nullptr));
      }
      rows.push_back(std::move(row));
    }
    return any ? rows : Json();
  }

  void pairs() {
    const Json ancestors = matrix([&](Handle a, Handle b, unsigned* value) {
      return call(library_.ancestor, "nvmlDeviceGetTopologyCommonAncestor", a, b, value);
    });
    if (!ancestors.is_null()) say("ancestors", ancestors);
    Json p2p = Json::object();
    for (const P2pRow& row : p2p_kinds) {
      Json status = matrix([&](Handle a, Handle b, unsigned* value) {
        return call(library_.p2p_status, "nvmlDeviceGetP2PStatus", a, b, row.index, value);
      });
      if (!status.is_null()) p2p[row.name] = std::move(status);
    }
    if (!p2p.empty()) say("p2p", p2p);
    where_.clear();
  }

  const nvml::Library& library_;
  Teller& teller_;
  std::vector<Handle> handles_;  // null where a GPU did not answer
  std::string where_;            // " of GPU 3 link 5"
  Json* refused_ = nullptr;      // where the codes of failed calls go
};

}  // namespace

void ask_nvml(const nvml::Library& library, Teller& teller) { Questions(library, teller).ask(); }

}  // namespace railgauge::topo
