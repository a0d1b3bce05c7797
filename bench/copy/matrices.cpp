// From options to cells.
#include "bench/copy/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.hpp"
#include "base/units.hpp"
#include "bench/device/chain.hpp"
#include "bench/select/sweep.hpp"

namespace railgauge {
namespace {

struct MoverRow {
  CopyMover mover;
  std::string_view name;
};
constexpr std::array movers{MoverRow{CopyMover::engine, "engine"}, MoverRow{CopyMover::kernel, "kernel"}};

struct DirectionRow {
  bool both_ways, chase;
  const char* name;
};
constexpr std::array directions{DirectionRow{false, false, "one_way"}, DirectionRow{true, false, "two_way"},
                                DirectionRow{false, true, "chase"}};

bool contains(const std::vector<std::string>& items, std::string_view item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

// The rows whose names were given, in the order of the table; of no names none.
template <class Rows>
auto chosen(const Rows& rows, const std::vector<std::string>& names, const char* option) {
  std::string known;
  for (const auto& row : rows) known += std::string(row.name) + ", ";
  for (const std::string& name : names)
    if (name != "all" && std::none_of(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; }))
      throw Error(Fault::usage, fmt::format("{} {} is unknown: choose from {}all", option, name, known));
  std::vector<typename Rows::value_type> found;
  for (const auto& row : rows)
    if (contains(names, "all") || contains(names, row.name)) found.push_back(row);
  return found;
}

std::string there_is(const CopyPlaces& found) {
  std::string text;
  for (const CopyPlace& place : found.places) text += (text.empty() ? "" : ", ") + place.memory.name;
  for (const std::string& reason : found.missing) text += fmt::format("; {}", reason);
  return text;
}

class Builder {
 public:
  Builder(const CopyOptions& options, const CopyPlaces& found)
      : options_(options),
        found_(found),
        sizes_(parse_sizes(options.bytes, options.factor)),
        movers_(chosen(movers, options.ways, "--way")),
        directions_(chosen(directions, options.algorithms.empty() ? std::vector<std::string>{"one_way"} : options.algorithms,
                           "--algorithm")) {
    for (const std::uint64_t bytes : sizes_)
      if (bytes == 0) throw Error(Fault::usage, "--bytes 0: a copy has at least 1 byte");
    for (const std::uint64_t bytes : sizes_)
      if (contains(options.algorithms, "chase") && bytes < chain::least)
        throw Error(Fault::usage,
                    fmt::format("--bytes {}: --algorithm chase goes through at least {}", bytes, format_bytes(chain::least)));
    check_names(options.from, "--from");
    check_names(options.to, "--to");
    for (const int gpu : options.gpus)
      if (std::none_of(found.places.begin(), found.places.end(), [&](const CopyPlace& place) { return place.device == gpu; }))
        throw Error(Fault::usage, fmt::format("--gpu {}: there is no such GPU here, only {}", gpu, there_is(found)));
  }

  std::vector<CopyMatrix> build() {
    for (const DirectionRow& direction : directions_) {
      both_ways_ = direction.both_ways;
      chase_ = direction.chase;
      for (const CopyTable* const table : tables()) {
        add_host_and_device(*table, true);
        // In both directions the first has both, and a core of the host cannot read a GPU's memory.
        if (!both_ways_ && !chase_) add_host_and_device(*table, false);
        add_between_alike(*table);
      }
    }
    if (matrices_.empty()) refuse();
    return std::move(matrices_);
  }

 private:
  void check_names(const std::vector<std::string>& names, const char* option) const {
    for (const std::string& name : names)
      if (std::none_of(found_.places.begin(), found_.places.end(),
                       [&](const CopyPlace& place) { return place.memory.name == name; }))
        throw Error(Fault::usage, fmt::format("{} {}: there is no such place here, only {}", option, name, there_is(found_)));
  }

  // Of each place once, in their order.
  [[nodiscard]] std::vector<const CopyTable*> tables() const {
    std::vector<const CopyTable*> all;
    for (const CopyPlace& place : found_.places)
      if (std::find(all.begin(), all.end(), place.table) == all.end()) all.push_back(place.table);
    return all;
  }

  [[nodiscard]] std::vector<CopyMover> movers_of(const CopyTable& table) const {
    if (chase_) {
      const bool kernels = movers_.empty() || std::any_of(movers_.begin(), movers_.end(),
                                                          [](const MoverRow& row) { return row.mover == CopyMover::kernel; });
      return table.chase != nullptr && kernels ? std::vector{CopyMover::kernel} : std::vector<CopyMover>{};
    }
    if (movers_.empty()) return {table.movers.front()};
    std::vector<CopyMover> its;
    for (const MoverRow& row : movers_)
      if (std::find(table.movers.begin(), table.movers.end(), row.mover) != table.movers.end()) its.push_back(row.mover);
    return its;
  }

  // Whether copies from there to there were asked for; of both directions at once, whether either was.
  [[nodiscard]] bool asked(std::size_t from, std::size_t to) const {
    const auto takes_part = [&](std::size_t number) {
      const CopyPlace& place = found_.places[number];
      return place.host() || options_.gpus.empty() ||
             std::find(options_.gpus.begin(), options_.gpus.end(), place.device) != options_.gpus.end();
    };
    const auto named = [&](const std::vector<std::string>& names, std::size_t number) {
      return names.empty() || contains(names, found_.places[number].memory.name);
    };
    if (!takes_part(from) || !takes_part(to)) return false;
    return (named(options_.from, from) && named(options_.to, to)) ||
           (both_ways_ && named(options_.from, to) && named(options_.to, from));
  }

  [[nodiscard]] bool near(std::size_t host, std::size_t device) const {
    const std::string& name = found_.places[host].memory.name;
    const int node = found_.places[device].memory.node;
    const bool known = std::any_of(found_.places.begin(), found_.places.end(),
                                   [&](const CopyPlace& place) { return place.host() && place.memory.node == node; });
    return !known || found_.places[host].memory.node == node || contains(options_.from, name) || contains(options_.to, name);
  }

  void add(const CopyTable& table, bool reads, const char* suffix, const std::string& memory,
           const std::vector<CopyCell>& cells) {
    if (cells.empty()) return;
    for (const CopyMover mover : movers_of(table)) {
      CopyMatrix matrix{.table = &table,
                        .mover = mover,
                        .reads = reads,
                        .both_ways = both_ways_,
                        .chase = chase_,
                        .bytes = 0,
                        .way = {},
                        .memory = memory,
                        .cells = cells};
      for (const MoverRow& row : movers)
        if (row.mover == mover) matrix.way = std::string(row.name) + suffix;
      for (const std::uint64_t bytes : sizes_) {
        const std::uint64_t its = chase_ ? chain::bytes_within(bytes) : bytes;
        if (its == 0 || its == matrix.bytes) continue;  // none, or the same as before
        matrix.bytes = its;
        matrices_.push_back(matrix);
      }
    }
  }

  // Within a place nobody reads or writes from the other end, and there is no other variant: those cells are written once.
  // Who follows pointers reads, in any cell.
  void add_between_alike(const CopyTable& table) {
    std::vector<CopyCell> written, read;
    for (std::size_t from = 0; from < found_.places.size(); ++from)
      for (std::size_t to = 0; to < found_.places.size(); ++to) {
        if (found_.places[from].table != &table || found_.places[to].table != &table || !asked(from, to)) continue;
        if (both_ways_ && from >= to) continue;
        written.push_back({from, to});
        if (from != to) read.push_back({from, to});
      }
    if (!chase_) add(table, false, "_write", table.name, written);
    add(table, true, "_read", table.name, chase_ ? written : read);
  }

  // To the devices of that table, or from them. For both directions the host is the first. None where the table is the host's.
  void add_host_and_device(const CopyTable& table, bool to_device) {
    std::vector<CopyCell> cells;
    for (std::size_t host = 0; host < found_.places.size(); ++host)
      for (std::size_t device = 0; device < found_.places.size(); ++device) {
        if (!found_.places[host].host() || found_.places[device].host() || found_.places[device].table != &table) continue;
        const CopyCell cell = to_device ? CopyCell{host, device} : CopyCell{device, host};
        if (asked(cell.from, cell.to) && near(host, device)) cells.push_back(cell);
      }
    add(table, to_device, "", to_device ? fmt::format("pinned+{}", table.name) : fmt::format("{}+pinned", table.name), cells);
  }

  [[noreturn]] void refuse() const {
    if (chase_ && directions_.size() == 1 && !movers_.empty() && movers_.back().mover == CopyMover::engine)
      throw Error(Fault::usage, "--algorithm chase is done by kernels, and by no copy engine: leave --way out");
    const bool engine =
        std::all_of(movers_.begin(), movers_.end(), [](const MoverRow& row) { return row.mover == CopyMover::engine; });
    if (engine && !movers_.empty())
      throw Error(Fault::usage, fmt::format("--way engine: only GPUs have copy engines, and there is only {}", there_is(found_)));
    if (both_ways_)
      throw Error(Fault::usage,
                  fmt::format("--algorithm two_way copies between two places, and what was chosen is not: there is {}",
                              there_is(found_)));
    throw Error(Fault::usage,
                fmt::format("there is nothing to copy between the places that were chosen: there is {}", there_is(found_)));
  }

  const CopyOptions& options_;
  const CopyPlaces& found_;
  std::vector<std::uint64_t> sizes_;
  std::vector<MoverRow> movers_;
  std::vector<DirectionRow> directions_;
  bool both_ways_ = false, chase_ = false;  // of what is added now
  std::vector<CopyMatrix> matrices_;
};

}  // namespace

const char* algorithm_of(const CopyMatrix& matrix) noexcept {
  for (const DirectionRow& row : directions)
    if (row.both_ways == matrix.both_ways && row.chase == matrix.chase) return row.name;
  return "?";
}

std::vector<CopyMatrix> copy_matrices(const CopyOptions& options, const CopyPlaces& found) {
  return Builder(options, found).build();
}

std::uint64_t host_bytes_needed(const std::vector<CopyMatrix>& matrices, const CopyPlaces& found) {
  std::uint64_t most = 0;
  for (const CopyMatrix& matrix : matrices)
    for (const CopyCell& cell : matrix.cells) {
      const bool both_ends = !matrix.chase;  // who follows pointers has no memory of its own
      const std::uint64_t ends =
          (found.places[cell.from].host() ? 1U : 0U) + (both_ends && found.places[cell.to].host() ? 1U : 0U);
      most = std::max(most, ends * end_bytes(matrix.bytes, matrix.both_ways));
    }
  return most;
}

}  // namespace railgauge
