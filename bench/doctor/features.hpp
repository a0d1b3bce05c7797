// The features of railgauge that need something of a machine: whether each works there, why not, and the command that mends it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/doctor/machine.hpp"

namespace railgauge::doctor {

enum class State : std::uint8_t {
  works,
  absent,  // this machine has no such hardware: a result, and nothing mends it
  broken,  // it would work after a command
};

// A command for each family of distributions; `any` where the family has none of its own.
struct Remedy {
  std::string_view any, debian = {}, redhat = {}, suse = {};
};

struct Answer {
  State state = State::works;
  std::string reason;              // what was found; "RDMA devices: mlx5_0"
  const Remedy* remedy = nullptr;  // where broken
};

struct Feature {
  std::string_view name;
  std::string_view serves;  // what of railgauge needs it
  Answer (*probe)(const Machine& machine);
};
[[nodiscard]] std::span<const Feature> features();  // static storage

struct Finding {
  std::string feature, serves;
  State state = State::works;
  std::string reason;
  std::string command;  // that mends it; empty unless broken
};
[[nodiscard]] std::vector<Finding> examine(const Machine& machine);

// Both end with a newline.
[[nodiscard]] std::string to_text(const std::vector<Finding>& findings, const Distribution& distribution);
[[nodiscard]] std::string to_json(const std::vector<Finding>& findings, const Distribution& distribution);

}  // namespace railgauge::doctor
