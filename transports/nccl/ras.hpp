// NCCL's own service that knows which ranks are missing or behind (RAS, NCCL 2.24 and later), asked when something does not come
// through. Each process of a job listens for it; it speaks lines of text over TCP.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace railgauge::nccl {

// What it says is wrong, in one line; empty where it knows of nothing, is not there, or does not answer within `patience`. What
// came by then counts. `address` as in NCCL_RAS_ADDR: "localhost:28028", "10.0.0.1:28028", "[::1]:28028"; names of other hosts
// are not looked up, since that may take long. Never throws.
[[nodiscard]] std::string ask_ras(const std::string& address, std::chrono::milliseconds patience) noexcept;

// The same from an answer: lines of its sections Errors and Warnings, without headings.
[[nodiscard]] std::string troubles_in(std::string_view answer);

// The same as a clause behind a sentence, "; NCCL's RAS service says: ...", with a patience of a few seconds. Empty where it says
// nothing, and where the address is empty.
[[nodiscard]] std::string said_by_ras(const std::string& address) noexcept;

}  // namespace railgauge::nccl
