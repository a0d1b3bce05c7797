// Words of a command as a shell reads them back.
#pragma once

#include <string>

#include "bench/jobs/jobs.hpp"

namespace railgauge::jobs {

// Each word of the program and of its command behind a blank.
[[nodiscard]] std::string words_for_shell(const Job& job);

}  // namespace railgauge::jobs
