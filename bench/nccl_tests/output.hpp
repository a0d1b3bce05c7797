// The output of the process that started rank 0: its table and its JSON file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/invocation.hpp"
#include "base/output/file.hpp"
#include "base/output/print.hpp"
#include "bench/nccl_tests/options.hpp"
#include "reports/formats/nccl_tests.hpp"

namespace railgauge::nccl_tests {

// Facts that rank 0 gathers from all ranks before the first point. Sent as one line.
struct Introduction {
  std::vector<Device> devices;
  std::uint64_t max_bytes = 0;
  std::string transport;
  std::string library;  // "NCCL 2.28.9" whose own collectives run; empty where ours do
};
[[nodiscard]] std::string to_line(const Introduction& introduction);
[[nodiscard]] Introduction read_introduction(const std::string& line);  // throws Error(usage) for anything else

class Output {
 public:
  // `options` must outlive it. Creates the JSON file, so that no other run takes its name. Throws Error(usage) when it cannot be
  // created.
  Output(const Options& options, const Invocation& invocation);
  void begin(const Introduction& introduction);
  void add(const Result& result);  // two make a row
  // Prints the last lines and writes the JSON. Does nothing when begin() was never called.
  void finish(const std::vector<std::string>& errors);
  // Whether the mean bandwidth reaches the required one.
  [[nodiscard]] bool enough() const { return totals_.enough(heading_.least_bandwidth); }

 private:
  void print(const std::string& text) const;

  const Options& options_;
  Heading heading_;
  std::string file_name_;
  std::unique_ptr<GrowingFile> file_;  // has its name, and is empty, until the run ends
  std::vector<TableRow> rows_;         // for the file alone
  std::optional<Result> pending_;
  Totals totals_;
  bool begun_ = false;
};

}  // namespace railgauge::nccl_tests
