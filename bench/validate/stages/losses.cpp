// Counts of ranks become packets between hosts, and findings of the method diagnoses.
#include "bench/validate/stages/losses.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "bench/validate/method/port_name.hpp"

namespace railgauge::validate {
namespace {

using validation::HostState;

// Whether so many packets can have carried what was measured; else it went by another way, and these were the host's other
// traffic.
bool carried(const PacketCount& count, const MeasuredPoint& point) {
  constexpr std::uint64_t most_bytes = 1 << 16;  // of a packet
  return count.sent >= point.samples * std::max<std::uint64_t>(1, point.bytes / most_bytes);
}

// The count of the port by which the rank was told to send, where that carried the data; else of what sent most. Nothing where no
// count did.
const PacketCount* count_of(const std::vector<PacketCount>& counts, const std::string& port, const MeasuredPoint& point) {
  const PacketCount* most = nullptr;
  for (const PacketCount& each : counts) {
    if (!carried(each, point)) continue;
    if (!port.empty() && each.by == port_or_first(port)) return &each;
    if (most == nullptr || each.sent > most->sent) most = &each;
  }
  return most;
}

}  // namespace

void take_packets(const ValidationRun& run, Index a, Index b, Index rail, Index round, std::span<const Answer> answers,
                  std::vector<Sent>& sent) {
  if (answers.size() != 2 || !has_results(answers.front().figures)) return;
  const auto results = answers.front().figures.get<Measured>().results;
  const std::array<std::pair<Index, Index>, 2> ways{std::pair(a, b), std::pair(b, a)};
  for (std::size_t member = 0; member < ways.size(); ++member) {
    if (!has_results(answers[member].figures)) continue;
    const auto packets = answers[member].figures.get<Measured>().packets;
    const auto& [from, to] = ways[member];
    const std::vector<Attachment>& rails = run.fleet.hosts[from].rails;
    const std::string port = rail < rails.size() ? rails[rail].port : std::string();
    for (std::size_t point = 0; point < std::min(packets.size(), results.size()); ++point) {
      // Of a stream one host sends, and the other acknowledges: acknowledgements are never sent again.
      const bool sends = results[point].what != "stream" || results[point].back == (member == 1);
      const PacketCount* const count = sends ? count_of(packets[point], port, results[point]) : nullptr;
      if (count == nullptr) continue;
      sent.push_back({from, to, rail, round, count->sent, count->resent, count->by.find('/') != std::string::npos});
    }
  }
}

void tell_losses(ValidationRun& run, const std::string& stage, std::span<const Sent> sent) {
  if (sent.empty()) {  // by something else, or by ports whose driver does not tell
    validation::Unread unread{
        "packets that were sent again", "neither TCP nor an RDMA port of the hosts counted what was sent between them", {}};
    for (const Index host : run.living()) unread.hosts.push_back(run.fleet.hosts[host].name);
    run.found.unread.push_back(std::move(unread));
    return;
  }
  for (const Lossy& lossy : find_losses(run.fleet, sent)) {
    const Diagnosis diagnosis = diagnosis_of(run.fleet, lossy);
    const std::string host = lossy.host == npos ? std::string() : run.fleet.hosts[lossy.host].name;
    // Where somebody is faulty, losses that are everybody's may be that one's.
    if (!lossy.faulty && std::any_of(run.found.diagnoses.begin(), run.found.diagnoses.end(),
                                     [](const validation::Diagnosis& each) { return each.faulty; }))
      continue;
    run.tell(stage, diagnosis, host);
    if (lossy.others_losing.size() != 2) continue;
    for (const Index other : lossy.others_losing) {
      validation::Host& its = run.found.hosts[other];
      if (its.state != HostState::good && its.state != HostState::unmeasured) continue;
      its.state = HostState::doubtful;
      its.reason = diagnosis.sentence;
    }
  }
}

}  // namespace railgauge::validate
