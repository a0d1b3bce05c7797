// The table of nccl-tests: its lines, columns and blanks.
#include <fmt/format.h>

#include <array>

#include "base/output/text.hpp"
#include "reports/formats/nccl_tests.hpp"

namespace railgauge::nccl_tests {
namespace {

constexpr std::string_view version = "2.19.6";  // whose output this is

// By -z.
constexpr std::array<std::string_view, 4> blocking_lines{
    "", "# Blocking Enabled: wait and barrier after each inner iteration (-m) \n",
    "# Blocking Enabled: wait after each inner iteration (-m), no barrier \n",
    "# Blocking Enabled: wait and barrier after each outer iteration (-n); time excludes barrier \n"};

std::string half_of_titles(const Heading& heading, std::string_view time) {
  std::string text = fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", time, "algbw", "busbw", "#wrong");
  if (heading.per_iteration) text += fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", "i_min", "i_max", "i_p99", "i_cv%");
  return text;
}

std::string half_of_units(const Heading& heading) {
  std::string text = fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", "(us)", "(GB/s)", "(GB/s)", "");
  if (heading.per_iteration) text += fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", "(us)", "(us)", "(us)", "(%)");
  return text;
}

std::string titles(const Heading& heading) {
  constexpr const char* first = "# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}";
  const std::string time = half_of_titles(heading, heading.launch_time ? "cputime" : "time");
  const std::string units = half_of_units(heading);
  std::string text = "#\n" + fmt::format(first, "", "", "", "", "");
  if (heading.per_iteration)
    text += fmt::format("{:14}out-of-place (+ per-iteration){:32}in-place (+ per-iteration)\n", "", "");
  else
    text += fmt::format("{:11}out-of-place{:23}in-place{:10}\n", "", "", "");
  text += fmt::format(first, "size", "count", "type", "redop", "root") + time + time;
  text += heading.timestamps ? fmt::format(" {:>19}\n", "timestamp") : " \n";
  text += fmt::format(first, "(B)", "(elements)", "", "", "") + units + units;
  text += heading.timestamps ? fmt::format(" {:>19}\n", timestamp_format) : " \n";
  return text;
}

std::string per_iteration_line(const Heading& heading) {
  std::string text = fmt::format("# Per-Iteration Report: {}; i_* uses max over process rows",
                                 heading.events ? "CUDA event timing" : "host clock timing");
  if (heading.skipped_iterations != 0) text += fmt::format("; summary skips first {} iterations", heading.skipped_iterations);
  return text + " \n";
}

std::string half(const Heading& heading, const Result& result, bool checked) {
  const Summary& summary = result.summary;
  std::string text = fmt::format("  {:>7}  {:>6}  {:>6}", number(summary.median.count() * 1e6, 7), number(summary.algbw, 6),
                                 number(summary.busbw, 6));
  text += checked ? fmt::format("  {:>6g}", static_cast<double>(summary.wrong)) : "    N/A";
  if (!heading.per_iteration) return text;
  const auto found = iterations_of(result, heading.skipped_iterations, heading.threads * heading.gpus);
  const Iterations times = found.value_or(Iterations{});
  return text + fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", number(times.min, 7), number(times.max, 7), number(times.p99, 7),
                            number(times.variation(), 7));
}

}  // namespace

std::string heading_text(const Heading& heading) {
  const bool factor = heading.step_factor > 1;
  std::string text = fmt::format("# nccl-tests version {0} nccl-headers={1} nccl-library={1}\n", version, heading.nccl_version);
  text += fmt::format("# Collective test starting: {}\n", heading.program);
  text += fmt::format(
      "# nThread {} nGpus {} minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} agg iters: {} validation: {} graph: "
      "{} unalign: {}\n",
      heading.threads, heading.gpus, heading.min_bytes, heading.max_bytes, factor ? heading.step_factor : heading.step_bytes,
      factor ? "factor" : "bytes", heading.warm_up, heading.iterations, heading.aggregated, heading.checks, heading.graph,
      heading.unaligned);
  text += blocking_lines.at(static_cast<std::size_t>(heading.blocking));
  if (heading.per_iteration) text += per_iteration_line(heading);
  if (heading.parallel_init) text += "# Parallel Init Enabled: threads call into NcclInitRank concurrently \n";
  for (const std::string& note : heading.notes) text += "# " + printable(note) + "\n";
  text += "#\n# Using devices\n";
  for (const Device& device : heading.devices)
    text += fmt::format("#  Rank {:2} Group {:2} Pid {:6} on {:>10} device {:2} [{}] {}\n", device.rank, device.group,
                        device.process, printable(device.host), device.number, device.address, printable(device.description));
  if (heading.reduced_to) text += fmt::format("#\n# Reducing maxBytes to {} due to memory limitation\n", *heading.reduced_to);
  return text + titles(heading);
}

std::string row_text(const Heading& heading, const TableRow& row) {
  const Case& point = row.out_of_place.point;
  const auto collective = find_collective(point.collective);
  const auto type = railgauge::find_type(point.type);
  std::string text = fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}", point.bytes, row.share(), type ? word(*type) : "",
                                 op_word(point), point.root);
  text += half(heading, row.out_of_place, heading.checks != 0);
  text += half(heading, row.in_place, heading.checks != 0 && collective && railgauge::row(*collective).in_place);
  if (heading.timestamps) text += fmt::format("{:>21}", row.timestamp);
  return text + "\n";
}

std::string footing_text(const Heading& heading, const Totals& totals, const std::vector<std::string>& errors) {
  const std::string_view verdict = !heading.least_bandwidth ? "" : totals.enough(heading.least_bandwidth) ? "OK" : "FAILED";
  std::string text = fmt::format("# {:<20} : {} {}\n", "Out of bounds values", totals.wrong, totals.wrong == 0 ? "OK" : "FAILED");
  text += fmt::format("# {:<20} : {:g} {}\n#\n", "Avg bus bandwidth", totals.mean_busbw(), verdict);
  text += fmt::format("# Collective test concluded: {}\n#\n", heading.program);
  if (errors.empty()) text += "\n";
  for (const std::string& error : errors) text += "# error: " + printable(error) + "\n";
  return text;
}

}  // namespace railgauge::nccl_tests
