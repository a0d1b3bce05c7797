// Columns, since keys would take more room than numbers.
#include "reports/web/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "reports/pairs/shades.hpp"
#include "reports/web/inert.hpp"

namespace railgauge::web {
namespace {

// Each element of a list, by a function that gives its JSON.
template <class List, class Text>
std::string array_of(const List& list, Text&& text) {
  std::string out = "[";
  for (const auto& one : list) {
    if (out.size() > 1) out += ',';
    out += text(one);
  }
  return out + "]";
}

std::string numbers(const std::vector<double>& list) { return array_of(list, json_number); }

class Fields {
 public:
  void add(std::string_view name, const std::string& json) {
    text_ += fmt::format("{}\"{}\":{}", text_.empty() ? "" : ",", name, json);
  }
  void add(std::string_view name, std::size_t value) { add(name, fmt::format("{}", value)); }
  [[nodiscard]] std::string object() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

template <class Number>
std::string column(const Contents& contents, Number&& number) {
  std::string out = "[";
  for (const Curve& curve : contents.curves)
    for (const Point& point : curve.points) {
      if (out.size() > 1) out += ',';
      out += number(point);
    }
  return out + "]";
}

std::string points(const Contents& contents) {
  Fields fields;
  fields.add("bytes", column(contents, [](const Point& it) { return fmt::format("{}", it.bytes); }));
  fields.add("status", column(contents, [](const Point& it) { return fmt::format("{}", static_cast<int>(it.status)); }));
  const auto time = [&](std::string_view name, Seconds Summary::* member) {
    fields.add(name, column(contents,
                            [&](const Point& it) { return it.measured() ? json_number((it.summary.*member).count()) : "null"; }));
  };
  time("median", &Summary::median);
  time("low", &Summary::ci_low);
  time("high", &Summary::ci_high);
  time("p99", &Summary::p99);
  time("max", &Summary::max);
  fields.add("busbw", column(contents, [](const Point& it) { return it.told() ? json_number(it.summary.busbw) : "null"; }));
  fields.add("expected", column(contents, [](const Point& it) { return json_number(it.expected); }));
  fields.add("predicted", column(contents, [](const Point& it) { return json_number(it.predicted); }));
  return fields.object();
}

std::string curves(const Contents& contents) {
  std::size_t first = 0;
  return array_of(contents.curves, [&](const Curve& curve) {
    Fields fields;
    fields.add("family", curve.family);
    fields.add("name", json_text(curve.name));
    fields.add("first", first);
    fields.add("count", curve.points.size());
    if (curve.variants.size() > 1) {
      fields.add("variants", array_of(curve.variants, [&](const std::string& variant) {
                   return json_text(variant + (curve.label.empty() ? "" : ", " + curve.label));
                 }));
      fields.add("variant", array_of(curve.points, [](const Point& point) { return fmt::format("{}", point.variant); }));
    }
    first += curve.points.size();
    return fields.object();
  });
}

// The places of the cells that were judged slow: rows of who sends slowly, columns of who receives slowly, and single pairs.
std::vector<std::size_t> marked(const PairPicture& picture, const std::vector<int>& rows, const std::vector<int>& columns) {
  const Stragglers found = find_stragglers(picture.matrix);
  std::set<int> senders, receivers;
  std::set<std::pair<int, int>> pairs;
  if (picture.findings) {  // measured again: only who was confirmed
    for (const PairFinding& finding : *picture.findings) {
      if (finding.outcome != PairFinding::Outcome::slow) continue;
      if (finding.from >= 0 && finding.to >= 0) pairs.insert({finding.from, finding.to});
      if (finding.to < 0) senders.insert(finding.from);
      if (finding.from < 0) receivers.insert(finding.to);
      if (finding.to < 0 && picture.both_ways) receivers.insert(finding.from);
    }
  } else {
    for (const SlowRank& rank : found.ranks) {
      if (rank.send) senders.insert(rank.rank);
      if (rank.receive) receivers.insert(rank.rank);
    }
    for (const SlowPair& pair : found.pairs) pairs.insert({pair.from, pair.to});
  }
  for (const SlowPair& place : found.within) pairs.insert({place.from, place.to});
  std::vector<std::size_t> cells;
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const int from = rows[row], to = columns[column];
      const bool between = from != to && (senders.contains(from) || receivers.contains(to));
      if (between || pairs.contains({from, to})) cells.push_back(row * columns.size() + column);
    }
  return cells;
}

std::string matrices(const Contents& contents) {
  std::string out = "[";
  for (const Matrix& it : contents.matrices) {
    if (!it.too_large.empty()) continue;
    const PairPicture& picture = it.picture;
    std::vector<int> rows = picture.rows, columns = picture.columns;
    for (std::vector<int>* list : {&rows, &columns})
      if (list->empty())
        for (int rank = 0; rank < picture.matrix.ranks(); ++rank) list->push_back(rank);
    std::vector<double> cells;
    const std::vector<std::size_t> marks = it.slow ? marked(picture, rows, columns) : std::vector<std::size_t>{};
    for (const int from : rows)
      for (const int to : columns) cells.push_back(from == to ? picture.matrix.within(from) : picture.matrix.at(from, to));
    const auto label = [&](int rank) { return json_text(rank_name(picture, rank)); };
    Fields fields;
    fields.add("name", json_text(it.name));
    fields.add("rows", array_of(rows, label));
    fields.add("columns", array_of(columns, label));
    fields.add("bytes", fmt::format("{}", static_cast<double>(picture.bytes) * picture.sum));
    fields.add("seconds", numbers(cells));
    fields.add("median", json_number(median_between(picture.matrix)));
    fields.add("within", json_number(median_within(picture.matrix)));
    fields.add("slow", array_of(marks, [](std::size_t cell) { return fmt::format("{}", cell); }));
    out += (out.size() > 1 ? "," : "") + fields.object();
  }
  return out + "]";
}

std::string samples(const Contents& contents) {
  return array_of(contents.samples, [&](const Samples& it) {
    Fields fields;
    fields.add("curve", it.curve);
    fields.add("point", it.point);
    fields.add("step", it.step);
    fields.add("held", it.held);
    if (!it.times.empty()) {
      fields.add("times", numbers(it.times));
    } else {
      fields.add("percentiles", numbers(it.percentiles));
      fields.add("low", numbers(it.low));
      fields.add("high", numbers(it.high));
    }
    return fields.object();
  });
}

std::string families(const Contents& contents) {
  static constexpr std::size_t most_bars = 256;
  return array_of(contents.families, [&](const Family& it) {
    const auto counts = [](const std::vector<std::uint64_t>& list) {
      const std::vector<std::uint64_t> first(list.begin(),
                                             list.begin() + static_cast<std::ptrdiff_t>(std::min(list.size(), most_bars)));
      return array_of(first, [](std::uint64_t count) { return fmt::format("{}", count); });
    };
    Fields fields;
    fields.add("name", json_text(it.name));
    fields.add("last", counts(it.who.last));
    fields.add("slowest", counts(it.who.slowest));
    return fields.object();
  });
}

std::string trends_of(std::span<const Trend> trends) {
  return array_of(trends, [](const Trend& it) {
    const auto column = [&](double TrendPoint::* member) {
      return array_of(it.points, [&](const TrendPoint& point) { return json_number(point.*member); });
    };
    Fields fields;
    fields.add("name", json_text(it.title));
    fields.add("labels", array_of(it.points, [](const TrendPoint& point) { return json_text(point.label); }));
    fields.add("at", array_of(it.points, [](const TrendPoint& point) { return fmt::format("{}", point.at); }));
    fields.add("value", column(&TrendPoint::value));
    fields.add("low", column(&TrendPoint::low));
    fields.add("high", column(&TrendPoint::high));
    fields.add("refused", array_of(it.points, [](const TrendPoint& point) { return point.refused ? "1" : "0"; }));
    if (it.baseline) fields.add("baseline", numbers({it.baseline->value, it.baseline->low, it.baseline->high}));
    fields.add("steps", array_of(it.steps, [](const TrendStep& step) {
                 return fmt::format("[{},{}]", step.at, json_number(step.change));
               }));
    return fields.object();
  });
}

}  // namespace

std::string rank_name(const PairPicture& picture, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  std::string node = r < picture.nodes.size() ? shown(picture.nodes[r]) : std::string();
  if (picture.places) return node;
  return node.empty() ? fmt::format("{}", rank) : fmt::format("{} {}", rank, node);
}

std::string shade_table() {
  return array_of(shades, [](const Shade& shade) {
    return fmt::format("[{},\"{}\",\"{}\"]", shade.least, shade.light_page, shade.dark_page);
  });
}

std::string chart_data(const Contents& contents, std::span<const Trend> trends) {
  Fields fields;
  fields.add("families", families(contents));
  fields.add("curves", curves(contents));
  fields.add("points", points(contents));
  fields.add("matrices", matrices(contents));
  fields.add("shades", shade_table());
  fields.add("samples", samples(contents));
  fields.add("trends", trends_of(trends));
  return fields.object();
}

}  // namespace railgauge::web
