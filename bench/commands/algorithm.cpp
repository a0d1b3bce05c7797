// railgauge algorithm: whether algorithms that others publish are right, and what they cost, before anything runs.
#include "bench/commands/algorithm.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/output/print.hpp"
#include "bench/commands/command.hpp"
#include "bench/commands/topo_sources.hpp"
#include "bench/options/values.hpp"
#include "bench/schedule/proof/report.hpp"
#include "bench/schedule/read/read.hpp"
#include "bench/select/stored_file.hpp"

namespace railgauge {
namespace {

constexpr const char* algorithm_examples =
    "Examples:\n"
    "  railgauge algorithm check allreduce.xml         is it right, for which collective, and with how much buffering?\n"
    "  railgauge algorithm check *.xml --format json   the same of many files, as data\n"
    "  railgauge algorithm show allreduce.xml          rounds, messages and bytes per link, beside lower bounds\n"
    "  railgauge algorithm show allreduce.xml --picture rounds.html   who sends what to whom, and when\n"
    "  railgauge algorithm convert all_reduce --algorithm ring --ranks 8 -o ring.xml   for MSCCL\n";

// What verify() proves holds unbuffered.
JudgedFile judge_schedules(const std::string& path) {
  const ScheduleFile schedules = read_schedules(read_file(path), path);
  JudgedFile file;
  file.path = path;
  file.program.collective = schedules.collective;
  file.program.ranks.resize(schedules.ranks.size());
  for (const Schedule& rank : schedules.ranks) file.program.blocks = std::max(file.program.blocks, rank.blocks);
  for (const std::string& sentence : findings_of(schedules, false)) {
    file.proof.findings.emplace_back();
    file.proof.findings.back().sentence = sentence;
  }
  file.program.out_of_place = true;
  file.program.in_place = file.proof.right() && row(schedules.collective).in_place && findings_of(schedules, true).empty();
  if (file.proof.right()) file.proof.buffering = 0;
  if (row(schedules.collective).rooted) file.proof.root = schedules.root;
  return file;
}

JudgedFile judge(const std::string& path) {
  JudgedFile file;
  file.path = path;
  try {
    if (path.ends_with(".jsonl")) return judge_schedules(path);
    file.program = read_algorithm(path);
    file.proof = prove(file.program);
  } catch (const Error& error) { file.unreadable = error.what(); }
  return file;
}

// With the files of folders in their place. Throws Error(usage) for a folder without any.
std::vector<std::string> files_named(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed)) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> its = files_of_folder(path);
    files.insert(files.end(), its.begin(), its.end());
  }
  return files;
}

CLI::App* add_check(CLI::App& algorithm, const std::shared_ptr<AlgorithmOptions>& options) {
  CLI::App* command =
      algorithm.add_subcommand("check", "Say whether each is right, or the first block, wait or race that is wrong");
  command
      ->add_option("FILE", options->files,
                   "MSCCL XML, a plan of MSCCL++ (JSON), also compressed by gzip; schedules (.jsonl); or a folder of them")
      ->required();
  command->add_option("--format", options->format, "text or json")
      ->check(options::one_of({"text", "json"}))
      ->capture_default_str();
  command->footer(algorithm_examples);
  return command;
}

}  // namespace

int run_algorithm_check(const AlgorithmOptions& options, std::FILE* to) {
  const bool json = wants_json(options.format);
  std::vector<JudgedFile> files;
  int code = 0;
  for (const std::string& path : files_named(options.files)) {
    JudgedFile file = judge(path);
    code = more_severe(code, exit_code(file));
    if (!json)
      print(to_text(file), to);
    else
      files.push_back(std::move(file));
  }
  if (json) print(to_json(files), to);
  return code;
}

void add_algorithm(CLI::App& program, const Invocation& /*invocation*/, Action& action) {
  CLI::App* command =
      program.add_subcommand("algorithm", "Prove, count and convert algorithms that others publish (MSCCL, MSCCL++)");
  command->require_subcommand(1);
  command->footer(algorithm_examples);
  const auto options = std::make_shared<AlgorithmOptions>();  // lives as long as the parser and the actions
  add_check(*command, options)->callback([options, &action] {
    action = [options] { return run_algorithm_check(*options, stdout); };
  });
  add_algorithm_show(*command, action);
  add_algorithm_convert(*command, action);
}

}  // namespace railgauge
