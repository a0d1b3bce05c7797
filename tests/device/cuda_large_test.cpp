// Arrays of more than 4 GiB, where an offset of 32 bits would begin again: every type and op on the GPU against the plain
// reduction, bit for bit. Skipped, with the reason, where there is no GPU or too little memory on it.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "bench/device/cuda/device.hpp"
#include "tests/device/buffers.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

constexpr std::size_t large = (std::size_t{4} << 30) + 12;  // for elements of 8 bytes 4 bytes less
// Sources repeat what the host makes, and so does their reduction. 8 times a prime: what is 4 GiB away is always something else.
constexpr std::size_t period = std::size_t{8} * 1'000'003;
constexpr std::size_t behind = 64;  // bytes behind an array that must stay as they are
constexpr std::byte untouched{0xa5};

// Two sources and a target of one size, and a window to them in memory of the host.
class LargeArrays {
 public:
  LargeArrays()
      : device_(cuda::open_device(0, MemoryKind::cuda)), here_(period), mover_(device_->compute(Type::uint8, Op::none)) {
    pinned_.emplace_back(device_->pin({.address = here_.data(), .bytes = here_.size()}));
    for (int i = 0; i < 3; ++i) memory_.push_back(device_->allocate(large + behind, Sharing::own));
  }

  [[nodiscard]] Device& device() { return *device_; }
  [[nodiscard]] Bytes array(std::size_t number, std::size_t bytes) const { return {memory_[number].region().address, bytes}; }

  // Fills all of an array, and what lies behind it, by repeating these bytes: the GPU doubles what it has.
  void repeat(ConstBytes one, std::size_t number) {
    const Bytes all = array(number, large + behind);
    copy(one, all.first(one.size()));
    for (std::size_t done = one.size(); done < all.size();) {
      const std::size_t next = std::min(done, all.size() - done);
      copy(all.first(next), all.subspan(done, next));
      done += next;
    }
  }
  // What is there now, valid until the next call. At most a period.
  [[nodiscard]] ConstBytes look(ConstBytes there) {
    const Bytes here(here_.data(), there.size());
    copy(there, here);
    return here;
  }

 private:
  void copy(ConstBytes from, Bytes to) {
    mover_->copy(from, to);
    fence(*mover_);
  }

  std::unique_ptr<Device> device_;
  std::vector<std::byte> here_;
  std::unique_ptr<Compute> mover_;
  std::vector<Memory> pinned_, memory_;
};

// The first byte of the target that is not what the sources of one period give, or `bytes`. The host's NaNs may have other bits,
// so that later periods are compared with the first one of the GPU, which is quick.
std::size_t first_wrong(LargeArrays& arrays, Type type, std::size_t bytes, ConstBytes expected) {
  const ConstBytes target = arrays.array(2, bytes);
  const ConstBytes first = arrays.look(target.first(period));
  if (const std::size_t at = test::first_difference(type, first, expected); at != period) return at;
  const std::vector<std::byte> right(first.begin(), first.end());
  for (std::size_t at = period; at < bytes; at += period) {
    const ConstBytes got = arrays.look(target.subspan(at, std::min(period, bytes - at)));
    if (std::memcmp(got.data(), right.data(), got.size()) == 0) continue;
    const std::size_t wrong = test::first_difference(type, got, ConstBytes(right).first(got.size()));
    if (wrong != got.size()) return at + wrong;
  }
  return bytes;
}

void check_type(LargeArrays& arrays, Type type, std::mt19937_64& random) {
  const std::size_t bytes = large / bytes_of(type) * bytes_of(type);
  std::array<std::vector<std::byte>, 2> one{std::vector<std::byte>(period), std::vector<std::byte>(period)};
  for (std::size_t i = 0; i < one.size(); ++i) {
    test::fill_randomly(type, one[i], random);
    arrays.repeat(one[i], i);
  }
  const std::vector<std::byte> poison(period, untouched);
  const std::array<ConstBytes, 2> sources{arrays.array(0, bytes), arrays.array(1, bytes)}, here{one[0], one[1]};
  const std::array<Bytes, 1> targets{arrays.array(2, bytes)};
  for (const Op op : test::all_ops) {
    INFO(name(type) << " " << name(op) << " of " << bytes << " bytes");
    const Scale scale = test::scale_of(op, sources.size(), bytes / bytes_of(type));
    arrays.repeat(poison, 2);
    const auto compute = arrays.device().compute(type, op);
    compute->reduce(sources, targets, scale);
    fence(*compute);
    CHECK(first_wrong(arrays, type, bytes, test::reduce_plainly(type, op, here, scale)) == bytes);
    const ConstBytes rest = arrays.look(ConstBytes(arrays.array(2, large + behind)).subspan(bytes));
    CHECK(std::ranges::all_of(rest, [](std::byte each) { return each == untouched; }));
  }
}

std::unique_ptr<LargeArrays> large_arrays() {
  if (const std::string reason = cuda::missing_devices(); !reason.empty()) test::skip("no GPU: " + reason);
  try {
    return std::make_unique<LargeArrays>();
  } catch (const Error& error) { test::skip("three arrays of " + format_bytes(large) + " have no room: " + error.what()); }
}

}  // namespace

TEST_CASE("GPU: arrays of 4 GiB and 12 bytes are reduced as the definition says", "[large]") {
  const std::unique_ptr<LargeArrays> arrays = large_arrays();
  constexpr std::uint64_t seed = 5;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (const Type type : {Type::int8, Type::uint8, Type::int32, Type::uint32, Type::int64, Type::uint64, Type::float16,
                          Type::bfloat16, Type::float32, Type::float64, Type::float8_e4m3, Type::float8_e5m2})
    check_type(*arrays, type, random);
}

}  // namespace railgauge
