// Finds, reads and replaces the file of tuned algorithms.
#include "bench/select/tuning.hpp"

#include <exception>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "bench/group/host.hpp"
#include "reports/record/reader.hpp"
#include "reports/record/record.hpp"
#include "topo/evidence/apart.hpp"

namespace railgauge {

namespace fs = std::filesystem;

std::string default_tuning_path(const Environment& environment) {
  if (const auto cache = environment("XDG_CACHE_HOME"); cache && !cache->empty()) return *cache + "/railgauge/tuning.jsonl";
  if (const auto home = environment("HOME"); home && !home->empty()) return *home + "/.cache/railgauge/tuning.jsonl";
  return {};
}

std::string read_tuning(const std::string& path, bool asked) {
  std::error_code missing;
  if (!asked && (path.empty() || !fs::exists(path, missing))) return {};
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || fs::is_directory(path, missing))
    throw Error(Fault::usage, "--tuning " + path + " cannot be read: make it with  railgauge bench tune");
  return std::move(text).str();
}

Machine this_machine(const ChosenDevice& device) {
  Machine machine{describe_host().cpu, {}};
  if (device.table == nullptr) return machine;
  const topo::Heard heard = topo::run_apart(
      [&](topo::Teller& teller) {
        teller.doing("asking the driver for GPUs");
        try {
          if (*device.table->missing() != '\0') return;
          const std::vector<DeviceRow> rows = device.table->list();
          if (!rows.empty()) teller.say(rows.at(static_cast<std::size_t>(number_of(device.wanted, rows, 0))).model);
        } catch (const std::exception&) {
          // Nothing is said.
        }
      },
      {});
  machine.gpu = heard.lines.substr(0, heard.lines.find('\n'));
  return machine;
}

Figures figures_of(std::string_view text, const std::string& path, Machine machine) {
  return {Chooser(read_results(text, path)), std::move(machine)};
}

Figures share_figures(Group& group, const std::string& text, const std::string& path, const Machine& machine) {
  const std::string mine = group.rank() == 0 ? machine.cpu + "\n" + machine.gpu + "\n" + text : std::string();
  const auto bytes = std::as_bytes(std::span(mine));
  const Blob first = group.allgather(Blob(bytes.begin(), bytes.end())).front();
  const std::string all(reinterpret_cast<const char*>(first.data()), first.size());
  const std::size_t cpu = all.find('\n'), gpu = all.find('\n', cpu + 1);
  return figures_of(std::string_view(all).substr(gpu + 1), path, {all.substr(0, cpu), all.substr(cpu + 1, gpu - cpu - 1)});
}

std::string aside_of(const std::string& path) { return path + ".new.jsonl"; }

void prepare_tuning(const std::string& path) {
  if (path.empty()) throw Error(Fault::usage, "there is no home folder for what is measured: say --tuning FILE");
  std::error_code failed;
  try {
    (void)read_results(read_tuning(path, fs::exists(path, failed)), path);
  } catch (const Error& error) {
    throw Error(Fault::usage, std::string(error.what()) + "; what is measured would be added to it: remove it first");
  }
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, failed);
  if (failed) throw Error(Fault::usage, "cannot make " + folder.string() + ": " + failed.message());
  fs::remove(aside_of(path), failed);
  if (failed) throw Error(Fault::usage, "cannot replace " + aside_of(path) + ": " + failed.message());
}

void publish_tuning(const std::string& path) {
  using Setting = std::tuple<std::string, std::string, std::string, std::string, int, int, int, bool, std::string, std::string>;
  const auto setting_of = [](const Result& result) {
    const Case& point = result.point;
    return Setting(point.collective, point.algorithm, point.transport, point.device, point.ranks, point.nodes, point.lanes,
                   point.in_place, result.host.cpu, gpu_of(result));
  };
  std::error_code failed;
  std::set<Setting> measured;
  const auto has_figures = [](const Result& result) {
    return result.status == Status::ok || result.status == Status::not_converged;
  };
  for (const Result& result : read_results(read_tuning(aside_of(path), true), aside_of(path)))
    if (has_figures(result)) measured.insert(setting_of(result));
  std::ofstream added(aside_of(path), std::ios::app);
  for (const Result& result : read_results(read_tuning(path, fs::exists(path, failed)), path))
    if (has_figures(result) && !measured.contains(setting_of(result))) added << result_line(result);
  added.close();
  if (!added) throw Error(Fault::usage, "cannot write " + aside_of(path));
  fs::rename(aside_of(path), path, failed);
  if (failed) throw Error(Fault::usage, "cannot move " + aside_of(path) + " to " + path + ": " + failed.message());
}

}  // namespace railgauge
