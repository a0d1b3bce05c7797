// Names ranks in sentences: runs of neighbours are folded, and long lists are cut.
#include "bench/launch/sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace railgauge {

std::string name_ranks(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  constexpr std::size_t most = 8;
  std::vector<std::string> parts;
  std::size_t named = 0;
  for (std::size_t i = 0; i < ranks.size() && parts.size() < most;) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (last - i >= 2) {
      parts.push_back(fmt::format("{} to {}", ranks[i], ranks[last]));
    } else {
      last = i;
      parts.push_back(fmt::format("{}", ranks[i]));
    }
    named += last - i + 1;
    i = last + 1;
  }
  if (named < ranks.size()) parts.push_back(fmt::format("{} more", ranks.size() - named));
  std::string text = "ranks ";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

std::string absent_sentence(const std::vector<int>& ranks, const std::string& call, Seconds deadline) {
  return fmt::format("{} did not come to the {} within {:g} s", name_ranks(ranks), call, deadline.count());
}

std::chrono::steady_clock::time_point moment_after(Seconds deadline) {
  constexpr Seconds years{1e8};
  const Seconds bounded = std::clamp(deadline, Seconds{0}, years);
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(bounded);
}

}  // namespace railgauge
