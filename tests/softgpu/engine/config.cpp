// Reads the words of RAILGAUGE_SOFTGPU.
#include "tests/softgpu/engine/config.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace softgpu {
namespace {

[[noreturn]] void refuse(std::string_view word) {
  std::fprintf(stderr,
               "softgpu: RAILGAUGE_SOFTGPU has \"%.*s\": expected gpus, sms, gigabytes, seed, queue, connections, late, peers, "
               "waits, checked, strict, counts or patience, each with =NUMBER\n",
               static_cast<int>(word.size()), word.data());
  std::abort();
}

void set(Config& config, std::string_view name, std::uint64_t value, std::string_view word) {
  const auto small = static_cast<unsigned>(value);
  if (name == "gpus")
    config.gpus = small;
  else if (name == "sms")
    config.sms = small;
  else if (name == "gigabytes")
    config.gigabytes = value;
  else if (name == "seed")
    config.seed = value;
  else if (name == "queue")
    config.queue = value;
  else if (name == "connections")
    config.connections = small;
  else if (name == "late")
    config.late = value != 0;
  else if (name == "peers")
    config.peers = value != 0;
  else if (name == "waits")
    config.waits = value != 0;
  else if (name == "checked")
    config.checked = value != 0;
  else if (name == "strict")
    config.strict = value != 0;
  else if (name == "counts")
    config.counts = value != 0;
  else if (name == "patience")
    config.patience = small;
  else
    refuse(word);
}

void read(Config& config, std::string_view words) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(','));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) refuse(word);
    const std::string_view digits = word.substr(equals + 1);
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fault != std::errc() || end != digits.data() + digits.size()) refuse(word);
    set(config, word.substr(0, equals), value, word);
  }
}

}  // namespace

Config config_of_environment() {
  Config config;
  if (const char* const connections = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS"))
    read(config, "connections=" + std::string(connections));
  if (const char* const words = std::getenv("RAILGAUGE_SOFTGPU")) read(config, words);
  return config;
}

}  // namespace softgpu
