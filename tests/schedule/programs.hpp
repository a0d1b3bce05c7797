// Algorithms as others publish them, made for any number of ranks, broken at random, and executed with numbers as data.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bench/schedule/read/program.hpp"

namespace railgauge::test {

// Right programs of `ranks` ranks that together use every kind of step, dependencies between thread blocks, several channels and
// scratch.
[[nodiscard]] std::vector<Program> right_programs(std::int32_t ranks);

// As msccl-tools writes it, a step in a line of its own; `line` of each part becomes the one that it has there.
[[nodiscard]] std::string msccl_xml(Program& program);

// Changes the program in one place, and says how; empty where that place cannot be changed.
[[nodiscard]] std::string mutate(Program& program, std::mt19937& random);

// One execution: thread blocks advance in an order that `random` draws, connections hold `capacity` messages. Every contribution
// is a number, a reduction their sum. "" where the collective's data comes out, else what went wrong.
[[nodiscard]] std::string executed(const Program& program, bool in_place, std::int32_t root, std::size_t capacity,
                                   std::mt19937& random);

}  // namespace railgauge::test
