// The keys behind reports/record.hpp.
#include "reports/record.hpp"

#include <cmath>

#include "reports/text.hpp"

namespace railgauge {

nlohmann::ordered_json flat_record(const Result& result) {
  using Json = nlohmann::ordered_json;
  const Case& point = result.point;
  const Summary& summary = result.summary;
  const bool measured = summary.samples != 0;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  const auto sampled = [&](double value) { return measured ? number(value) : Json(nullptr); };

  Json record;
  record["schema"] = "railgauge.result/1";
  record["run"] = printable(result.run);
  record["status"] = name(result.status);
  record["reason"] = printable(result.reason);
  record["collective"] = printable(point.collective);
  record["algorithm"] = printable(point.algorithm);
  record["transport"] = printable(point.transport);
  record["device"] = printable(point.device);
  record["type"] = printable(point.type);
  record["op"] = printable(point.op);
  record["mode"] = printable(point.mode);
  record["path"] = printable(point.path);
  record["ranks"] = point.ranks;
  record["nodes"] = point.nodes;
  record["root"] = point.root < 0 ? Json(nullptr) : Json(point.root);
  record["lanes"] = point.lanes;
  record["in_place"] = point.in_place;
  record["bytes"] = point.bytes;
  record["count"] = point.count;
  record["samples"] = summary.samples;
  record["batch"] = summary.batch;
  record["buffers"] = summary.buffers;
  record["cache"] = printable(summary.cache);
  record["effective_samples"] = sampled(summary.effective_samples);
  record["checked"] = sampled(summary.checked);
  record["warm_up"] = summary.warm_up;
  record["min"] = sampled(summary.min.count());
  record["median"] = sampled(summary.median.count());
  record["ci_low"] = sampled(summary.ci_low.count());
  record["ci_high"] = sampled(summary.ci_high.count());
  record["p95"] = sampled(summary.p95.count());
  record["p99"] = sampled(summary.p99.count());
  record["max"] = sampled(summary.max.count());
  record["algbw"] = sampled(summary.algbw);
  record["busbw"] = sampled(summary.busbw);
  record["wrong"] = summary.wrong;
  record["host"] = printable(result.host.name);
  record["cpu"] = printable(result.host.cpu);
  record["kernel"] = printable(result.host.kernel);
  return record;
}

}  // namespace railgauge
