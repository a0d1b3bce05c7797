// Compares what two sources tell of one thing, field by field, and notes what differs.
#pragma once

#include <string>
#include <vector>

#include "topo/diff/diff.hpp"

namespace railgauge::topo::fields {

using Changes = std::vector<Change>;

// Of two sources each tells what it knows: a field that one alone has is no difference.
struct Fields {
  bool passing;     // also what changes by itself
  bool one_source;  // both ends of the comparison are told by the same
};

// Whether both numbers can be compared: 0 is unknown.
[[nodiscard]] bool comparable(double from, double to, const Fields& fields);
// The speed as every source tells it: PortInfo has no code for FDR10, which looks like QDR there. Gigabits per second and lane.
[[nodiscard]] double told_by_all(double speed, const Fields& fields);

// Each appends to `changes` what differs.
void compare(std::string name, std::string from, std::string to, Changes& changes);
void compare(std::string name, double from, double to, Changes& changes);
void compare(const std::string& name, const Rate& from, const Rate& to, bool speed, const Fields& fields, Changes& changes);
void compare(const Attributes& from, const Attributes& to, const Fields& fields, Changes& changes);

}  // namespace railgauge::topo::fields
