// Hands each result to every writer.
#include "bench/run/outputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "reports/record/result_text.hpp"
#include "reports/record/standing.hpp"

namespace railgauge {

Outputs::Outputs(const std::vector<std::string>& paths, const std::string& format, const Terminal& terminal, std::string run,
                 std::size_t points, std::vector<std::string> notes, Circumstances circumstances)
    : circumstances_(std::move(circumstances)) {
  expect_format_used(paths, format);
  for (const std::string& path : paths) files_.push_back(open_writer(path, format));
  if (std::find(paths.begin(), paths.end(), "-") == paths.end())
    table_ = make_table(descriptor_sink(STDOUT_FILENO, "standard output"), terminal);
  const Run begun{std::move(run), points, std::move(notes)};
  for (const auto& file : files_) file->begin(begun);
  if (table_) table_->begin(begun);
}

void Outputs::add(Result result) {
  result.topology = circumstances_.topology;
  result.environment = circumstances_.environment;
  result.environment_differs = circumstances_.environment_differs;
  result.expected_share = circumstances_.expected_share;
  if (circumstances_.predicted && result.summary.samples != 0) result.predicted = circumstances_.predicted(result.point);
  {
    const std::lock_guard guard(files_lock_);
    if (finished_) return;
    if (const std::optional<Standing> standing = standing_of(result)) {
      const std::size_t before = standings_[static_cast<std::size_t>(Standing::below)];
      ++standings_[static_cast<std::size_t>(*standing)];
      const double share = *standing == Standing::below ? result.summary.busbw / result.expected->busbw : 0;
      if (*standing == Standing::below && (before == 0 || share < lowest_)) {
        lowest_ = share;
        lowest_point_ = heading_of(result.point) + ": " + point_name(result.point);
      }
    }
    for (const auto& file : files_) file->add(result);
    unconverged_ = unconverged_ || result.status == Status::not_converged;
  }
  const std::lock_guard guard(table_lock_);
  if (table_) table_->add(result);
}

void Outputs::finish() {
  finish_files();
  const std::lock_guard guard(table_lock_);
  if (table_) table_->finish();
  table_.reset();
}

int Outputs::judge() const {
  if (!circumstances_.expected_share) return 0;
  const auto of = [&](Standing standing) { return standings_[static_cast<std::size_t>(standing)]; };
  const std::size_t all = of(Standing::meets) + of(Standing::below) + of(Standing::unknown);
  const std::string asked = share_text(*circumstances_.expected_share, 1);
  std::string sentence;
  int code = 0;
  if (of(Standing::below) != 0) {
    code = static_cast<int>(Fault::below_expectation);
    sentence =
        fmt::format("{} of {} {} below the {} of expected that were asked for, the lowest at {}: {}", of(Standing::below),
                    plural(all, "result"), of(Standing::below) == 1 ? "is" : "are", asked, share_text(lowest_, 1), lowest_point_);
  } else if (all == 0) {
    code = static_cast<int>(Fault::inconclusive);
    sentence = fmt::format("--expect {}: nothing was measured", asked);
  } else if (of(Standing::unknown) != 0) {
    code = static_cast<int>(Fault::inconclusive);
    sentence = fmt::format(
        "--expect {}: no reference for {} of {}: no topology says what the memory of one host carries; between "
        "hosts "
        "--topology names what railgauge topo reads",
        asked, of(Standing::unknown), plural(all, "result"));
  }
  if (code != 0) std::fprintf(stderr, "railgauge: %s\n", sentence.c_str());
  return code;
}

void Outputs::finish_files() {
  const std::lock_guard guard(files_lock_);
  if (std::exchange(finished_, true)) return;
  for (const auto& file : files_) file->finish();
}

void Outputs::try_finish_table() {
  const std::unique_lock guard(table_lock_, std::try_to_lock);
  if (guard && table_) table_->finish();
}

void keep_finished(Outputs* outputs) {
  try {
    if (outputs != nullptr) outputs->finish_files();
  } catch (const Error& error) { std::fprintf(stderr, "railgauge: %s\n", error.what()); }
}

void end_interrupted(Outputs* outputs, const std::string& sentence) {
  if (outputs == nullptr) std::_Exit(static_cast<int>(Fault::lost));
  std::fprintf(stderr, "railgauge: %s\n", sentence.c_str());
  try {
    outputs->try_finish_table();
  } catch (const Error&) {
    // Nobody reads it any more.
  }
  std::_Exit(static_cast<int>(Fault::lost));
}

void refuse_twice(const std::vector<std::string>& paths) {
  std::set<std::filesystem::path> seen;
  for (const std::string& path : paths)
    if (!seen.insert(std::filesystem::path(path).lexically_normal()).second)
      throw Error(Fault::usage, "-o " + path + " is given twice");
}

}  // namespace railgauge
