// railgauge doctor: which features work on this machine, why others do not, and what mends them.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>

#include "base/build_facts.hpp"
#include "base/error.hpp"
#include "base/output/print.hpp"
#include "bench/commands/command.hpp"
#include "bench/doctor/features.hpp"
#include "bench/options/values.hpp"
#include "reports/web/frame.hpp"

namespace railgauge {
namespace {

int cuda_major() {
  int major = 0;
  for (const LibraryVersion& library : build_facts().libraries)
    if (library.name == "CUDA runtime")
      std::from_chars(library.built_with.data(), library.built_with.data() + library.built_with.size(), major);
  return major;
}

int run_doctor(const std::string& format, const Invocation& invocation) {
  doctor::Machine machine = doctor::this_machine(invocation.plugin_folders, environment_of(invocation));
  machine.charts = web::has_charts();
  machine.cuda_major = cuda_major();
  const std::vector<doctor::Finding> findings = doctor::examine(machine);
  const doctor::Distribution distribution = doctor::distribution_of(machine.root);
  print(format == "json" ? doctor::to_json(findings, distribution) : doctor::to_text(findings, distribution), stdout);
  const bool mendable = std::any_of(findings.begin(), findings.end(),
                                    [](const doctor::Finding& each) { return each.state == doctor::State::broken; });
  return mendable ? static_cast<int>(Fault::below_expectation) : 0;
}

}  // namespace

void add_doctor(CLI::App& program, const Invocation& invocation, Action& action) {
  const auto format = std::make_shared<std::string>("text");  // lives as long as the parser and the action
  CLI::App* command = program.add_subcommand(
      "doctor",
      "Say which features work on this machine, why others do not, and which command mends them; 1 where one can be mended");
  command->add_option("--format", *format, "text or json")->check(options::one_of({"text", "json"}))->capture_default_str();
  command->footer(
      "Examples:\n"
      "  railgauge doctor                     one table, and the commands\n"
      "  railgauge doctor --format json       the same for programs\n"
      "  srun -N 16 railgauge doctor          of every node of an allocation");
  command->callback(
      [format, &invocation, &action] { action = [format, &invocation] { return run_doctor(*format, invocation); }; });
}

}  // namespace railgauge
