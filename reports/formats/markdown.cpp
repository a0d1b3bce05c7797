// Markdown as GitHub and GitLab show it: what is wrong first, then a table for each heading, and matrices as text.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "base/output/escape.hpp"
#include "base/output/text.hpp"
#include "reports/formats/form.hpp"
#include "reports/formats/writer.hpp"
#include "reports/pairs/pair_text.hpp"
#include "reports/record/beside_native.hpp"
#include "reports/record/remark.hpp"
#include "reports/record/result_text.hpp"
#include "reports/record/standing.hpp"
#include "reports/record/title.hpp"

namespace railgauge {
namespace {

// A fence longer than any within the text.
std::string fenced(const std::string& text) {
  std::size_t longest = 2, run = 0;
  for (const char character : text) {
    run = character == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "text\n" + text + fence + "\n";
}

std::string status_text(const Result& result) {
  std::string text = result.status == Status::wrong           ? "**WRONG DATA**"
                     : result.status == Status::failed        ? "**failed**"
                     : result.status == Status::not_converged ? "not converged"
                                                              : name(result.status);
  if (!result.reason.empty()) text += ": " + markdown_text(result.reason);
  if (const std::string standing = standing_sentence(result); !standing.empty())
    text += (standing_of(result) == Standing::below ? "; **below**: " : "; unknown: ") + markdown_text(standing);
  if (const std::string remark = remark_of(result); !remark.empty()) text += (text.empty() ? "" : "; ") + markdown_text(remark);
  return text;
}

// The columns that have values in a table.
struct Columns {
  bool data, op, expected, predicted;  // data: size, type and bandwidth
};

std::string row_of(const Result& result, const Columns& columns) {
  const Case& point = result.point;
  const Summary& summary = result.summary;
  const bool measured = summary.samples != 0;
  std::string row = "|";
  const auto add = [&](const std::string& text) { row += " " + text + " |"; };
  const auto number = [&](const std::string& text) { add(measured ? text : std::string()); };
  if (columns.data) {
    add(format_bytes(point.bytes));
    add(markdown_text(point.type));
  }
  if (columns.op) add(point.op == "none" ? "" : markdown_text(point.op));
  add(markdown_text(point.algorithm));
  add(markdown_text(point.transport));
  number(time_text(summary.median));
  number(interval_text(summary));
  number(time_text(summary.p99));
  if (columns.data) add(has_bandwidth(result) ? format_gigabytes(summary.busbw) : "");
  if (columns.expected) add(has_bandwidth(result) && result.expected ? share_text(summary.busbw, result.expected->busbw) : "");
  if (columns.predicted) add(result.predicted ? time_text(*result.predicted) : "");
  return row + " " + status_text(result) + " |\n";
}

class Markdown final : public Form {
 public:
  std::string head(const Run& run) override {
    notes_ = run.notes;
    return {};
  }

  // All of it at the end: the sentence on top needs to know everything.
  std::string add(const Result& result) override {
    if (result.point.from >= 0) {
      if (!matrix_.empty() && !same_matrix(matrix_.front().point, result.point)) end_matrix();
      end_table();
      matrix_.push_back(result);
      matrix_.back().samples.clear();
      return {};
    }
    end_matrix();
    tally_.add(result.status, standing_of(result));
    natives_.add(result);
    if (!fits(result)) end_table();
    if (title_.empty() || result.summary.samples != 0) title_ = title_of(result);
    table_.push_back(result);
    table_.back().samples.clear();
    table_.back().by_rank.clear();
    return {};
  }

  std::string tail() override {
    end_table();
    end_matrix();
    std::string text = "**" + tally_.sentence() + "**\n";
    for (const std::string& note : notes_) text += (&note == &notes_.front() ? "\n- " : "- ") + markdown_text(note) + "\n";
    return text + body_ + natives_.markdown();
  }

 private:
  // What was not measured has no state of caches: it stands with what it is named like.
  [[nodiscard]] bool fits(const Result& result) const {
    if (table_.empty()) return true;
    if (heading_of(table_.front().point) != heading_of(result.point)) return false;
    return result.summary.samples == 0 || title_of(result) == title_ || title_ == heading_of(result.point);
  }

  void end_table() {
    if (table_.empty()) return;
    const std::string title = std::exchange(title_, {});
    const bool expected =
        std::any_of(table_.begin(), table_.end(), [](const Result& result) { return result.expected.has_value(); });
    const bool predicted =
        std::any_of(table_.begin(), table_.end(), [](const Result& result) { return result.predicted.has_value(); });
    body_ += fmt::format("\n### {}\n\n", markdown_text(title));
    const bool data = moves_data(table_.front().point);
    const bool reduces =
        std::any_of(table_.begin(), table_.end(), [](const Result& result) { return result.point.op != "none"; });
    const Columns columns{data, reduces, expected, predicted};
    body_ += fmt::format("|{}{} algorithm | transport | time | ± | p99 |{}{}{} |\n", data ? " size | type |" : "",
                         reduces ? " op |" : "", data ? " busbw, GB/s |" : "", expected ? " of expected |" : "",
                         predicted ? " predicted |" : "");
    body_ += fmt::format("|{}{}---|---|---:|---:|---:|{}{}{}---|\n", data ? "---:|---|" : "", reduces ? "---|" : "",
                         data ? "---:|" : "", expected ? "---:|" : "", predicted ? "---:|" : "");
    for (const Result& result : table_) body_ += row_of(result, columns);
    table_.clear();
  }

  void end_matrix() {
    if (matrix_.empty()) return;
    const Case& point = matrix_.front().point;
    const PairPicture picture = picture_of(matrix_);
    Status worst = Status::ok;
    std::optional<Standing> lowest;
    for (const Result& pair : matrix_) {
      worst = std::max(worst, pair.status);
      lowest = std::max(lowest, standing_of(pair));
    }
    tally_.add(worst, lowest);
    body_ += fmt::format("\n### {}, {} by {} over {}\n\n", markdown_text(heading_of(point)), format_bytes(point.bytes),
                         markdown_text(point.algorithm), markdown_text(point.transport));
    body_ += fenced(heat_map(picture)) + "\n";
    for (const StragglerSentence& sentence : straggler_sentences(picture)) body_ += "- " + markdown_text(said(sentence)) + "\n";
    if (const std::string expected = expectation_sentence(matrix_); !expected.empty())
      body_ += "- " + markdown_text(expected) + "\n";
    for (const Result& pair : matrix_)
      if (pair.status != Status::ok || standing_of(pair) == Standing::below)
        body_ += fmt::format("- {} {}\n", markdown_text(pair_name(pair.point)), status_text(pair));
    matrix_.clear();
  }

  std::vector<std::string> notes_;
  std::string title_;                   // of the table that is not written yet
  std::vector<Result> table_, matrix_;  // those that are not written yet
  Tally tally_;
  BesideNatives natives_;
  std::string body_;
};

}  // namespace

std::unique_ptr<Writer> make_markdown(const std::string& path) { return make_form_writer(path, std::make_unique<Markdown>()); }

}  // namespace railgauge
