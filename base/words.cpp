// The tables behind base/words.hpp.
#include "base/words.hpp"

#include <array>

namespace railgauge {
namespace {

constexpr std::array type_rows{
    TypeRow{Type::int8, "int8", 1, "8-bit signed integer, wraps around"},
    TypeRow{Type::uint8, "uint8", 1, "8-bit unsigned integer, wraps around"},
    TypeRow{Type::int32, "int32", 4, "32-bit signed integer, wraps around"},
    TypeRow{Type::uint32, "uint32", 4, "32-bit unsigned integer, wraps around"},
    TypeRow{Type::int64, "int64", 8, "64-bit signed integer, wraps around"},
    TypeRow{Type::uint64, "uint64", 8, "64-bit unsigned integer, wraps around"},
    TypeRow{Type::float16, "float16", 2, "IEEE 754 half precision, reduced in float32"},
    TypeRow{Type::bfloat16, "bfloat16", 2, "bfloat16, reduced in float32"},
    TypeRow{Type::float32, "float32", 4, "IEEE 754 single precision"},
    TypeRow{Type::float64, "float64", 8, "IEEE 754 double precision"},
    TypeRow{Type::float8_e4m3, "float8_e4m3", 1, "OCP 8-bit float, 4 exponent bits, reduced in float32"},
    TypeRow{Type::float8_e5m2, "float8_e5m2", 1, "OCP 8-bit float, 5 exponent bits, reduced in float32"},
};

constexpr std::array op_rows{
    OpRow{Op::sum, "sum", "the sum"},
    OpRow{Op::prod, "prod", "the product"},
    OpRow{Op::min, "min", "the smallest"},
    OpRow{Op::max, "max", "the largest"},
    OpRow{Op::avg, "avg", "the sum divided by the number of ranks (integers: truncated)"},
    OpRow{Op::premulsum, "premulsum", "the sum of each rank's input times a factor of its own"},
};

constexpr std::array collective_rows{
    CollectiveRow{Collective::all_reduce, "all_reduce", true, false, true, "every rank ends with the reduction of all inputs"},
    CollectiveRow{Collective::reduce_scatter, "reduce_scatter", true, false, true, "rank r ends with block r of the reduction"},
    CollectiveRow{Collective::all_gather, "all_gather", false, false, true, "every rank ends with the inputs of all ranks"},
    CollectiveRow{Collective::broadcast, "broadcast", false, true, true, "every rank ends with the root's input"},
    CollectiveRow{Collective::reduce, "reduce", true, true, true, "the root ends with the reduction of all inputs"},
    CollectiveRow{Collective::gather, "gather", false, true, true, "the root ends with the inputs of all ranks"},
    CollectiveRow{Collective::scatter, "scatter", false, true, true, "rank r ends with block r of the root's input"},
    CollectiveRow{Collective::all_to_all, "all_to_all", false, false, false, "rank r ends with block r of every rank's input"},
    CollectiveRow{Collective::all_to_all_v, "all_to_all_v", false, false, false, "all_to_all with blocks of different sizes"},
    CollectiveRow{Collective::send_receive, "send_receive", false, false, false,
                  "rank r sends its input to rank r+1 and receives from rank r-1"},
    CollectiveRow{Collective::hypercube, "hypercube", false, false, true,
                  "all_gather by exchanges along the dimensions of a hypercube"},
    CollectiveRow{Collective::barrier, "barrier", false, false, false, "no rank leaves before all have entered"},
    CollectiveRow{Collective::ping_pong, "ping_pong", false, false, false,
                  "rank 0 sends to rank 1, which answers; the time is half the round trip"},
    CollectiveRow{Collective::stream, "stream", false, false, false,
                  "rank 0 sends a window of messages to rank 1; the time is that of one message"},
    CollectiveRow{Collective::bidirectional, "bidirectional", false, false, false,
                  "ranks 0 and 1 send each other a window of messages; the time is that of one message in each direction"},
    CollectiveRow{Collective::incast, "incast", false, true, false, "every other rank sends a message to the root"},
    CollectiveRow{Collective::outcast, "outcast", false, true, false, "the root sends a message of its own to every other rank"},
    CollectiveRow{Collective::permutation, "permutation", false, false, false,
                  "every rank sends to one other and receives from one other, drawn at random from --seed"},
    CollectiveRow{Collective::bisection, "bisection", false, false, false,
                  "every rank of one half exchanges with its counterpart in the other half"},
    CollectiveRow{Collective::pairs, "pairs", false, false, false,
                  "each pair of ranks alone, in rounds of disjoint pairs: a matrix"},
};

template <class Row>
const Row* find_row(std::span<const Row> rows, std::string_view name) noexcept {
  for (const Row& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace

std::span<const TypeRow> types() noexcept { return type_rows; }
std::span<const OpRow> ops() noexcept { return op_rows; }
std::span<const CollectiveRow> collectives() noexcept { return collective_rows; }

std::string_view name(Type type) noexcept { return type_rows[static_cast<std::size_t>(type)].name; }
std::string_view name(Op op) noexcept { return op == Op::none ? "none" : op_rows[static_cast<std::size_t>(op) - 1].name; }
std::string_view name(Collective collective) noexcept { return row(collective).name; }
std::size_t bytes_of(Type type) noexcept { return type_rows[static_cast<std::size_t>(type)].bytes; }
const CollectiveRow& row(Collective collective) noexcept { return collective_rows[static_cast<std::size_t>(collective)]; }

std::optional<Type> find_type(std::string_view text) noexcept {
  const auto* found = find_row(types(), text);
  return found ? std::optional(found->type) : std::nullopt;
}
std::optional<Op> find_op(std::string_view text) noexcept {
  const auto* found = find_row(ops(), text);
  return found ? std::optional(found->op) : std::nullopt;
}
std::optional<Collective> find_collective(std::string_view text) noexcept {
  const auto* found = find_row(collectives(), text);
  return found ? std::optional(found->collective) : std::nullopt;
}

}  // namespace railgauge
