// The words that every room shares: element types, reduction operations and collectives, with their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace railgauge {

enum class Type : std::uint8_t {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  float8_e4m3,
  float8_e5m2,
};
enum class Op : std::uint8_t { none, sum, prod, min, max, avg, premulsum };
enum class Collective : std::uint8_t {
  all_reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  reduce,
  gather,
  scatter,
  all_to_all,
  all_to_all_v,
  send_receive,
  hypercube,
  barrier,
  ping_pong,
  stream,
  bidirectional,
  incast,
  outcast,
  permutation,
  bisection,
  pairs,
};

struct TypeRow {
  Type type;
  std::string_view name;
  std::size_t bytes;
  std::string_view summary;
};
struct OpRow {
  Op op;
  std::string_view name;
  std::string_view summary;
};
struct CollectiveRow {
  Collective collective;
  std::string_view name;
  bool reduces;   // takes an Op
  bool rooted;    // takes a root
  bool in_place;  // input and output can be one buffer, in the sense of nccl-tests
  std::string_view summary;
};

// One row for each enumerator, in the order of the enumeration (Op::none has no row). Static storage.
[[nodiscard]] std::span<const TypeRow> types() noexcept;
[[nodiscard]] std::span<const OpRow> ops() noexcept;
[[nodiscard]] std::span<const CollectiveRow> collectives() noexcept;

[[nodiscard]] std::string_view name(Type) noexcept;
[[nodiscard]] std::string_view name(Op) noexcept;  // "none" for Op::none
[[nodiscard]] std::string_view name(Collective) noexcept;
[[nodiscard]] std::size_t bytes_of(Type) noexcept;
[[nodiscard]] const CollectiveRow& row(Collective) noexcept;

// Each returns nothing for an unknown name.
[[nodiscard]] std::optional<Type> find_type(std::string_view) noexcept;
[[nodiscard]] std::optional<Op> find_op(std::string_view) noexcept;
[[nodiscard]] std::optional<Collective> find_collective(std::string_view) noexcept;

}  // namespace railgauge
