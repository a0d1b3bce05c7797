// Compares the hosts of one model.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/validate/preflight/judge.hpp"

namespace railgauge::topo::preflight {

// Who has which value: hosts by number, by value.
using Votes = std::map<std::string, std::vector<std::size_t>>;

// The value that more than half of at least three voters have.
[[nodiscard]] std::optional<std::string> majority(const Votes& votes);
[[nodiscard]] std::size_t voters(const Votes& votes);

// A lesser severity, for what differs and names nobody.
[[nodiscard]] Severity doubtful(Severity severity) noexcept;

// "1500 (n1), 9000 (n2 and n3)", "1500 (4 hosts), 9000 (4 hosts)"
[[nodiscard]] std::string who_has_what(const Votes& votes, std::span<const HostFacts> hosts);

// Each adds what it finds among these hosts, which are of one model.
void compare_devices(std::span<const HostFacts> hosts, std::span<const std::size_t> members, std::vector<Difference>& into);
void compare_values(std::span<const HostFacts> hosts, std::span<const std::size_t> members, std::vector<Difference>& into);
void compare_fingerprints(std::span<const HostFacts> hosts, std::span<const std::size_t> members, std::vector<Difference>& into);
void compare_gpus_within(const HostFacts& facts, std::vector<Difference>& into);  // of one host, with each other

}  // namespace railgauge::topo::preflight
