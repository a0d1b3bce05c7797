// The JSON of nccl-tests, format version 3: truth values are strings, a root is a padded one, and numbers have six digits behind
// the point.
#include <fmt/format.h>

#include <cmath>

#include "reports/formats/nccl_tests.hpp"

namespace railgauge::nccl_tests {
namespace {

// Up to the first character that it could not write: nccl-tests cuts there.
std::string text(std::string_view value) {
  std::string result = "\"";
  for (const char c : value) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (code < 0x20 || code >= 0x7f) {
      break;
    } else {
      if (c == '"' || c == '\\' || c == '/') result += '\\';
      result += c;
    }
  }
  return result + "\"";
}

std::string real(double value) {
  if (std::isnan(value)) return "\"nan\"";
  return std::isfinite(value) ? fmt::format("{:f}", value) : "null";
}

std::string truth(bool value) { return value ? "\"true\"" : "\"false\""; }

template <class Values, class Write>
std::string list(const Values& values, Write&& write) {
  std::string result = "[";
  for (const auto& value : values) result += (result.size() == 1 ? "" : ",") + write(value);
  return result + "]";
}

// Keys and values in the order in which they are added.
class Object {
 public:
  void add(std::string_view key, const std::string& value) { result_ += (result_.empty() ? "" : ",") + text(key) + ":" + value; }
  void add(std::string_view key, std::uint64_t value) { add(key, std::to_string(value)); }
  void add(std::string_view key, int value) { add(key, std::to_string(value)); }
  [[nodiscard]] std::string written() const { return "{" + result_ + "}"; }

 private:
  std::string result_;
};

std::string device_object(const Device& device) {
  Object object;
  object.add("rank", device.rank);
  object.add("group", device.group);
  object.add("pid", device.process);
  object.add("hostname", text(device.host));
  object.add("device", device.number);
  object.add("device_hex", text(device.address));
  object.add("device_info", text(device.description));
  return object.written();
}

std::string config_object(const Heading& heading) {
  Object object;
  object.add("nthreads", heading.threads);
  object.add("ngpus", heading.gpus);
  object.add("minimum_bytes", heading.min_bytes);
  object.add("maximum_bytes", heading.max_bytes);
  if (heading.step_factor > 1)
    object.add("step_factor", heading.step_factor);
  else
    object.add("step_bytes", heading.step_bytes);
  object.add("warmup_iters", heading.warm_up);
  object.add("iterations", heading.iterations);
  object.add("aggregated_iterations", heading.aggregated);
  object.add("validation", heading.checks);
  object.add("graph", heading.graph);
  object.add("blocking_collectives", truth(heading.blocking != 0));
  object.add("per_iter_timing", truth(heading.per_iteration));
  object.add("per_iter_skip", heading.skipped_iterations);
  object.add("parallel_init", truth(heading.parallel_init));
  object.add("devices", list(heading.devices, device_object));
  return object.written();
}

std::string half_object(const Heading& heading, const Result& result, bool checked) {
  Object object;
  object.add(heading.launch_time ? "cpu_time" : "time", real(result.summary.median.count() * 1e6));
  object.add("alg_bw", real(result.summary.algbw));
  object.add("bus_bw", real(result.summary.busbw));
  object.add("nwrong", checked ? real(static_cast<double>(result.summary.wrong)) : std::string("null"));
  return object.written();
}

std::string iterations_object(const Heading& heading, const Result& result) {
  const auto found = iterations_of(result, heading.skipped_iterations, heading.threads * heading.gpus);
  if (!found) return "null";
  Object object;
  object.add("skipped_iterations", heading.skipped_iterations);
  object.add("min_us", real(found->min));
  object.add("max_us", real(found->max));
  object.add("avg_us", real(found->mean));
  object.add("p50_us", real(found->p50));
  object.add("p95_us", real(found->p95));
  object.add("p99_us", real(found->p99));
  object.add("stdev_us", real(found->deviation));
  object.add("cv_pct", real(found->variation()));
  object.add("times_us", list(found->times, real));
  if (found->by_process.size() > 1)
    object.add("per_process_max_times_us",
               list(found->by_process, [](const std::vector<double>& times) { return list(times, real); }));
  return object.written();
}

std::string row_object(const Heading& heading, const TableRow& row) {
  const Case& point = row.out_of_place.point;
  const auto collective = find_collective(point.collective);
  const auto type = railgauge::find_type(point.type);
  const bool checked = heading.checks != 0;
  Object object;
  object.add("size", point.bytes);
  object.add("count", row.share());
  object.add("type", text(type ? word(*type) : ""));
  object.add("redop", text(op_word(point)));
  object.add("root", text(fmt::format("{:>6}", point.root)));
  object.add("out_of_place", half_object(heading, row.out_of_place, checked));
  if (heading.per_iteration) object.add("out_of_place_per_iter", iterations_object(heading, row.out_of_place));
  object.add("in_place", half_object(heading, row.in_place, checked && collective && railgauge::row(*collective).in_place));
  if (heading.per_iteration) object.add("in_place_per_iter", iterations_object(heading, row.in_place));
  object.add("actual_iterations", heading.iterations);
  object.add("experiment_name", text(""));  // as for every run that replays no trace
  return object.written();
}

}  // namespace

std::string json(const Heading& heading, const std::vector<TableRow>& rows, const std::vector<std::string>& errors,
                 const std::string& end_time) {
  Totals totals;
  for (const TableRow& row : rows) totals.add(row);
  Object bounds;
  bounds.add("count", totals.wrong);
  bounds.add("okay", truth(totals.wrong == 0));
  Object bandwidth;
  bandwidth.add("bandwidth", real(totals.mean_busbw()));
  bandwidth.add("okay", heading.least_bandwidth ? truth(totals.enough(heading.least_bandwidth)) : text("unchecked"));

  Object object;
  object.add("version", 3);
  object.add("start_time", text(heading.start_time));
  object.add("args", list(heading.arguments, text));
  object.add("env", list(heading.environment, text));
  object.add("nccl_version", heading.nccl_version);
  object.add("config", config_object(heading));
  object.add("results", list(rows, [&](const TableRow& row) { return row_object(heading, row); }));
  object.add("out_of_bounds", bounds.written());
  object.add("average_bus_bandwidth", bandwidth.written());
  object.add("errors", list(errors, text));
  object.add("end_time", text(end_time));
  return object.written();
}

}  // namespace railgauge::nccl_tests
