// The tables of a history, and how those of older versions of the program become today's.
#pragma once

#include <span>
#include <vector>

namespace railgauge::history {

class Database;

// The statements that make a version of the one before it; of the first, from nothing.
using Migration = std::vector<const char*>;
// All there are, the first for version 1. One that was released is never changed.
[[nodiscard]] std::span<const Migration> versions();

// Makes the tables where there are none and `make` says so, brings older ones to the last of `known`, and throws Error(usage)
// where there are none, where they are newer, and where the file is a database of something else.
void bring_up_to_date(Database& database, bool make, std::span<const Migration> known);

}  // namespace railgauge::history
