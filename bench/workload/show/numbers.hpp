// Numbers of a step as its report, its page and its tables say them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace railgauge {

[[nodiscard]] std::string seconds_text(double seconds);                  // "12.3 ms"
[[nodiscard]] std::string percent_text(double part, double whole);       // "4.5 %"; "-" of nothing
[[nodiscard]] std::string difference_text(std::optional<double> share);  // "+4.5 %"; "-" of nothing
[[nodiscard]] std::string megabytes_text(std::uint64_t bytes);           // "102.2 MB", of 1e6 bytes
[[nodiscard]] std::string grouped(std::uint64_t number);                 // "1,512,000"

}  // namespace railgauge
