// The printing of bench/nccl_tests/output.hpp.
#include "bench/nccl_tests/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/output/print.hpp"
#include "base/version.hpp"
#include "bench/nccl_tests/rank_summary.hpp"
#include "reports/formats/writer.hpp"

namespace railgauge::nccl_tests {
namespace {

constexpr int most_names = 10'000;

std::string now() {
  std::array<char, 32> text{};
  const std::time_t time = std::time(nullptr);
  std::tm local{};
  localtime_r(&time, &local);
  std::strftime(text.data(), text.size(), timestamp_format, &local);
  return text.data();
}

// Makes the file of that name, or the first of name.0, name.1... that no other run has, and says in `name` which. Throws
// Error(usage).
std::unique_ptr<GrowingFile> claim(std::string& name) {
  const std::string asked = name;
  for (int i = 0;; ++i) {
    try {
      return std::make_unique<GrowingFile>(name);
    } catch (const Error&) {
      std::error_code ignored;
      const bool taken = std::filesystem::symlink_status(name, ignored).type() != std::filesystem::file_type::not_found;
      if (!taken || i == most_names) throw;
    }
    name = asked + "." + std::to_string(i);
  }
}

std::vector<std::string> notes_of(const Options& options, const Introduction& introduction) {
  const ChosenDevice& device = options.buffers.device;
  const std::string how = introduction.library.empty() ? "run railgauge's algorithms over " + introduction.transport
                                                       : "run " + introduction.library + "'s own collectives";
  std::vector<std::string> notes{
      fmt::format("railgauge {}, in the format of nccl-tests: {}", version(),
                  device.table == nullptr ? "no GPU is used, ranks have host memory and speak over " + introduction.transport
                                          : fmt::format("ranks have {} memory of GPUs and {}", device.memory_name, how))};
  if (!options.buffers.why_host.empty()) notes.push_back("no GPU: " + options.buffers.why_host);
  notes.insert(notes.end(), options.without_meaning.begin(), options.without_meaning.end());
  if (!railgauge::row(options.program->collective).in_place)
    notes.push_back(fmt::format("{} has no in-place form: the second half of a row is a second run out of place",
                                name(options.program->collective)));
  return notes;
}

Heading heading_of(const Options& options, const Invocation& invocation) {
  Heading heading;
  heading.program = options.program->name;
  heading.threads = options.threads;
  heading.gpus = options.gpus;
  heading.min_bytes = options.min_bytes;
  heading.max_bytes = options.max_bytes;
  heading.step_bytes = options.step_bytes;
  heading.step_factor = options.step_factor;
  heading.warm_up = options.run.warm_up;
  heading.iterations = options.run.iterations;
  heading.aggregated = options.run.aggregated;
  heading.checks = options.run.checks;
  heading.unaligned = options.unaligned;
  heading.graph = options.graph;
  heading.blocking = options.blocking;
  heading.parallel_init = options.parallel_init;
  heading.launch_time = options.run.launch_time;
  heading.timestamps = options.timestamps;
  heading.per_iteration = options.run.per_iteration;
  heading.events = options.buffers.device.table != nullptr;
  heading.skipped_iterations = options.skipped_iterations;
  heading.least_bandwidth = options.least_bandwidth;
  heading.start_time = now();
  heading.arguments = options.arguments;
  for (const auto& [name, value] : invocation.environment)
    if (may_be_shown(name)) heading.environment.push_back(name + "=" + value);
  return heading;
}

}  // namespace

std::string to_line(const Introduction& introduction) {
  nlohmann::json line;
  line["max_bytes"] = introduction.max_bytes;
  line["transport"] = introduction.transport;
  line["library"] = introduction.library;
  line["devices"] = nlohmann::json::array();
  for (const Device& device : introduction.devices)
    line["devices"].push_back(
        {device.rank, device.group, device.process, device.host, device.number, device.address, device.description});
  return line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

Introduction read_introduction(const std::string& line) {
  try {
    const nlohmann::json read = nlohmann::json::parse(line);
    Introduction introduction;
    introduction.max_bytes = read.at("max_bytes").get<std::uint64_t>();
    introduction.transport = read.at("transport").get<std::string>();
    introduction.library = read.at("library").get<std::string>();
    for (const nlohmann::json& each : read.at("devices")) {
      Device& device = introduction.devices.emplace_back();
      each.at(0).get_to(device.rank);
      each.at(1).get_to(device.group);
      each.at(2).get_to(device.process);
      each.at(3).get_to(device.host);
      each.at(4).get_to(device.number);
      each.at(5).get_to(device.address);
      each.at(6).get_to(device.description);
    }
    return introduction;
  } catch (const nlohmann::json::exception&) {
    throw Error(Fault::usage, "rank 0 introduced the ranks in words that are not understood here");
  }
}

Output::Output(const Options& options, const Invocation& invocation)
    : options_(options), heading_(heading_of(options, invocation)) {
  if (options.output_file.empty()) return;
  file_name_ = options.output_file;
  file_ = claim(file_name_);
}

void Output::print(const std::string& text) const { descriptor_sink(STDOUT_FILENO, "standard output")(text); }

void Output::begin(const Introduction& introduction) {
  begun_ = true;
  heading_.devices = introduction.devices;
  heading_.notes = notes_of(options_, introduction);
  heading_.nccl_version = nccl_version_of(introduction.library);
  if (introduction.max_bytes < heading_.max_bytes) heading_.reduced_to = introduction.max_bytes;
  if (file_) print("# Writing JSON output to " + file_name_ + "\n");
  print(heading_text(heading_));
}

void Output::add(const Result& result) {
  if (!pending_) {
    pending_ = result;
    return;
  }
  TableRow row{std::move(*pending_), result, now(), {}};
  pending_.reset();
  totals_.add(row);
  print(row_text(heading_, row));
  if (options_.rank_summary) print(rank_summary(row.out_of_place) + rank_summary(row.in_place));
  if (file_) rows_.push_back(std::move(row));
}

void Output::finish(const std::vector<std::string>& errors) {
  if (!begun_) return;
  begun_ = false;
  if (file_) {
    file_->append(json(heading_, rows_, errors, now()));
    file_.reset();
  }
  print(footing_text(heading_, totals_, errors));
}

}  // namespace railgauge::nccl_tests
