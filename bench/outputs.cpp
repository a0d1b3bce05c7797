// Hands each result to every writer.
#include "bench/outputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "base/error.hpp"

namespace railgauge {

Outputs::Outputs(const std::vector<std::string>& paths, const std::string& format, const Terminal& terminal, std::string run,
                 std::size_t points, std::vector<std::string> notes) {
  expect_format_used(paths, format);
  for (const std::string& path : paths) files_.push_back(open_writer(path, format));
  if (std::find(paths.begin(), paths.end(), "-") == paths.end())
    table_ = make_table(descriptor_sink(STDOUT_FILENO, "standard output"), terminal);
  const Run begun{std::move(run), points, std::move(notes)};
  for (const auto& file : files_) file->begin(begun);
  if (table_) table_->begin(begun);
}

void Outputs::add(const Result& result) {
  {
    const std::lock_guard guard(files_lock_);
    if (finished_) return;
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
