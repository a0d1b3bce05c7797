// Hands an answer, or those before and after a change, to whoever writes its form.
#include "bench/commands/predict_write.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "base/output/file.hpp"
#include "base/output/print.hpp"
#include "base/units.hpp"
#include "base/version.hpp"
#include "bench/commands/report.hpp"
#include "bench/predict/results.hpp"
#include "reports/formats/writer.hpp"
#include "reports/web/gather.hpp"
#include "reports/web/page.hpp"

namespace railgauge {
namespace {

bool is_stdout(const std::string& output) { return output.empty() || output == "-"; }

std::string run_of(const std::vector<Answered>& answers, std::size_t which) {
  return answers.size() == 1 ? "predict" : which == 0 ? "predict before" : "predict after";
}

void write_page(const std::vector<Answered>& answers, const std::vector<std::string>& changes, const std::string& output) {
  web::Gathering gathering;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string source = answers.size() == 1 ? "railgauge predict" : i == 0 ? "before" : "after";
    for (const Result& result : predict::to_results(answers[i].answer, run_of(answers, i))) gathering.add(result, source);
  }
  const Answered& last = answers.back();
  web::PageOptions options{"railgauge " + std::string(version()), {}};
  options.topology.svg = predict::draw_loads(last.graph, last.answer, false);
  if (last.answer.loads)
    options.topology.caption = fmt::format("Links have the colour of the share of the time in which they are busy: {} by {}, {}.",
                                           name(last.answer.question.collective), last.answer.loads->algorithm,
                                           format_bytes(last.answer.loads->prediction.bytes));
  for (const std::string& change : changes) options.topology.caption += fmt::format(" After the change: {}.", change);
  write_aside(output, web::page_of(gathering.finish(), options));
}

void write_results(const std::vector<Answered>& answers, const std::string& format, const std::string& output) {
  if (!is_stdout(output)) expect_format_used(std::array{output}, format);
  const std::unique_ptr<Writer> writer = open_writer(is_stdout(output) ? "-" : output, format);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (i == 0) writer->begin({.id = run_of(answers, i), .points = 0, .notes = answers.back().answer.assumed});
    for (const Result& result : predict::to_results(answers[i].answer, run_of(answers, i))) writer->add(result);
  }
  writer->finish();
}

}  // namespace

PredictForm predict_form(const std::string& format, const std::string& output) {
  if (asks_for_page(format, output)) return PredictForm::page;
  const std::string extension = is_stdout(output) ? std::string() : std::filesystem::path(output).extension().string();
  if (format == "text") return PredictForm::text;
  if (format == "json" || (format.empty() && extension == ".json")) return PredictForm::json;
  std::string known = "text, json, html";
  bool by_name = false;
  for (const FormatRow& row : result_formats()) {
    if (format == row.name) return PredictForm::results;
    by_name = by_name || (!row.extension.empty() && row.extension == extension);
    known += fmt::format(", {}", row.name);
  }
  if (!format.empty()) throw Error(Fault::usage, fmt::format("--format {} is none of {}", format, known));
  return by_name ? PredictForm::results : PredictForm::text;
}

void write_prediction(const std::vector<Answered>& answers, const std::vector<std::string>& changes, PredictForm form,
                      const std::string& format, const std::string& output) {
  if (form == PredictForm::page) return write_page(answers, changes, output);
  if (form == PredictForm::results) return write_results(answers, format, output);
  const predict::Answer& before = answers.front().answer;
  const predict::Answer& after = answers.back().answer;
  const bool json = form == PredictForm::json, changed = answers.size() > 1;
  const std::string text = changed ? (json ? predict::to_json(before, after, changes) : predict::to_text(before, after, changes))
                                   : (json ? predict::to_json(before) : predict::to_text(before));
  if (is_stdout(output))
    print(text, stdout);
  else
    write_aside(output, text);
}

}  // namespace railgauge
