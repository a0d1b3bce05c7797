// Reads the settings of the UCX transport.
#include "transports/ucx/settings.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <ucm/api/ucm.h>
#include <ucs/config/global_opts.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include "base/error.hpp"

namespace railgauge::ucx {
namespace {

struct Name {
  std::string_view setting, ucx;
};
constexpr std::array names{Name{"tls", "TLS"}, Name{"devices", "NET_DEVICES"}, Name{"rndv_thresh", "RNDV_THRESH"}};

struct Switch {
  std::string_view setting;
  bool Options::* value;
  std::string_view off = "off", on = "on";
};
constexpr std::array switches{Switch{"error_handling", &Options::peer_errors}, Switch{"memory_events", &Options::memory_events},
                              Switch{"connect", &Options::listener, "worker", "listener"}};

}  // namespace

Options read_options(const Settings& settings) {
  Options options;
  for (const auto& [name, value] : settings) {
    const auto row = std::find_if(names.begin(), names.end(), [&](const Name& known) { return known.setting == name; });
    const auto flag = std::find_if(switches.begin(), switches.end(), [&](const Switch& known) { return known.setting == name; });
    if (flag != switches.end()) {
      if (value != flag->on && value != flag->off)
        throw Error(Fault::usage, fmt::format("ucx.{} is {} or {}, not \"{}\"", name, flag->on, flag->off, value));
      options.*flag->value = value == flag->on;
    } else if (row != names.end()) {
      options.changes.emplace_back(row->ucx, value);
    } else if (name.size() > 4 && name.starts_with("UCX_")) {
      options.changes.emplace_back(name.substr(4), value);
    } else {
      throw Error(Fault::usage,
                  fmt::format("the ucx transport has no setting \"{}\": it has tls, devices, rndv_thresh, "
                              "error_handling, memory_events, connect, and every UCX_... name that `ucx_info -cf` lists",
                              name));
    }
  }
  return options;
}

std::string Options::device() const {
  std::string device;
  for (const auto& [name, value] : changes)
    if (name == "NET_DEVICES") device = value;
  return device;
}

Configuration read_configuration(const Options& options, const std::string& port) {
  ucp_config_t* read = nullptr;
  require(ucp_config_read(nullptr, nullptr, &read), "ucp_config_read");
  Configuration configuration(read);
  const auto change = [&](const std::string& name, const std::string& value) {
    if (const ucs_status_t status = ucp_config_modify(read, name.c_str(), value.c_str()); status != UCS_OK)
      throw Error(Fault::usage, fmt::format("UCX refuses UCX_{}={}: {}; `ucx_info -cf` lists what it takes", name, value,
                                            ucs_status_string(status)));
  };
  if (!port.empty()) change("NET_DEVICES", port);
  for (const auto& [name, value] : options.changes) change(name, value);
  return configuration;
}

void silence_log() {
  std::array<char, 16> level{};
  if (ucs_global_opts_get_value("LOG_LEVEL", level.data(), level.size()) != UCS_OK) return;
  const std::string_view now = level.data();
  if (now == "WARN" || now == "warn") ucs_global_opts_set_value_modifiable("LOG_LEVEL", "fatal");
}

void watch_memory(bool on) noexcept {
  ucm_global_config_t configuration = ucm_global_opts;
  configuration.enable_events = on ? 1 : 0;
  ucm_set_global_opts(&configuration);
}

void restore_hangup() {
  struct sigaction action{};
  Dl_info handler{}, ucs{};
  if (sigaction(SIGHUP, nullptr, &action) != 0 || action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return;
  if (dladdr(reinterpret_cast<void*>(action.sa_handler), &handler) == 0) return;
  if (dladdr(reinterpret_cast<void*>(&ucs_status_string), &ucs) == 0 || handler.dli_fbase != ucs.dli_fbase) return;
  action = {};
  action.sa_handler = SIG_DFL;
  sigaction(SIGHUP, &action, nullptr);
}

}  // namespace railgauge::ucx
