// What each part says.
#include "reports/web/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "base/output/text.hpp"
#include "base/units.hpp"
#include "reports/web/data.hpp"
#include "reports/web/inert.hpp"
#include "reports/web/table.hpp"

namespace railgauge::web {
namespace {

constexpr std::size_t most_rows = 200;        // of a table that the script turns the pages of
constexpr std::size_t most_curves = 500;      // of the table of curves
constexpr std::size_t most_tables = 12;       // of matrices
constexpr std::size_t most_matrix_rows = 32;  // of a table with all cells
constexpr std::size_t most_ranks_named = 16;
constexpr std::size_t most_sources = 100;
constexpr std::size_t most_findings = 6;  // that stand open

std::string chart(std::string_view kind, std::string_view label) {
  return fmt::format("<div class=\"chart\" data-chart=\"{}\" data-label=\"{}\"></div>\n", kind, html(label));
}

std::string paragraph(std::string_view text, std::string_view style = {}) {
  return fmt::format("<p{}>{}</p>\n", style.empty() ? std::string() : fmt::format(" class=\"{}\"", style),
                     html_of_sentence(text));
}

std::string left_out(std::size_t shown_ones, std::size_t all, std::string_view what) {
  return shown_ones < all ? paragraph(fmt::format("The first {} of {} {} are listed.", shown_ones, all, what), "note")
                          : std::string();
}

std::string seconds(Seconds value) { return std::isfinite(value.count()) ? format_seconds(value) : "-"; }
std::string percent(double share) { return std::isfinite(share) ? fmt::format("{:.0f} %", 100 * share) : "-"; }

// Half of the interval, as a share of the median.
std::string interval(const Summary& summary) {
  const double half = (summary.ci_high - summary.ci_low) / summary.median / 2;
  return std::isfinite(half) ? fmt::format("{:.1f} %", 100 * half) : "-";
}

std::vector<std::string> cells_of(const Family& family, const Curve& curve, const Point& point) {
  std::vector<std::string> cells{family.name, curve.by(point), format_bytes(point.bytes), name(point.status)};
  const Summary& it = point.summary;
  if (point.measured())
    cells.insert(cells.end(), {seconds(it.median), interval(it), seconds(it.p99), seconds(it.max), format_gigabytes(it.busbw)});
  else
    cells.insert(cells.end(), {"-", "-", "-", "-", point.computed() ? format_gigabytes(it.busbw) : "-"});
  cells.push_back(format_gigabytes(point.expected));
  cells.push_back(percent(point.told() ? point.share() : unknown));
  cells.push_back(seconds(Seconds(point.predicted)));
  return cells;
}

Section curves_section(const Contents& contents, bool charts) {
  HtmlTable table(
      "Every point",
      {"operation", "by", "size", "status", "time", "± 95 %", "p99", "max", "bus GB/s", "allowed GB/s", "share", "predicted"}, 2);
  table.leave_out_empty();
  std::size_t all = 0;
  for (const Curve& curve : contents.curves) {
    all += curve.points.size();
    for (const Point& point : curve.points) {
      if (table.rows() < most_rows) table.row(cells_of(contents.families[curve.family], curve, point));
      // The script may turn to rows that are not here.
      if (point.measured())
        for (std::size_t column = 4; column < 9; ++column) table.keep(column);
      if (point.computed()) table.keep(8);
      if (std::isfinite(point.expected))
        for (const std::size_t column : {9U, 10U}) table.keep(column);
      if (std::isfinite(point.predicted)) table.keep(11);
    }
  }
  std::string body = chart("curves", "Bus bandwidth and time against size");
  body += paragraph(
      "Times are the median over samples, each the slowest rank's, with the 95 % confidence interval of the median as a band. "
      "Bus bandwidth "
      "is what a link carries at least (as nccl-tests define it). Where each size was run by one algorithm, as auto chooses it, "
      "a "
      "transport has one curve, and pointing at it names the algorithm. The dashed line is what the links between the hosts "
      "allow, where that is known, and dotted ones what railgauge predict gives for the curve of their colour. Axes are "
      "logarithmic; sizes of 0 bytes stand in the table alone.",
      "note");
  body +=
      folded(fmt::format("All {} points as a table", all),
             fmt::format("<div data-pages=\"points\">{}</div>\n", left_out(table.rows(), all, "points")) + table.text("points"),
             !charts);
  return {"curves", "Bandwidth and latency against size", std::move(body)};
}

// Of the curves that measured the same thing at the same size with the same state of caches, the fastest; 0 where there is no
// other.
class Fastest {
 public:
  explicit Fastest(const Contents& contents) {
    for (const Curve& curve : contents.curves)
      for (const Point& point : curve.points) {
        if (!point.told() || !std::isfinite(point.summary.busbw)) continue;
        Entry& entry = entries_[{curve.family, point.bytes, state_of(point)}];
        entry.busbw = std::max(entry.busbw, point.summary.busbw);
        entry.curves.insert(&curve);
      }
  }
  // No number where nothing else was measured that it could be compared with.
  [[nodiscard]] double share(const Curve& curve, const Point& point) const {
    const auto found = entries_.find({curve.family, point.bytes, state_of(point)});
    if (found == entries_.end() || found->second.curves.size() < 2 || !(found->second.busbw > 0)) return unknown;
    return point.summary.busbw / found->second.busbw;
  }

 private:
  struct Entry {
    double busbw = 0;
    std::set<const Curve*> curves;
  };
  static std::string state_of(const Point& point) { return point.computed() ? name(point.status) : point.summary.cache; }
  std::map<std::tuple<std::size_t, std::uint64_t, std::string>, Entry> entries_;
};

Section efficiency_section(const Contents& contents) {
  HtmlTable table("The best of each curve",
                  {"operation", "by", "best bus GB/s", "at", "of the fastest there", "allowed GB/s", "share of it", "verdict",
                   "least time", "at", "J/GB"},
                  2);
  table.leave_out_empty();
  const Fastest fastest_there(contents);
  std::size_t all = 0;
  for (const Curve& curve : contents.curves) {
    if (!curve.widest) continue;
    if (++all > most_curves) continue;
    const Point& best = curve.points[*curve.widest];
    const Point& nearest = curve.points[curve.nearest.value_or(*curve.widest)];
    const auto fastest = std::min_element(curve.points.begin(), curve.points.end(), [](const Point& a, const Point& b) {
      return a.told() && (!b.told() || a.time() < b.time());
    });
    const double share = nearest.share();
    table.row({contents.families[curve.family].name, curve.name, format_gigabytes(best.summary.busbw), format_bytes(best.bytes),
               percent(fastest_there.share(curve, best)), format_gigabytes(nearest.expected), percent(share),
               best.computed()         ? "predicted"
               : !std::isfinite(share) ? "-"
               : share < least_share   ? fmt::format("▼ below {:.0f} %", 100 * least_share)
                                       : "as expected",
               seconds(fastest->time()), format_bytes(fastest->bytes),
               std::isfinite(best.joules_per_gigabyte) ? fmt::format("{:.3g}", best.joules_per_gigabyte) : "-"});
  }
  const bool judged = std::any_of(contents.curves.begin(), contents.curves.end(), [](const Curve& it) { return it.nearest; });
  std::string body = paragraph(
      judged ? fmt::format("A curve is judged by its best size, since small messages never fill a link: below {:.0f} % of what "
                           "the links allow is less than healthy systems reach.",
                           100 * least_share)
      : contents.only_predicted()
          ? "What is predicted is not judged. \"Allowed\" is the bound of the links, which no algorithm exceeds."
          : "What the links allow is not known here, so no curve is judged: --topology or --expect of bench tell it.");
  body += paragraph(
      "\"Of the fastest there\" compares only what was measured alike: the same operation, type, ranks, memory, mode, "
      "cache and size.",
      "note");
  return {"efficiency", "Efficiency", body + left_out(std::min(all, most_curves), all, "curves") + table.text()};
}

// Every cell where that is readable, else the median of each rank's row and column.
std::string table_of(const Matrix& matrix) {
  const PairPicture& picture = matrix.picture;
  const auto all = [&](std::vector<int> list) {
    if (list.empty()) {
      list.resize(static_cast<std::size_t>(picture.matrix.ranks()));
      std::iota(list.begin(), list.end(), 0);
    }
    return list;
  };
  const std::vector<int> rows = all(picture.rows), columns = all(picture.columns);
  const auto cell = [&](int from, int to) { return from == to ? picture.matrix.within(from) : picture.matrix.at(from, to); };
  const auto speed = [&](double time) {
    if (!(time > 0)) return std::string("-");
    return format_gigabytes(picture.sum * static_cast<double>(picture.bytes) / 1e9 / time);
  };
  if (rows.size() <= most_matrix_rows && columns.size() <= most_matrix_rows) {
    std::vector<std::string> names{"GB/s from row to column"};
    for (const int to : columns) names.push_back(rank_name(picture, to));
    HtmlTable table(matrix.name, {names.begin(), names.end()}, 1);
    for (const int from : rows) {
      std::vector<std::string> cells{rank_name(picture, from)};
      for (const int to : columns) cells.push_back(speed(cell(from, to)));
      table.row(cells);
    }
    return table.text();
  }
  HtmlTable table(matrix.name,
                  {"rank", "sends: median GB/s", "receives: median GB/s", "median time sent", "median time received"}, 1);
  for (const int rank : rows) {
    std::vector<double> sent, received;
    for (const int other : columns)
      if (other != rank) sent.push_back(picture.matrix.at(rank, other));
    for (const int other : rows)
      if (other != rank) received.push_back(picture.matrix.at(other, rank));
    const double out = median_mad_of(std::move(sent)).median, in = median_mad_of(std::move(received)).median;
    table.row({rank_name(picture, rank), speed(out), speed(in), seconds(Seconds(out)), seconds(Seconds(in))});
  }
  return table.text();
}

Section pairs_section(const Contents& contents, bool charts) {
  std::string body = paragraph(
      "Rows send, columns receive. The stronger the colour the faster, beside the median of the matrix, in the steps that bench "
      "prints "
      "in a terminal. Only slow outliers have a frame; cells that could not be measured are left blank.");
  body += chart("pairs", "Bandwidth of each pair");
  std::size_t shown_ones = 0;
  for (const Matrix& matrix : contents.matrices) {
    if (++shown_ones > most_tables) break;
    std::string inside;
    for (const StragglerSentence& sentence : matrix.sentences) inside += paragraph(said(sentence));
    if (!matrix.too_large.empty()) inside += paragraph(matrix.too_large, "note");
    if (matrix.picture.matrix.ranks() != 0) inside += table_of(matrix);
    body += folded(matrix.name + (matrix.slow ? ": with slow outliers" : ""), inside, !charts || matrix.slow);
  }
  return {"pairs", "Each pair",
          body + left_out(std::min(contents.matrices.size(), most_tables), contents.matrices.size(), "matrices")};
}

Section samples_section(const Contents& contents, bool charts) {
  HtmlTable table("Samples of each point",
                  {"operation", "by", "size", "samples", "iterations each", "min", "median", "± 95 %", "p95", "p99", "max"}, 2);
  table.leave_out_empty();
  for (const Samples& it : contents.samples) {
    const Curve& curve = contents.curves[it.curve];
    const Point& point = curve.points[it.point];
    const Summary& of = point.summary;
    table.row({contents.families[curve.family].name, curve.by(point), format_bytes(point.bytes), fmt::format("{}", of.samples),
               fmt::format("{}", of.batch), seconds(of.min), seconds(of.median), interval(of), seconds(of.p95), seconds(of.p99),
               seconds(of.max)});
  }
  std::string body = paragraph(
      "Of a point with more than 400 samples the distribution is that of all of them, and the course over time shows the least "
      "and the "
      "largest of each of 200 equal stretches.");
  if (contents.samples.size() < contents.sampled)
    body += paragraph(fmt::format("Kept are the {} of {} points with the longest tails (p99 over median).",
                                  contents.samples.size(), contents.sampled),
                      "note");
  if (std::any_of(contents.samples.begin(), contents.samples.end(), [](const Samples& it) { return it.step > 1; }))
    body += paragraph("Of points with more than 100,000 samples the file itself holds only some.", "note");
  body += chart("samples", "Distribution and course of the samples of one point");
  return {"samples", "Samples", body + folded("The same as a table", table.text(), !charts)};
}

std::string shares_table(const Family& family) {
  const auto total = [](const std::vector<std::uint64_t>& counts) {
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  };
  const double all_last = total(family.who.last), all_slowest = total(family.who.slowest);
  const auto share = [](const std::vector<std::uint64_t>& counts, std::size_t rank, double all) {
    return rank < counts.size() && all > 0 ? static_cast<double>(counts[rank]) / all : 0;
  };
  std::vector<std::size_t> ranks(std::max(family.who.last.size(), family.who.slowest.size()));
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  std::stable_sort(ranks.begin(), ranks.end(), [&](std::size_t a, std::size_t b) {
    return share(family.who.slowest, a, all_slowest) > share(family.who.slowest, b, all_slowest);
  });
  HtmlTable table(family.name, {"rank", "took longest", "started last"}, 1);
  for (std::size_t i = 0; i < std::min(ranks.size(), most_ranks_named); ++i)
    table.row({fmt::format("{}", ranks[i]), percent(share(family.who.slowest, ranks[i], all_slowest)),
               percent(share(family.who.last, ranks[i], all_last))});
  return left_out(table.rows(), ranks.size(), "ranks, those that took longest most often,") + table.text();
}

Section ranks_section(const Contents& contents, bool charts) {
  std::string body = paragraph(
      "In how many of the samples each rank took longest, and in how many it was the last to start, on synchronised clocks. With "
      "equal "
      "ranks all shares are alike; a rank that comes late makes the others wait, and it is they who take longest.");
  body += chart("ranks", "Who took longest and who started last");
  std::size_t shown_ones = 0, all = 0;
  for (const Family& family : contents.families) {
    const std::string sentence = family.who.starts.sentence();
    if (sentence.empty()) continue;
    if (++all > most_tables) continue;
    ++shown_ones;
    body += folded(family.name, paragraph(sentence) + shares_table(family), !charts);
  }
  return {"ranks", "Stragglers", body + left_out(shown_ones, all, "operations")};
}

Section sources_section(const Contents& contents) {
  HtmlTable table(
      "Runs", {"file", "run", "results", "host", "processor", "kernel", "topology", "versions", "settings", "environment"}, 10);
  table.leave_out_empty();
  for (const Source& source : contents.sources) {
    if (table.rows() == most_sources) break;
    const auto named = [](const auto& list) {
      std::string text;
      for (const auto& [name, value] : list) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
      return text.empty() ? std::string("-") : text;
    };
    table.row({shown(source.file), source.run, fmt::format("{}", source.results), source.host.name, source.host.cpu,
               source.host.kernel, source.topology.empty() ? "-" : source.topology, named(source.versions),
               named(source.settings), named(source.environment)});
  }
  return {"runs", "What was run, and on what", left_out(table.rows(), contents.sources.size(), "runs") + table.text()};
}

}  // namespace

std::vector<Section> sections_of(const Contents& contents, bool charts) {
  std::vector<Section> sections;
  if (!contents.curves.empty()) {
    sections.push_back(curves_section(contents, charts));
    sections.push_back(efficiency_section(contents));
  }
  if (!contents.matrices.empty()) sections.push_back(pairs_section(contents, charts));
  if (!contents.samples.empty()) sections.push_back(samples_section(contents, charts));
  if (std::any_of(contents.families.begin(), contents.families.end(),
                  [](const Family& family) { return !family.who.starts.sentence().empty(); }))
    sections.push_back(ranks_section(contents, charts));
  sections.push_back(sources_section(contents));
  return sections;
}

Section verdict_section(const PageVerdict& verdict) {
  // A mark and a word, for who does not see the colour.
  const std::string word(verdict.measured ? name(verdict.level) : "predicted");
  const char* mark = !verdict.measured ? "≈" : verdict.level == Level::good ? "✔" : verdict.level == Level::warning ? "▲" : "✖";
  std::string body = fmt::format("<p class=\"verdict {0}\"><strong><span aria-hidden=\"true\">{1}</span> {3}.</strong> {2}</p>\n",
                                 name(verdict.level), mark, html_of_sentence(verdict.sentence), word);
  const auto list = [&](std::size_t begin, std::size_t end) {
    std::string items;
    for (std::size_t i = begin; i < end; ++i)
      items +=
          fmt::format("<li class=\"{}\">{}</li>\n", name(verdict.findings[i].level), html_of_sentence(verdict.findings[i].text));
    return "<ul class=\"findings\">\n" + items + "</ul>\n";
  };
  if (!verdict.figures.empty()) body += paragraph(verdict.figures, "figures");
  const std::size_t all = verdict.findings.size();
  const auto notes = static_cast<std::size_t>(
      std::count_if(verdict.findings.begin(), verdict.findings.end(), [](const Finding& it) { return it.level == Level::good; }));
  const std::size_t wrong = all - notes, first = std::min(wrong, most_findings);
  if (first != 0) body += list(0, first);
  if (first < wrong) body += folded(fmt::format("{} more", wrong - first), list(first, wrong), false);
  for (const std::string& note : verdict.notes) body += paragraph(note, "note");
  if (notes != 0) body += folded("Which ones", list(wrong, all), false);
  return {"verdict", "Verdict", std::move(body)};
}

}  // namespace railgauge::web
