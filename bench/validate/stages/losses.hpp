// Packets that senders counted while pairs were measured, and what follows from them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/losses.hpp"
#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

// Appends what both hosts of a pair sent, by the answers of their ranks to one order. `a` and `b` are the hosts of its first and
// its second member.
void take_packets(const ValidationRun& run, Index a, Index b, Index rail, Index round, std::span<const Answer> answers,
                  std::vector<Sent>& sent);

// Diagnoses hosts that lose packets, beside what else is wrong with them. Where nobody counted packets it is said what is unread.
void tell_losses(ValidationRun& run, const std::string& stage, std::span<const Sent> sent);

}  // namespace railgauge::validate
