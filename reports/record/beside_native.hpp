// Of all results of a run: the fastest of railgauge's algorithms beside the library's own collective (native), where both were
// measured at the same point.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/result.hpp"

namespace railgauge {

// One of the two.
struct MeasuredAlgorithm {
  std::string algorithm, transport;
  Seconds median{};
  std::optional<KernelUse> kernel;
  std::optional<LibraryChoice> library;
};

struct BesideNative {
  Case point;  // what both have in common; its algorithm, transport and path are those of `ours`
  MeasuredAlgorithm ours, native;
  // Bandwidth of ours over that of the library, which is the inverse of the times'.
  [[nodiscard]] double ratio() const { return native.median / ours.median; }
};

class BesideNatives {
 public:
  void add(const Result& result);
  // In the order of the points; a point without one of the two is left out.
  [[nodiscard]] std::vector<BesideNative> rows() const;
  // The table for a terminal, with its heading, and a line break at the end; empty where there are no rows.
  [[nodiscard]] std::string text() const;
  // The same in Markdown.
  [[nodiscard]] std::string markdown() const;

 private:
  struct Entry {
    Case point;
    std::optional<MeasuredAlgorithm> ours, native;
  };
  std::vector<Entry> entries_;
};

}  // namespace railgauge
