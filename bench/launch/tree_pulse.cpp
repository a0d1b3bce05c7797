// Pulses between neighbours of the control tree. A process that is stopped keeps its connections: the kernel answers for it, and
// only what it no longer says tells that it stands still.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "bench/launch/process_state.hpp"
#include "bench/launch/tree.hpp"

namespace railgauge {
namespace {

// Pulses that may be missed. Beats are counted and not seconds: while this process itself stands still, or its machine sleeps,
// nobody else is silent.
constexpr int most_silent_beats = 8;

}  // namespace

void Tree::beat() {
  heart_.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(silence_ / most_silent_beats));
  heart_.async_wait([this](const boost::system::error_code& code) {
    if (code) return;
    {
      const std::lock_guard guard(lock_);
      if (left_) return;
      send_pulses();
      for (Link& link : connected_.links) judge_silence(link);
    }
    beat();
  });
}

void Tree::send_pulses() {
  wire::Writer writer;
  writer.i32(getpid());
  const wire::Body body = std::move(writer).body();
  for (Link& link : connected_.links)
    if (link.rank >= 0 && link.open())
      link.send({wire::Kind::pulse, static_cast<std::uint32_t>(link.rank), static_cast<std::uint32_t>(rank_)}, body);
}

void Tree::judge_silence(Link& link) {
  if (link.rank < 0 || !link.open() || link.said_goodbye || dead_.contains(link.rank)) return;
  if (++link.silent_beats <= most_silent_beats) return;
  const std::string& node = connected_.nodes[static_cast<std::size_t>(link.rank)];
  const bool here = link.process != 0 && node == connected_.nodes[static_cast<std::size_t>(rank_)];
  const std::optional<char> state = here ? state_of_process(link.process) : std::nullopt;
  if (state && !is_stopped(*state)) return;  // it has not had its turn on the processor
  const std::string why = state ? fmt::format("it is stopped (process {}, state {})", link.process, *state)
                                : std::string("it is stopped, or its host hangs");
  die(link.rank, fmt::format("on {} has not answered for {:g} s: {}", node, silence_.count(), why), nullptr);
}

}  // namespace railgauge
