// From options to points.
#include "bench/select/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "bench/plan/native.hpp"
#include "bench/schedule/algorithms/native.hpp"
#include "bench/select/stored.hpp"
#include "bench/select/width.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most_sizes = 10'000;
constexpr double beyond_64_bits = 0x1p64;
// More than any host has, and so little that sums over the buffers of many ranks fit into 64 bits.
constexpr std::uint64_t largest_size = std::uint64_t{1} << 48;

template <class Rows>
std::string names_of(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : ", ") + std::string(row.name);
  return text;
}

[[noreturn]] void unknown(std::string_view kind, const std::string& name, const std::string& known) {
  throw Error(Fault::usage, "there is no " + std::string(kind) + " " + name + ": choose from " + known);
}

bool contains(const std::vector<std::string>& items, std::string_view item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

std::vector<Collective> chosen_collectives(const std::vector<std::string>& names) {
  std::vector<Collective> chosen;
  for (const std::string& name : names) {
    if (name == "all") {
      // A matrix of pairs is no point like the others: it is asked for by its name.
      for (const CollectiveRow& row : collectives())
        if (row.collective != Collective::pairs) chosen.push_back(row.collective);
    } else if (name == "ring_shift") {  // which others call a pattern of its own
      chosen.push_back(Collective::send_receive);
    } else if (const auto found = find_collective(name)) {
      chosen.push_back(*found);
    } else {
      unknown("collective", name, names_of(collectives()) + " or all");
    }
  }
  return chosen;
}

// An algorithm that is wanted, and whether by name; null: whichever is best at each size.
struct Choice {
  const Algorithm* algorithm;
  bool by_name;
};

bool of_folder(const Algorithm& algorithm) { return algorithm.stored != nullptr && algorithm.stored->of_folder; }

std::vector<Choice> chosen_algorithms(Collective collective, const Shape& shape, const SweepOptions& options,
                                      const CollectiveTable* library) {
  const bool all = options.algorithms.empty() ? contains(options.collectives, "all") : contains(options.algorithms, "all");
  const bool best = options.algorithms.empty() ? !all : !all && contains(options.algorithms, "auto");
  std::vector<Choice> chosen;
  if (best) chosen.push_back({nullptr, false});
  for (const Algorithm& algorithm : catalog()) {
    if (algorithm.collective != collective) continue;
    const bool named = contains(options.algorithms, algorithm.name);
    if (named || all) chosen.push_back({&algorithm, named});
  }
  for (const Algorithm* stored : options.stored)
    if (stored->collective == collective && (!of_folder(*stored) || stored->why_not(shape).empty()))
      chosen.push_back({stored, !of_folder(*stored)});
  const Algorithm& native = native_algorithm(collective);
  const bool offered = library != nullptr && std::find(library->collectives.begin(), library->collectives.end(), collective) !=
                                                 library->collectives.end();
  if (contains(options.algorithms, native.name) || (all && offered)) chosen.push_back({&native, false});
  return chosen;
}

void check_algorithm_names(const SweepOptions& options, const std::vector<Collective>& collectives) {
  for (const std::string& name : options.algorithms) {
    if (name == "all" || name == "auto" || name == native_algorithm(Collective::all_reduce).name) continue;
    const auto stored = std::find_if(options.stored.begin(), options.stored.end(),
                                     [&](const Algorithm* algorithm) { return algorithm->name == name; });
    if (stored != options.stored.end()) {
      const Collective its = (*stored)->collective;
      if (std::find(collectives.begin(), collectives.end(), its) != collectives.end()) continue;
      throw Error(Fault::usage, "--algorithm " + name + " is a schedule for " + std::string(railgauge::name(its)) +
                                    ", which is not among what is to be measured");
    }
    std::string known;
    bool found = false;
    for (const Algorithm& algorithm : catalog()) {
      if (std::find(collectives.begin(), collectives.end(), algorithm.collective) == collectives.end()) continue;
      found = found || algorithm.name == name;
      known += (known.empty() ? "" : ", ") + std::string(algorithm.name);
    }
    if (!found) unknown("algorithm", name, known + ", native, auto or all");
  }
}

template <class Value, class Find, class Rows>
std::vector<Value> look_up(std::string_view kind, const std::vector<std::string>& names, Find find, const Rows& rows) {
  std::vector<Value> values;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const auto& row : rows) values.push_back(*find(row.name));
    } else if (const auto found = find(name)) {
      values.push_back(*found);
    } else {
      unknown(kind, name, names_of(rows) + " or all");
    }
  }
  return values;
}

void check_sizes(const std::vector<std::uint64_t>& sizes, const std::vector<Type>& types) {
  for (const std::uint64_t size : sizes)
    if (size > largest_size)
      throw Error(Fault::usage, "--bytes " + std::to_string(size) + " is more than any rank can hold: choose at most " +
                                    format_bytes(largest_size));
  for (const Type type : types)
    for (const std::uint64_t size : sizes)
      if (size % bytes_of(type) != 0)
        throw Error(Fault::usage, "--bytes " + std::to_string(size) + " is no whole number of " + std::string(name(type)) +
                                      " elements of " + std::to_string(bytes_of(type)) + " bytes");
}

// What works in place alone is measured so, whatever is asked for.
std::vector<bool> placements(Buffering buffering, bool in_place, bool out_of_place) {
  if (!out_of_place) return {true};
  if (buffering == Buffering::out_of_place) return {false};
  if (buffering == Buffering::in_place) return in_place ? std::vector{true} : std::vector<bool>{};
  return in_place ? std::vector{false, true} : std::vector{false};
}

const Algorithm& first_of(Collective collective) {
  return *std::find_if(catalog().begin(), catalog().end(),
                       [&](const Algorithm& algorithm) { return algorithm.collective == collective; });
}

}  // namespace

std::vector<std::uint64_t> parse_sizes(const std::vector<std::string>& items, double factor) {
  if (!(factor > 1) || !std::isfinite(factor)) throw Error(Fault::usage, "--factor must be a number above 1");
  std::vector<std::uint64_t> sizes;
  const auto add = [&](std::uint64_t size) {
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
    if (sizes.size() > most_sizes) throw Error(Fault::usage, "--bytes gives more than 10000 sizes");
  };
  for (const std::string& item : items) {
    const std::size_t colon = item.find(':');
    if (colon == std::string::npos) {
      add(parse_bytes(item));
      continue;
    }
    const std::uint64_t begin = parse_bytes(std::string_view(item).substr(0, colon));
    const std::uint64_t end = parse_bytes(std::string_view(item).substr(colon + 1));
    if (begin > end) throw Error(Fault::usage, "--bytes " + item + " starts above its end");
    if (begin == 0 && end != 0)
      throw Error(Fault::usage, "--bytes " + item + " cannot grow from 0 by a factor: list 0 by itself");
    add(begin);
    if (begin == end) continue;
    // Powers of the factor are computed from the start, so that rounding does not add up.
    for (std::size_t step = 1;; ++step) {
      const double next = static_cast<double>(begin) * std::pow(factor, static_cast<double>(step));
      if (next >= beyond_64_bits) break;
      const auto size = static_cast<std::uint64_t>(next);
      if (size > end) break;
      if (step > most_sizes) throw Error(Fault::usage, "--bytes " + item + " takes more than 10000 steps of --factor");
      if (size > begin) add(size);
    }
  }
  return sizes;
}

std::vector<std::string> folder_notes(const SweepOptions& options, int ranks) {
  std::vector<std::string> lines;
  for (const RefusedFile& file : options.refused) lines.push_back(printable(file.path + ": refused: " + file.reason));
  // Operations of a transport are no collectives, and no file has them.
  std::vector<Collective> wanted;
  for (const std::string& asked : options.collectives)
    if (asked == "all" || find_collective(asked)) {
      const std::vector<Collective> its = chosen_collectives({asked});
      wanted.insert(wanted.end(), its.begin(), its.end());
    }
  for (const Algorithm* row : options.stored)
    if (const std::string why = why_left_out(*row, wanted, {ranks, 0, options.root}); !why.empty())
      lines.push_back(printable(std::string(row->name) + ": left out: " + why));
    else if (of_folder(*row) && placements(options.buffering, row->in_place, row->out_of_place()).empty())
      lines.push_back(printable(std::string(row->name) + ": left out: it does not work in place"));
  return lines;
}

std::vector<Point> make_points(const SweepOptions& options, int ranks, int ranks_per_node, const Choose& choose,
                               const CollectiveTable* library) {
  const std::vector<Collective> wanted = chosen_collectives(options.collectives);
  check_algorithm_names(options, wanted);
  if (library == nullptr && options.algorithms == std::vector<std::string>{"native"})
    throw Error(Fault::usage, "--algorithm native: the transport has no collectives of its own (nccl has)");
  const auto wanted_types = look_up<Type>("type", options.types, find_type, types());
  const auto wanted_ops = look_up<Op>("op", options.ops, find_op, ops());
  std::vector<std::uint64_t> sizes = parse_sizes(options.bytes, options.factor);
  check_sizes(sizes, wanted_types);
  if (options.root < 0 || options.root >= ranks)
    throw Error(Fault::usage, "--root " + std::to_string(options.root) + " is no rank: there are " + std::to_string(ranks));
  if (options.window == 0 || options.window > 4096) throw Error(Fault::usage, "--window must be between 1 and 4096");
  if (options.lanes == 0 || options.lanes > 64) throw Error(Fault::usage, "--lanes must be between 1 and 64");

  if (!options.counts.empty() && wanted != std::vector{Collective::all_to_all_v})
    throw Error(Fault::usage, "--counts is of all_to_all_v: leave the other collectives out");
  const std::uint64_t counted = options.counts.empty() ? 0 : elements_of(options.counts, ranks);
  const auto sizes_for = [&](Type type, bool moves_data) {
    if (!options.counts.empty()) return std::vector{counted * bytes_of(type)};
    return moves_data ? sizes : std::vector<std::uint64_t>{0};
  };

  std::vector<Point> points;
  const auto add = [&](Collective collective, const Choice& choice, Type type, Op op, std::uint64_t size, bool in_place) {
    Point point;
    point.bytes = size;
    Shape shape{ranks, 0, options.root, ranks_per_node};
    shape.window = options.window;
    shape.seed = options.seed;
    point.spec.algorithm = choice.algorithm != nullptr ? choice.algorithm
                                                       : narrow_enough(choose(collective, shape, size, bytes_of(type), in_place),
                                                                       shape, in_place, options.most_operands);
    if (point.spec.algorithm == nullptr) point.spec.algorithm = &first_of(collective);
    const Algorithm& algorithm = *point.spec.algorithm;
    point.spec.type = type;
    point.spec.op = op;
    point.spec.shape = shape;
    point.spec.lanes = is_native(algorithm) ? 1 : options.lanes;
    point.spec.in_place = in_place;
    const std::uint64_t asked = size / bytes_of(type);
    point.spec.elements = used_elements(collective, ranks, asked);
    point.refusal = algorithm.why_not(shape);
    if (!options.counts.empty()) {
      point.spec.counts = options.counts;
      point.spec.elements = size / bytes_of(type);
      if (is_native(algorithm)) point.refusal = "the transport's own collective takes no counts from railgauge";
    }
    if (!point.refusal.empty() && choice.by_name)
      throw Error(Fault::usage, std::string(name(collective)) + " by " + std::string(algorithm.name) + ": " + point.refusal);
    if (is_native(algorithm) && point.refusal.empty())
      point.refusal =
          library == nullptr ? "the transport has no collectives of its own" : library->refusal(native_call(point.spec));
    if (point.refusal.empty() && asked != 0 && point.spec.elements == 0 && collective != Collective::barrier)
      point.refusal = "fewer elements than it has blocks to fill";
    if (point.refusal.empty() && of_folder(algorithm) && !algorithm.stored->takes(size))
      point.refusal = "its file is for sizes " + size_range(*algorithm.stored);
    if (point.refusal.empty() && algorithm.equal_blocks) {
      const auto blocks = static_cast<std::uint64_t>(algorithm.stored != nullptr ? algorithm.stored->ranks.front().blocks
                                                                                 : static_cast<std::uint32_t>(ranks));
      if (point.spec.elements % blocks != 0 || (algorithm.stored != nullptr && asked % blocks != 0))
        point.refusal = "its blocks must be equal: choose a multiple of " + std::to_string(blocks) + " elements";
    }
    if (point.refusal.empty()) point.refusal = too_wide(algorithm, shape, options.most_operands);
    // What "auto" takes may have been asked for by name, too.
    const bool known = (options.algorithms.size() > 1 || !options.stored.empty()) &&
                       std::any_of(points.begin(), points.end(), [&](const Point& other) {
                         return other.spec.algorithm == &algorithm && other.spec.type == type && other.spec.op == op &&
                                other.bytes == size && other.spec.in_place == in_place;
                       });
    if (!known) points.push_back(std::move(point));
  };
  for (const Collective collective : wanted) {
    const std::vector<Op> its_ops = row(collective).reduces ? wanted_ops : std::vector{Op::none};
    const bool moves_data = collective != Collective::barrier;
    for (const Choice& choice : chosen_algorithms(collective, {ranks, 0, options.root, ranks_per_node}, options, library))
      for (const Type type : moves_data ? wanted_types : std::vector{Type::uint8})
        for (const Op op : its_ops)
          for (const bool in_place :
               placements(options.buffering, choice.algorithm != nullptr ? choice.algorithm->in_place : row(collective).in_place,
                          choice.algorithm == nullptr || choice.algorithm->out_of_place()))
            for (const std::uint64_t size : sizes_for(type, moves_data)) add(collective, choice, type, op, size, in_place);
  }
  if (points.empty()) throw Error(Fault::usage, "none of the chosen algorithms works in place: leave --in-place out");
  return points;
}

}  // namespace railgauge
