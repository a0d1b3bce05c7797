// Validations made for the tests of their reports. Nothing in them is chance that a clock or a machine has a say in.
#pragma once

#include <string>

#include "reports/validation/validation.hpp"

namespace railgauge::test {

// `hosts` times `rails`, measured in `rounds` rounds of pairs with a scatter of 1 %; a leaf a rail for each `hosts_a_leaf` hosts
// with `spines` switches above; without leaves where that is 0.
struct Fleet {
  std::size_t hosts = 8, rails = 1, rounds = 7, hosts_a_leaf = 0, spines = 2;
};
[[nodiscard]] validation::Validation fleet(const Fleet& of);

[[nodiscard]] validation::Validation healthy();       // 8 hosts, 1 rail, the switches are unknown
[[nodiscard]] validation::Validation faulty_cable();  // 8 hosts, 2 rails, 4 leaves: n3:mlx5_1/1 - leaf1 port 4 sends 5.1 % less
[[nodiscard]] validation::Validation inconclusive();  // 128 hosts: one lost, one doubtful, things unread, a stage cut short

// The same with every text replaced.
[[nodiscard]] validation::Validation named(validation::Validation of, const std::string& text);

// Every number that can be is none.
[[nodiscard]] validation::Validation without_numbers(validation::Validation of);

}  // namespace railgauge::test
