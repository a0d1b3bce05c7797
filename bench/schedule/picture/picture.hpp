// A picture of what an algorithm does: ranks and their thread blocks from top to bottom, time from left to right, an arrow for
// each message. Layout only: draw.hpp has the colours.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/schedule/file/schedule_file.hpp"
#include "bench/schedule/proof/proof.hpp"
#include "bench/schedule/read/program.hpp"

namespace railgauge::picture {

enum class Sort : std::uint8_t {
  stored,      // a message that its receiver stores
  reduced,     // a message that its receiver reduces with its own data
  signal,      // of MSCCL++: from signal to wait
  dependency,  // a thread block waits for a step of another one of its rank
  waits,       // what is stuck waits for
  copy,        // local
  reduce,      // local
  step,        // the end of a message, a signal or a wait
};
inline constexpr std::size_t sorts = 8;

struct Point {
  double x = 0, y = 0;
};

struct Fact {
  std::string name, value;
};

// An arrow, or a mark where both ends are one point.
struct Item {
  Sort sort = Sort::stored;
  Point from, to;
  std::int32_t rank = 0, peer = 0;  // the two that it joins
  // Which data: first block and how many, numbered as in the larger one of input and output.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;
  bool lost = false;         // a message that is sent and never received
  std::uint32_t wrong = 0;   // number of the finding that shows here, counted from 1
  std::string label, title;  // beside it; in words
  std::vector<Fact> facts;
};

struct Lane {
  std::string name;  // empty where the rank has one
  std::int32_t rank = 0;
  double y = 0;
  double end = 0;        // x: where it has ended
  bool stuck = false;    // there, and never goes on
  bool memory = false;   // of the rank, that others access
  std::string why = {};  // it is stuck
  std::uint32_t wrong = 0;
};

// A rank, or a thread block in it, is busy or waits from `from` to `to`.
struct Bar {
  double from = 0, to = 0, y = 0;
};

struct Band {  // of a rank
  std::string name;
  double top = 0, bottom = 0;
};

struct Column {
  std::string name;
  double left = 0, width = 0;
};

struct Picture {
  std::string title, subtitle;
  std::vector<std::string> notes, findings;  // findings: what is wrong, in the order of their numbers
  const char* column_word = "step";          // what columns are: "step" or "round"
  double width = 0, height = 0;
  bool numbered_blocks = true;  // that data have blocks at all
  std::uint32_t blocks = 0;
  std::vector<Column> columns;
  std::vector<Band> bands;
  std::vector<Lane> lanes;
  std::vector<Bar> bars;
  std::vector<Item> items;
};

// Of which file, and what stands below the title.
struct Request {
  std::string name;
  bool file = false;          // the facts name lines of it
  std::uint64_t bytes = 0;    // S, where a size is given
  std::string subtitle = {};  // empty: the collective and the ranks
  std::vector<std::string> notes = {};
};

inline constexpr std::size_t most_items = 60'000;

// Precondition: check_program() found nothing. Throws Error(usage) where it would have more than most_items.
[[nodiscard]] Picture picture_of(const Program& program, const Proof& proof, const Request& request);
// `findings`: what verify() found.
[[nodiscard]] Picture picture_of(const ScheduleFile& file, const std::vector<std::string>& findings, const Request& request);

}  // namespace railgauge::picture
