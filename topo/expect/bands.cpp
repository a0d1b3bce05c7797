// Reads the table of bands, and finds the row of a ceiling.
#include "topo/expect/bands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "topo/csv.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

constexpr std::string_view heading = "collective,algorithm,generation,limit,domains,gpus,least,most,size,sources";
constexpr unsigned most_count = 1000000;

class Row {
 public:
  Row(const std::vector<std::string>& cells, std::string_view origin, std::size_t number)
      : origin_(origin), number_(number), fields_(cells) {
    constexpr std::size_t wanted = 10;
    if (fields_.size() != wanted) fail(fmt::format("{} fields were expected, and there are {}", wanted, fields_.size()));
  }

  [[nodiscard]] Band band() const {
    Band band;
    const auto collective = find_collective(fields_[0]);
    if (!collective) fail(fmt::format("\"{}\" is no collective", shown(0)));
    band.collective = *collective;
    band.algorithm = text(1);
    band.generation = text(2);
    if (fields_[3] == "inside" || fields_[3] == "*") band.limits.push_back(Limit::inside);
    if (fields_[3] == "network" || fields_[3] == "*") band.limits.push_back(Limit::network);
    if (band.limits.empty()) fail(fmt::format("\"{}\" is neither inside nor network nor *", shown(3)));
    band.domains = span(4);
    band.gpus = span(5);
    band.least = share(6);
    band.most = share(7);
    if (band.most < band.least) fail("the band ends below its beginning");
    band.size = fields_[8];
    for (std::string_view rest = text(9); !rest.empty();) {
      const std::size_t end = std::min(rest.find(';'), rest.size());
      std::string_view source = rest.substr(0, end);
      source.remove_prefix(std::min(source.find_first_not_of(' '), source.size()));
      if (!source.empty()) band.sources.emplace_back(source);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (band.sources.empty()) fail("the sources of the figures were expected");
    return band;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", origin_, number_, what));
  }
  [[nodiscard]] std::string shown(std::size_t field) const { return printable(fields_[field].substr(0, 60)); }
  [[nodiscard]] std::string_view text(std::size_t field) const {
    if (fields_[field].empty()) fail(fmt::format("field {} is empty", field + 1));
    return fields_[field];
  }
  [[nodiscard]] std::optional<unsigned> whole(std::string_view word) const {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || number == 0 || number > most_count) return std::nullopt;
    return number;
  }
  // "8" or "4-8".
  [[nodiscard]] Span span(std::size_t field) const {
    const std::string_view word = text(field);
    const std::size_t dash = word.find('-');
    const auto least = whole(word.substr(0, dash));
    const auto most = dash == std::string_view::npos ? least : whole(word.substr(dash + 1));
    if (!least || !most || *most < *least) fail(fmt::format("\"{}\" is no count, as 8 or 4-8 is", shown(field)));
    return {*least, *most};
  }
  [[nodiscard]] double share(std::size_t field) const {
    const std::string_view word = text(field);
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !(value > 0 && value <= 1))
      fail(fmt::format("\"{}\" is no share of a ceiling, above 0 and at most 1", shown(field)));
    return value;
  }

  std::string_view origin_;
  std::size_t number_;
  const std::vector<std::string>& fields_;
};

}  // namespace

std::vector<Band> read_bands(std::string_view csv, std::string_view origin) {
  CsvRecords records(csv, ',');
  if (!records.next(origin) || fmt::format("{}", fmt::join(records.cells(), ",")) != heading)
    throw Error(Fault::usage, fmt::format("{}:1: the heading {} was expected", origin, heading));
  std::vector<Band> all;
  while (records.next(origin))
    if (!records.blank()) all.push_back(Row(records.cells(), origin, records.line()).band());
  return all;
}

std::vector<Band> bands() { return read_bands(bands_csv, "bands.csv"); }

const Band* find_band(std::span<const Band> all, Collective collective, std::string_view algorithm, std::string_view generation,
                      Limit limit, unsigned domains, unsigned gpus) {
  if (generation.empty()) return nullptr;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Band& it) {
    return it.collective == collective && it.algorithm == algorithm && (it.generation == generation || it.generation == "*") &&
           std::find(it.limits.begin(), it.limits.end(), limit) != it.limits.end() && it.domains.holds(domains) &&
           it.gpus.holds(gpus);
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace railgauge::topo
