// Runs one case of the conformance suite, as one program run: conformance TRANSPORT HARNESS CASE [SEED] [NAME=VALUE ...].
#include "tests/transports/conformance.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/plugin.hpp"
#include "bench/device/registry.hpp"
#include "tests/test.hpp"
#include "transports/registry/registry.hpp"

namespace {

using namespace railgauge;
using namespace railgauge::test;

bool left_behind = false;  // on purpose, by the transport

template <typename Row>
const Row& find(std::span<const Row> rows, std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return row;
  throw Error(Fault::usage, fmt::format("there is no '{}'", name));
}

// One line a case, for a person, or for the test that CMake's list is complete.
int list() {
  for (const Case& what : cases()) fmt::print("{:<18} {} ranks  {}\n", what.name, what.ranks, what.summary);
  return 0;
}

// "a case more here" must not go unregistered.
int check_list(std::span<const std::string> names) {
  std::string given, known;
  for (const std::string& name : names) given += name + " ";
  for (const Case& what : cases()) known += std::string(what.name) + " ";
  if (given == known) return 0;
  fmt::print("registered: {}\nin the suite: {}\n", given, known);
  return 1;
}

// The host, or GPUs where the transport sends no memory of the host; where there is none, the case is skipped.
ChosenDevice device_for(const Abilities& abilities, const std::vector<std::filesystem::path>& folders) {
  if (std::ranges::count(abilities.memory, MemoryKind::host) != 0) return {};
  try {
    ChosenDevice chosen = choose_device("cuda", {}, folders);
    const std::string reason = ask_aside([&] { return std::string(chosen.table->missing()); });
    if (!reason.empty()) skip("no GPU: " + reason);
    return chosen;
  } catch (const Error& error) { skip(error.what()); }
}

int run_case(std::span<const std::string> arguments) {
  const Harness& harness = find(harnesses(), arguments[1]);
  const Case& what = find(cases(), arguments[2]);
  std::uint32_t seed = 1;
  Settings settings;
  for (const std::string& argument : arguments.subspan(3)) {
    const std::size_t equals = argument.find('=');
    if (equals != std::string::npos)
      settings[argument.substr(0, equals)] = argument.substr(equals + 1);
    else if (std::from_chars(argument.data(), argument.data() + argument.size(), seed).ec != std::errc{})
      throw Error(Fault::usage, fmt::format("'{}' is no seed", argument));
  }
  const char* const plugin_path = std::getenv("RAILGAUGE_PLUGIN_PATH");
  const auto folders = plugin_folders(plugin_path == nullptr ? "" : plugin_path);
  const std::vector<KnownTransport> known = known_transports(folders);
  const std::size_t plus = arguments[0].find('+');
  for (const std::string& part : {arguments[0].substr(0, plus), arguments[0].substr(plus == std::string::npos ? 0 : plus + 1)}) {
    const auto row = std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.name == part; });
    if (row == known.end()) throw Error(Fault::usage, fmt::format("there is no transport '{}'", part));
    if (row->table == nullptr) skip(fmt::format("{} is unavailable: {}", row->name, row->reason));
  }
  // All settings are for the first part.
  const ChosenTransport chosen = choose_transport(known, arguments[0], {{arguments[0].substr(0, plus), settings}});
  const Abilities abilities = chosen.open()->abilities();
  if (!harness.serves(abilities)) skip(fmt::format("{} has no ranks as {}", chosen.name, harness.name));
  const ChosenDevice device = device_for(abilities, folders);
  const Setup setup{
      .transport = [&] { return chosen.open(); }, .device = [&](int rank) { return open_device(device, rank); }, .seed = seed};

  alarm(longest_case());  // whatever hangs, ends
  const std::vector<Ending> endings = harness.run(what, setup);
  // What is in flight when an endpoint goes, UCX keeps until the process ends; its tagged pointers are none to the leak
  // sanitizer.
  const bool unfinished = what.name.starts_with("death_") || what.name == "given_up" || what.name == "unequal_bytes";
  left_behind = arguments[0].find("ucx") != std::string::npos && unfinished;
  const std::string wrong = what.judge(endings);
  if (wrong.empty()) return 0;
  fmt::print("{} over {} with ranks as {}, seed {}: {}\n", what.name, arguments[0], harness.name, seed, wrong);
  for (std::size_t i = 0; i < endings.size(); ++i)
    fmt::print("  rank {}: {}\n", i, endings[i].sentence.empty() ? "returned" : endings[i].sentence);
  return 1;
}

}  // namespace

// The leak sanitizer asks when the program ends.
extern "C" int __lsan_is_turned_off() { return left_behind ? 1 : 0; }  // NOLINT(bugprone-reserved-identifier): its name for it

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  // Streams that share a connection to a GPU wait for each other, as the lanes of a case must not.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  try {
    if (arguments.size() == 1 && arguments[0] == "list") return list();
    if (arguments.size() > 1 && arguments[0] == "check-list") return check_list(std::span(arguments).subspan(1));
    if (arguments.size() >= 3) return run_case(arguments);
    fmt::print(stderr, "conformance TRANSPORT HARNESS CASE [SEED] [NAME=VALUE ...], or: conformance list\n");
  } catch (const std::exception& error) { fmt::print(stderr, "{}\n", error.what()); }
  return 2;
}
