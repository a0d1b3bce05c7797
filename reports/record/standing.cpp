// Compares and says so.
#include "reports/record/standing.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/output/text.hpp"
#include "reports/record/result_text.hpp"

namespace railgauge {

std::optional<Standing> standing_of(const Result& result) {
  const bool measured = result.status == Status::ok || result.status == Status::not_converged;
  if (!result.expected_share || !measured || result.summary.samples == 0) return std::nullopt;
  if (!result.expected || !(result.expected->busbw > 0) || !std::isfinite(result.summary.busbw)) return Standing::unknown;
  return result.summary.busbw < *result.expected_share * result.expected->busbw ? Standing::below : Standing::meets;
}

std::string standing_sentence(const Result& result) {
  const std::optional<Standing> standing = standing_of(result);
  if (!standing || *standing == Standing::meets) return {};
  const std::string asked = share_text(*result.expected_share, 1);
  if (*standing == Standing::unknown)
    return fmt::format("no reference says what the links between its ranks allow, of which {} were asked for", asked);
  return fmt::format("busbw {} GB/s is {} of the {} GB/s that the links allow ({}), and {} were asked for",
                     format_gigabytes(result.summary.busbw), share_text(result.summary.busbw, result.expected->busbw),
                     format_gigabytes(result.expected->busbw), printable(result.expected->basis), asked);
}

}  // namespace railgauge
