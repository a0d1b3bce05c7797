// Names ranks in sentences: runs of neighbours are folded, and long lists are cut.
#include "bench/launch/sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>

namespace railgauge {
namespace {

// The words in which two command lines differ first, an option with its value.
std::pair<std::string, std::string> first_difference(const std::string& left, const std::string& right) {
  std::istringstream a(left), b(right);
  std::string before, one, other;
  while (true) {
    const bool some = static_cast<bool>(a >> one);
    const bool more = static_cast<bool>(b >> other);
    if (!some && !more) return {left, right};  // they differ in spaces
    if (!some) one = "nothing";
    if (!more) other = "nothing";
    if (one != other) {
      const bool value = before.starts_with("--") && before.find('=') == std::string::npos;
      if (value && some && !one.starts_with("--")) one = before + " " + one;
      if (value && more && !other.starts_with("--")) other = before + " " + other;
      return {one, other};
    }
    before = one;
  }
}

}  // namespace

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

std::string other_arguments(int rank, const std::string& theirs, const std::string& of_first) {
  const auto [its, ours] = first_difference(theirs, of_first);
  return fmt::format("rank {} was started with '{}' and rank 0 with '{}'; give every rank the same arguments", rank, its, ours);
}

std::chrono::steady_clock::time_point moment_after(Seconds deadline) {
  constexpr Seconds years{1e8};
  const Seconds bounded = std::clamp(deadline, Seconds{0}, years);
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(bounded);
}

}  // namespace railgauge
