// Compares the hosts of one model with each other.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/validate/preflight/judge.hpp"

namespace railgauge::topo::preflight {

// The numbers of the hosts that have a value, by value.
using Votes = std::map<std::string, std::vector<std::size_t>>;

// Returns the value that more than half of the voters have; nothing where there is none or there are fewer than three voters.
[[nodiscard]] std::optional<std::string> majority(const Votes& votes);
[[nodiscard]] std::size_t voters(const Votes& votes);

// Returns a lesser severity, for a difference that names nobody.
[[nodiscard]] Severity doubtful(Severity severity) noexcept;

// Returns "1500 (n1), 9000 (n2, n3)", or of many hosts "1500 (5 hosts), 9000 (5 hosts)".
[[nodiscard]] std::string who_has_what(const Votes& votes, std::span<const HostFacts> hosts);

// Each function adds the differences that it finds among these hosts, which are of one model.
void compare_devices(std::span<const HostFacts> hosts, std::span<const std::size_t> members, std::vector<Difference>& into);
void compare_values(std::span<const HostFacts> hosts, std::span<const std::size_t> members, std::vector<Difference>& into);
void compare_fingerprints(std::span<const HostFacts> hosts, std::span<const std::size_t> members, std::vector<Difference>& into);
void compare_gpus_within(const HostFacts& facts, std::vector<Difference>& into);  // among the GPUs of one host

}  // namespace railgauge::topo::preflight
