// Measures one cell of a matrix of copies.
#pragma once

#include <string>

#include "bench/copy/matrices.hpp"
#include "bench/measure/stop.hpp"
#include "reports/result.hpp"
#include "transports/group.hpp"

namespace railgauge {

// A result without numbers: `status` because of `reason`.
[[nodiscard]] Result unmeasured_copy(const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell, Status status,
                                     const std::string& reason);

// The name of a cell in sentences: "cuda:0 -> cuda:1".
[[nodiscard]] std::string name_of(const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell);

// The time is that of a copy, or of a step of a chase, which has no bandwidths. `group` has this process alone. A cell is
// skipped, with the sentence of the error, when its memory cannot be allocated or its ends cannot reach each other. Throws
// Error(lost) when a copy fails or does not end.
[[nodiscard]] Result measure_copy(Group& group, const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell,
                                  const Policy& policy);

}  // namespace railgauge
