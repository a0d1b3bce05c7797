// The texts behind reports/compare/report.hpp.
#include "reports/compare/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/output/text.hpp"
#include "reports/record/record.hpp"

namespace railgauge::compare {
namespace {

using Cells = std::vector<std::string>;
using Json = nlohmann::ordered_json;

std::string number_of(double value, int digits) { return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-"; }

std::string interval_of(const Ratio& ratio) {
  return ratio.bounded ? fmt::format("{:.3f} to {:.3f}", ratio.low, ratio.high) : "unknown";
}

std::string chance_of(const CaseComparison& row) {
  if (!row.ratio.bounded) return "-";
  return row.holm < 0.001 ? "<0.001" : fmt::format("{:.3f}", row.holm);
}

std::string verdict_of(const CaseComparison& row) {
  return std::string(name(row.verdict)) + (row.verdict == row.alone ? "" : fmt::format(" ?{}", name(row.alone)));
}

std::string time_of(Seconds time) { return time.count() > 0 ? format_seconds(time) : ""; }

// Words that all cases share, and those that tell them apart.
struct Table {
  std::string shared;  // "all_reduce, float32, ..."
  Cells names;         // of columns
  std::vector<Cells> rows;
  std::size_t words = 0;  // so many columns from the left on are words
};

Table table_of(const Comparison& comparison) {
  if (comparison.rows.empty()) return {};
  // A word stands in a column where cases differ in it. The first case's order of words is that of all.
  Cells names;
  std::vector<Words> words;
  for (const CaseComparison& row : comparison.rows) {
    words.push_back(words_of(row.key));
    for (const auto& [name, value] : words.back())
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  const auto value_of = [](const Words& of, const std::string& name) {
    const auto found = std::find_if(of.begin(), of.end(), [&](const auto& word) { return word.first == name; });
    return found == of.end() ? std::string("-") : printable(found->second);
  };
  Table table;
  for (const std::string& name : names) {
    const std::string first = value_of(words.front(), name);
    const bool same = std::all_of(words.begin(), words.end(), [&](const Words& of) { return value_of(of, name) == first; });
    const bool tells =
        name == "ranks" || name == "root" || name == "lanes" || name == "window" || name == "seed" || name == "in place";
    if (same)
      table.shared += (table.shared.empty() ? "" : ", ") + (tells              ? name + " " + first
                                                            : name == "memory" ? first + " memory"
                                                                               : first);
    else
      table.names.push_back(name);
  }
  table.words = table.names.size();
  for (const char* const name : {"base", "new", "new/base", "interval", "effect", "p", "verdict"}) table.names.emplace_back(name);
  const auto add = [&](const CaseComparison& row, Cells cells) {
    for (const std::string& cell : {time_of(row.base), time_of(row.next), number_of(row.ratio.value, 3), interval_of(row.ratio),
                                    fmt::format("{:+.2f}", row.effect), chance_of(row), verdict_of(row)})
      cells.push_back(cell);
    table.rows.push_back(std::move(cells));
  };
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    Cells cells;
    for (std::size_t column = 0; column < table.words; ++column) cells.push_back(value_of(words[i], table.names[column]));
    add(comparison.rows[i], std::move(cells));
  }
  if (comparison.together) {
    Cells cells(table.words);
    if (!cells.empty()) cells.front() = "together";
    add(*comparison.together, std::move(cells));
  }
  return table;
}

std::string counted(std::size_t launches) { return launches == 1 ? "1 launch" : fmt::format("{} launches", launches); }

// What stands above the table and below it, apart from its words for all cases.
Cells sentences_above(const Comparison& comparison) {
  Cells lines{fmt::format("base: {}; new: {}; {:.3g} % count as the same, intervals hold {:.3g} %",
                          counted(comparison.base_launches), counted(comparison.next_launches), 100 * comparison.band,
                          100 * comparison.confidence)};
  for (const Difference& difference : comparison.allowed)
    lines.push_back(fmt::format("allowed to differ: {}: '{}' in base, '{}' in new", difference.field, printable(difference.base),
                                printable(difference.next)));
  return lines;
}

Cells sentences_below(const Comparison& comparison) {
  constexpr std::size_t most = 12;
  Cells lines;
  for (std::size_t i = 0; i < std::min(most, comparison.gaps.size()); ++i) {
    const Gap& gap = comparison.gaps[i];
    lines.push_back(fmt::format("{}: {}: base {}, new {}",
                                gap.failed ? "failed"
                                : gap.lost ? "missing"
                                           : "not compared",
                                line_of(gap.key), gap.base, gap.next));
  }
  if (comparison.gaps.size() > most)
    lines.push_back(fmt::format("and {} more cases that only one side has", comparison.gaps.size() - most));
  lines.insert(lines.end(), comparison.notes.begin(), comparison.notes.end());
  return lines;
}

std::string conclusion(const Comparison& comparison) {
  return fmt::format("{}: {}", name(comparison.verdict), comparison.because);
}

std::size_t width(const std::string& text) {  // characters of UTF-8
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

}  // namespace

std::string to_text(const Comparison& comparison) {
  const Table table = table_of(comparison);
  std::string text;
  for (const std::string& line : sentences_above(comparison)) text += line + "\n";
  if (!table.rows.empty()) text += table.shared + "\n";
  text += "\n";
  std::vector<std::size_t> widths;
  for (const std::string& name : table.names) widths.push_back(width(name));
  for (const Cells& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  const auto print = [&](const Cells& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool left = i + 1 == cells.size() || (i < table.words && table.names[i] != "size");
      const std::string fill(widths[i] - width(cells[i]), ' ');
      line += "  " + (left ? cells[i] + fill : fill + cells[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  if (!table.rows.empty()) {
    print(table.names);
    for (const Cells& row : table.rows) print(row);
    text += "\n";
  }
  for (const std::string& line : sentences_below(comparison)) text += line + "\n";
  return text + conclusion(comparison) + "\n";
}

std::string to_markdown(const Comparison& comparison) {
  const auto escaped = [](const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '|' || c == '<' ? std::string("\\") + c : std::string(1, c);
    return result;
  };
  const Table table = table_of(comparison);
  std::string text = fmt::format("**{}**\n\n", escaped(conclusion(comparison)));
  for (const std::string& line : sentences_above(comparison)) text += escaped(line) + "  \n";
  if (!table.rows.empty()) text += escaped(table.shared) + "\n\n";
  const auto print = [&](const Cells& cells) {
    for (const std::string& cell : cells) text += "| " + escaped(cell) + " ";
    text += "|\n";
  };
  if (!table.rows.empty()) {
    print(table.names);
    for (std::size_t i = 0; i < table.names.size(); ++i) text += i < table.words ? "|---" : "|---:";
    text += "|\n";
    for (const Cells& row : table.rows) print(row);
    text += "\n";
  }
  for (const std::string& line : sentences_below(comparison)) text += "- " + escaped(line) + "\n";
  return text;
}

Json words_record(const Key& key) {
  Json record = case_record(key.point);
  for (const char* const condition : {"path", "nodes", "count"}) record.erase(condition);
  for (auto& word : record)
    if (word.is_string() && word.get_ref<const std::string&>().empty()) word = nullptr;
  return record;
}

namespace {

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json finite(const std::optional<double>& value) { return value ? finite(*value) : Json(nullptr); }

void add_numbers(Json& record, const CaseComparison& row) {
  record["base_launches"] = row.base_launches;
  record["new_launches"] = row.next_launches;
  record["base"] = row.base.count() > 0 ? finite(row.base.count()) : Json(nullptr);
  record["new"] = row.next.count() > 0 ? finite(row.next.count()) : Json(nullptr);
  record["ratio"] = finite(row.ratio.value);
  record["low"] = row.ratio.bounded ? finite(row.ratio.low) : Json(nullptr);
  record["high"] = row.ratio.bounded ? finite(row.ratio.high) : Json(nullptr);
  record["effect"] = finite(row.effect);
  record["p"] = finite(row.p);
  record["p_holm"] = finite(row.holm);
  record["p_benjamini_hochberg"] = finite(row.hochberg);
  record["p_mann_whitney"] = finite(row.mann_whitney);
  record["p_brunner_munzel"] = finite(row.brunner_munzel);
  record["verdict"] = std::string(name(row.verdict));
  record["alone"] = std::string(name(row.alone));
}

}  // namespace

std::string to_json(const Comparison& comparison) {
  Json record;
  record["schema"] = "railgauge.comparison/1";
  record["verdict"] = std::string(name(comparison.verdict));
  record["because"] = comparison.because;
  record["base_launches"] = comparison.base_launches;
  record["new_launches"] = comparison.next_launches;
  record["band"] = comparison.band;
  record["confidence"] = comparison.confidence;
  record["allowed"] = Json::array();
  for (const Difference& difference : comparison.allowed)
    record["allowed"].push_back(
        {{"field", printable(difference.field)}, {"base", printable(difference.base)}, {"new", printable(difference.next)}});
  record["cases"] = Json::array();
  for (const CaseComparison& row : comparison.rows) {
    Json one = words_record(row.key);
    add_numbers(one, row);
    record["cases"].push_back(std::move(one));
  }
  record["together"] = nullptr;
  if (comparison.together) {
    Json one;
    add_numbers(one, *comparison.together);
    record["together"] = std::move(one);
  }
  record["gaps"] = Json::array();
  for (const Gap& gap : comparison.gaps) {
    Json one = words_record(gap.key);
    one["base"] = gap.base;
    one["new"] = gap.next;
    one["lost"] = gap.lost;
    one["failed"] = gap.failed;
    record["gaps"].push_back(std::move(one));
  }
  record["notes"] = comparison.notes;
  return record.dump(2) + "\n";
}

std::string to_csv(const Comparison& comparison) {
  const auto cell = [](const Json& value) {
    if (value.is_null()) return std::string();
    std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text.find_first_of(",\"") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
  };
  std::string text;
  for (const CaseComparison& row : comparison.rows) {
    Json record = words_record(row.key);
    add_numbers(record, row);
    std::string names, line;
    for (const auto& item : record.items()) {
      names += (names.empty() ? "" : ",") + item.key();
      line += (line.empty() ? "" : ",") + cell(item.value());
    }
    if (text.empty()) text = names + "\r\n";
    text += line + "\r\n";
  }
  return text;
}

}  // namespace railgauge::compare
