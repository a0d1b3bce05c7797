// NVIDIA's management library, asked in a process of its own, and its answers as JSON.
#include "topo/evidence/nvml.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "topo/evidence/nvml_library.hpp"
#include "topo/evidence/nvml_questions.hpp"

namespace railgauge::topo {
namespace {

using Json = nlohmann::ordered_json;

std::string host_name() {
  std::array<char, 256> buffer{};
  return ::gethostname(buffer.data(), buffer.size() - 1) == 0 ? std::string(buffer.data()) : std::string();
}

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// One line for each answer of the machine, for each of a GPU and for each link: small, and two files can be compared by eye.
std::string write(const Json& machine, const std::vector<Json>& devices) {
  std::string text = "{\n";
  for (const auto& [key, value] : machine.items()) text += fmt::format("\"{}\": {},\n", key, line_of(value));
  text += "\"devices\": [";
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::string lines;
    for (const auto& [key, value] : devices[i].items()) {
      lines += fmt::format("{}\n  \"{}\": ", lines.empty() ? "" : ",", key);
      if (key != "nvlinks" || value.empty()) {
        lines += line_of(value);
        continue;
      }
      for (std::size_t link = 0; link < value.size(); ++link)
        lines += fmt::format("{}\n    {}", link == 0 ? "[" : ",", line_of(value[link]));
      lines += "]";
    }
    text += fmt::format("{}\n {{{}}}", i == 0 ? "" : ",", lines);
  }
  return text + "]\n}\n";
}

}  // namespace

Taken read_nvml_library(const std::string& library, const Patience& patience) {
  const Heard heard = run_apart(
      [&](Teller& teller) {
        teller.doing("the loading of " + library);
        const nvml::Library loaded = nvml::load(library);
        if (!loaded.fault.empty()) {
          teller.say(line_of({{"unavailable", loaded.fault}}));
          return;
        }
        teller.say(line_of({{"absent", loaded.absent}}));
        ask_nvml(loaded, teller);
      },
      patience);
  Json machine = {{"schema", "railgauge.nvml/1"}, {"host", host_name()}};
  std::vector<Json> devices;
  std::size_t begin = 0;
  for (std::size_t end = heard.lines.find('\n'); end != std::string::npos; end = heard.lines.find('\n', begin)) {
    Json line = Json::parse(heard.lines.substr(begin, end - begin));
    begin = end + 1;
    if (line.contains("unavailable")) return {{}, line["unavailable"].get<std::string>()};
    if (line.contains("device"))
      devices.push_back(std::move(line["device"]));
    else
      machine.update(line);
  }
  if (!heard.fault.empty()) machine["fault"] = heard.fault;
  return {write(machine, devices), {}};
}

Taken collect_nvml(const std::filesystem::path& root) {
  if (!root.empty()) return {{}, "NVML knows the machine that it runs on and no recorded one"};
  return read_nvml_library("libnvidia-ml.so.1", {});
}

}  // namespace railgauge::topo
