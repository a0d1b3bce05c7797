// Where the results of a run go: all of its files and the table, as one.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reports/environment.hpp"
#include "reports/formats/writer.hpp"

namespace railgauge {

// What all results of a run have in common, and no session knows.
struct Circumstances {
  std::string topology;  // fingerprint of the hosts; empty where it is not known
  Variables environment;
  std::vector<std::string> environment_differs;
  std::optional<double> expected_share;                               // that was asked for (--expect)
  std::function<std::optional<Seconds>(const Case&)> predicted = {};  // the time of a point that was measured; empty: unknown
};

// All writers of a run as one. Threads may share it.
class Outputs {
 public:
  // As open_writer() for each of `paths`. Results on standard output ("-") are for programs: there is no table then.
  Outputs(const std::vector<std::string>& paths, const std::string& format, const Terminal& terminal, std::string run,
          std::size_t points, std::vector<std::string> notes, Circumstances circumstances);
  void add(Result result);
  void finish();
  // Waits for nobody who reads the table: a launcher that ends its ranks reads no more, and the thread that prints may hang.
  void finish_files();
  void try_finish_table();
  [[nodiscard]] bool unconverged() const { return unconverged_; }
  // What --expect asks for: 0, 1 (a point is below) or 4 (no point is, one has no reference, or none was measured), with a
  // sentence on standard error unless it is 0; always 0 where no share was asked for.
  [[nodiscard]] int judge() const;

 private:
  std::mutex files_lock_, table_lock_;
  std::vector<std::unique_ptr<Writer>> files_;
  std::unique_ptr<Writer> table_;  // null where standard output has results for programs
  Circumstances circumstances_;
  std::array<std::size_t, 3> standings_{};  // results by their Standing
  double lowest_ = 0;                       // share of expected among those below
  std::string lowest_point_;
  bool unconverged_ = false, finished_ = false;
};

// What a signal makes of a run whose ranks nobody supervises: what was finished is kept. `outputs` may be null.
void keep_finished(Outputs* outputs);
[[noreturn]] void end_interrupted(Outputs* outputs, const std::string& sentence);

// Throws Error(usage) where two of them are the same file.
void refuse_twice(const std::vector<std::string>& paths);

}  // namespace railgauge
