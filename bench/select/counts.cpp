// A matrix as text.
#include "bench/select/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/output/text.hpp"

namespace railgauge {

std::vector<std::uint64_t> read_counts(const std::string& path) {
  constexpr std::size_t most_ranks_of_counts = 1024;
  std::istringstream lines(read_file(path, std::uintmax_t{32} << 20U));
  std::vector<std::uint64_t> counts;
  std::size_t rows = 0, columns = 0, line = 0;
  const auto fail = [&](const std::string& what) { return Error(Fault::usage, fmt::format("{}:{}: {}", path, line, what)); };
  for (std::string text; std::getline(lines, text);) {
    ++line;
    text.resize(std::min(text.size(), text.find('#')));
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words(text);
    std::size_t numbers = 0;
    for (std::string word; words >> word; ++numbers) {
      std::uint64_t count = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
      if (error != std::errc() || end != word.data() + word.size())
        throw fail(fmt::format("expected a number of elements, found {}", printable(word.substr(0, 40))));
      if (numbers >= most_ranks_of_counts) throw fail(fmt::format("counts are for at most {} ranks", most_ranks_of_counts));
      counts.push_back(count);
    }
    if (numbers == 0) continue;
    if (rows == 0) columns = numbers;
    if (numbers != columns) throw fail(fmt::format("the row has {} counts, and the first one {}", numbers, columns));
    ++rows;
    if (rows > columns) throw fail(fmt::format("there are more than {} rows, and each has {} counts", columns, columns));
  }
  if (rows == 0) throw fail("there are no counts");
  if (rows != columns) throw fail(fmt::format("there are {} rows of {} counts: each rank has one of both", rows, columns));
  if (std::all_of(counts.begin(), counts.end(), [](std::uint64_t count) { return count == 0; })) throw fail("all counts are 0");
  return counts;
}

std::uint64_t most_exchanged(std::span<const std::uint64_t> counts, int ranks) noexcept {
  const auto number = static_cast<std::size_t>(ranks);
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < number; ++i) {
    std::uint64_t sent = 0, received = 0;
    for (std::size_t j = 0; j < number; ++j) {
      if (i == j) continue;
      sent += counts[i * number + j];
      received += counts[j * number + i];
    }
    most = std::max({most, sent, received});
  }
  return most;
}

std::uint64_t digest_of(std::span<const std::uint64_t> counts) noexcept {
  Digest digest;
  for (const std::uint64_t count : counts) digest.add(count);
  return digest.value() >> 11;
}

}  // namespace railgauge
