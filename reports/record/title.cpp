// The words of reports/record/title.hpp.
#include "reports/record/title.hpp"

#include "base/output/text.hpp"
#include "base/rooted.hpp"
#include "base/words.hpp"
#include "reports/record/result_text.hpp"

namespace railgauge {

bool moves_data(const Case& point) { return point.collective != name(Collective::barrier); }

std::string cache_state(const Result& result) {
  return result.summary.samples != 0 && moves_data(result.point) ? printable(result.summary.cache) : std::string();
}

std::string title_of(const Result& result) {
  std::string text = heading_of(result.point);
  const auto collective = find_collective(result.point.collective);
  if (collective && is_rooted_collective(*collective))
    text += result.point.mode == "back-to-back" ? " (iterations overlap, ranks run ahead)" : " (iterations start together)";
  const std::string state = cache_state(result);
  if (state == "cold") text += ", cold (data comes from memory)";
  if (state == "warm") text += ", warm (data may be in caches)";
  return text;
}

}  // namespace railgauge
