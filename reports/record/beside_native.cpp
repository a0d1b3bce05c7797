#include "reports/record/beside_native.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/output/escape.hpp"
#include "base/output/text.hpp"
#include "reports/record/result_text.hpp"

namespace railgauge {
namespace {

bool same_point(const Case& a, const Case& b) {
  const auto key = [](const Case& point) {
    return std::tie(point.collective, point.device, point.type, point.op, point.mode, point.ranks, point.nodes, point.root,
                    point.in_place, point.bytes, point.window, point.seed);
  };
  return key(a) == key(b);
}

// "ring over cuda_ipc", or "RING over nccl" where the library said how it was done.
std::string name_of(const MeasuredAlgorithm& measured) {
  const bool told = measured.library && !measured.library->algorithm.empty();
  return fmt::format("{} over {}", told ? measured.library->algorithm : measured.algorithm, measured.transport);
}
std::string protocol_of(const MeasuredAlgorithm& measured) {
  return measured.kernel && !measured.kernel->protocol.empty() ? measured.kernel->protocol : "-";
}
std::string multiprocessors_of(const MeasuredAlgorithm& measured) {
  return measured.kernel ? fmt::format("{}", measured.kernel->multiprocessors) : "-";
}

std::string ratio_text(const BesideNative& row) { return fmt::format("{:.3g}", row.ratio()); }

constexpr const char* side_columns = " {:<28} {:<10} {:>4} {:>7}";
std::string side_of(const MeasuredAlgorithm& measured) {
  return fmt::format(fmt::runtime(side_columns), printable(name_of(measured)), printable(protocol_of(measured)),
                     multiprocessors_of(measured), time_text(measured.median));
}

}  // namespace

void BesideNatives::add(const Result& result) {
  const bool right = result.status == Status::ok || result.status == Status::not_converged;
  const Case& point = result.point;
  if (!right || result.summary.samples == 0 || point.from >= 0 || !(result.summary.median.count() > 0)) return;
  auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& it) { return same_point(it.point, point); });
  if (entry == entries_.end()) entry = entries_.insert(entries_.end(), {point, {}, {}});
  const bool native = point.algorithm == "native";
  std::optional<MeasuredAlgorithm>& best = native ? entry->native : entry->ours;
  if (best && best->median <= result.summary.median) return;
  if (!native) entry->point = point;
  best = MeasuredAlgorithm{point.algorithm, point.transport, result.summary.median, result.kernel, result.library};
}

std::vector<BesideNative> BesideNatives::rows() const {
  std::vector<BesideNative> rows;
  for (const Entry& entry : entries_)
    if (entry.ours && entry.native) rows.push_back({entry.point, *entry.ours, *entry.native});
  return rows;
}

std::string BesideNatives::text() const {
  std::string text, collective;
  for (const BesideNative& row : rows()) {
    if (text.empty() || row.point.collective != collective) {
      collective = row.point.collective;
      text += fmt::format("\n{}: the fastest of railgauge's algorithms beside the library's own; ratio: of their bandwidths\n",
                          printable(collective));
      text += fmt::format("{:>9}  {:<11}", "size", "type");
      text += fmt::format(fmt::runtime(side_columns), "railgauge", "protocol", "SMs", "time");
      text += fmt::format(fmt::runtime(side_columns), "library", "protocol", "SMs", "time") + "   ratio\n";
    }
    text += fmt::format("{:>9}  {:<11}{}{} {:>7}\n", format_bytes(row.point.bytes), printable(row.point.type), side_of(row.ours),
                        side_of(row.native), ratio_text(row));
  }
  return text;
}

std::string BesideNatives::markdown() const {
  std::string text;
  for (const BesideNative& row : rows()) {
    if (text.empty())
      text =
          "\n### The fastest of railgauge's algorithms beside the library's own\n\n"
          "| collective | size | type | railgauge | protocol | SMs | time | library | protocol | SMs | time | ratio |\n"
          "|---|---:|---|---|---|---:|---:|---|---|---:|---:|---:|\n";
    text += fmt::format("| {} | {} | {} |", markdown_text(row.point.collective), format_bytes(row.point.bytes),
                        markdown_text(row.point.type));
    for (const MeasuredAlgorithm* side : {&row.ours, &row.native})
      text += fmt::format(" {} | {} | {} | {} |", markdown_text(name_of(*side)), markdown_text(protocol_of(*side)),
                          multiprocessors_of(*side), time_text(side->median));
    text += fmt::format(" {} |\n", ratio_text(row));
  }
  return text;
}

}  // namespace railgauge
