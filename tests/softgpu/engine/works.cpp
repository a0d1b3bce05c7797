// A slice of each kind of work.
#include "tests/softgpu/engine/works.hpp"

#include <cuda.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace softgpu {
namespace {

constexpr std::size_t most_of_a_slice = std::size_t{1} << 20;
constexpr unsigned turns_of_a_slice = 8;

std::uint64_t look(const std::byte* address, unsigned bytes) {
  if (bytes == sizeof(std::uint32_t))
    return std::atomic_ref(*const_cast<std::uint32_t*>(reinterpret_cast<const std::uint32_t*>(address))).load();
  return std::atomic_ref(*const_cast<std::uint64_t*>(reinterpret_cast<const std::uint64_t*>(address))).load();
}

// Whether memory that was known when the work was put in is still there.
bool is_mapped(const Memory& memory, const std::byte* address, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const Allocation* const found = memory.find(at);
  return found != nullptr && memory.is_there(at) && at - found->base + bytes <= found->bytes;
}
void expect_mapped(const Memory& memory, const std::byte* address, std::size_t bytes, const char* what) {
  if (!is_mapped(memory, address, bytes))
    throw Failure{cudaErrorIllegalAddress, std::string(what) + ": its memory was unmapped or freed while it was in flight"};
}

}  // namespace

Turn CopyWork::advance(Actor& actor, Draw& draw) {
  if (!std::exchange(begun_, true)) backward_ = draw.one_in(2);
  const std::size_t left = ends_.bytes - copied_;
  const std::size_t slice = std::min(left, std::size_t{1} << (12 + draw.below(9)));
  static_assert(std::size_t{1} << (12 + 8) == most_of_a_slice);
  const std::size_t at = backward_ ? left - slice : copied_;
  const std::byte* const from = ends_.from + at;
  std::byte* const to = ends_.to + at;
  if (slice != 0) {
    if (ends_.from_known) expect_mapped(memory_, from, slice, "a copy");
    if (ends_.to_known) expect_mapped(memory_, to, slice, "a copy");
    memory_.copy(actor, from, to, slice);
    std::memmove(to, from, slice);
  }
  copied_ += slice;
  return copied_ == ends_.bytes ? Turn::over : Turn::advanced;
}

Turn FillWork::advance(Actor& actor, Draw&) {
  const std::size_t slice = std::min(bytes_ - filled_, most_of_a_slice);
  if (slice != 0) {
    expect_mapped(memory_, to_ + filled_, slice, "a fill");
    memory_.write(actor, to_ + filled_, slice, Operation::fill);
    std::memset(to_ + filled_, value_, slice);
  }
  filled_ += slice;
  return filled_ == bytes_ ? Turn::over : Turn::advanced;
}

Turn HostWork::advance(Actor&, Draw&) {
  if (!done_) done_ = functions_.run(function_, argument_);
  return done_->load(std::memory_order_acquire) ? Turn::over : Turn::waiting;
}

bool ValueWait::is_met(std::uint64_t seen) const {
  const std::uint64_t mask = bytes_ == sizeof(std::uint32_t) ? 0xffffffffU : ~std::uint64_t{0};
  const std::uint64_t sign = (mask >> 1) + 1;
  switch (flags_ & 3U) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return (((seen - value_) & mask) & sign) == 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return (seen & mask) == (value_ & mask);
    case CU_STREAM_WAIT_VALUE_AND:
      return (seen & value_ & mask) != 0;
    default:
      return (~(seen | value_) & mask) != 0;
  }
}

bool ValueWait::can_begin() { return !is_mapped(memory_, address_, bytes_) || is_met(look(address_, bytes_)); }

Turn ValueWait::advance(Actor& actor, Draw&) {
  expect_mapped(memory_, address_, bytes_, "a value of a stream");
  return is_met(memory_.acquire_load(actor, address_, bytes_)) ? Turn::over : Turn::waiting;
}

Turn ValueWrite::advance(Actor& actor, Draw&) {
  expect_mapped(memory_, address_, bytes_, "a value of a stream");
  memory_.release_store(actor, address_, value_, bytes_);
  return Turn::over;
}

Turn KernelWork::advance(Actor& actor, Draw& draw) {
  if (!grid_) {
    const Launch launch{.kernel = shape_.kernel,
                        .grid = shape_.grid,
                        .block = shape_.block,
                        .dynamic_shared = shape_.dynamic_shared,
                        .parameters = parameters_,
                        .checked = shape_.checked};
    try {
      grid_ = std::make_unique<Grid>(device_, actor, launch, draw.random());
    } catch (const std::invalid_argument& refused) {
      throw Failure{cudaErrorLaunchFailure, std::string(shape_.kernel->name) + ": " + refused.what()};
    }
  }
  for (unsigned turn = 0; turn < turns_of_a_slice; ++turn) {
    if (grid_->advance() == State::running) continue;
    if (grid_->faulted()) throw Failure{cudaErrorIllegalAddress, std::string(shape_.kernel->name) + ": an access faulted"};
    if (const GridCounts& counts = grid_->counts(); shape_.counts)
      std::fprintf(stderr, "counts: %s barriers %u fences %u fetched %llu sent %llu\n", shape_.kernel->name, counts.barriers,
                   counts.fences, static_cast<unsigned long long>(counts.fetched), static_cast<unsigned long long>(counts.sent));
    return Turn::over;
  }
  return grid_->stuck() ? Turn::waiting : Turn::advanced;
}

bool KernelWork::give_up() {
  if (!grid_ || grid_->state() == State::ended) return false;
  grid_->give_up();
  return true;
}

}  // namespace softgpu
