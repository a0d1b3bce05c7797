// The loops over memory of every kernel: k sources are read once, combined in registers, and written once to m targets. Compiled
// once for each instruction set; choose<type>(op) is what the files of the types export.
#include "bench/device/host/targets.hpp"
//
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bench/device/element.hpp"
#include "bench/device/host/kernel.hpp"
#if HWY_TARGET != HWY_SCALAR
#include "bench/device/host/lanes-inl.hpp"
#endif

#if defined(RAILGAUGE_HOST_LOOPS) == defined(HWY_TARGET_TOGGLE)
#ifdef RAILGAUGE_HOST_LOOPS
#undef RAILGAUGE_HOST_LOOPS
#else
#define RAILGAUGE_HOST_LOOPS
#endif

HWY_BEFORE_NAMESPACE();
namespace railgauge::host::HWY_NAMESPACE {

using Sources = std::span<const ConstBytes>;
using Targets = std::span<const Bytes>;

#if HWY_TARGET == HWY_SCALAR

// Without vectors: element by element, as the definition says.
template <Type type, Op op>
void reduce(Sources sources, Targets targets, const Scale& scale, bool) {
  using Element = element::Element<type>;
  using Stored = typename Element::Stored;
  using Number = typename Element::Number;
  for (std::size_t at = 0; at < targets[0].size(); at += sizeof(Stored)) {
    Number sum{};
    for (std::size_t i = 0; i < sources.size(); ++i) {
      Stored stored;
      std::memcpy(&stored, sources[i].data() + at, sizeof stored);
      Number number = Element::number(stored);
      if (!scale.factors.empty()) number = element::multiply(number, element::factor<Number>(scale.factors[i]));
      sum = i == 0 ? number : element::combine(op, sum, number);
    }
    const Stored stored = Element::stored(element::divide(sum, scale.divisor));
    for (const Bytes& target : targets) std::memcpy(target.data() + at, &stored, sizeof stored);
  }
}

#else

inline constexpr std::size_t word_bytes = hn::MaxLanes(ByteTag());

HWY_INLINE Word load(const std::byte* from) { return hn::LoadU(ByteTag(), reinterpret_cast<const std::uint8_t*>(from)); }

template <bool stream>
HWY_INLINE void store(Word word, std::byte* to) {
  if constexpr (stream) {
    hn::Stream(word, ByteTag(), reinterpret_cast<std::uint8_t*>(to));
  } else {
    hn::StoreU(word, ByteTag(), reinterpret_cast<std::uint8_t*>(to));
  }
}

template <Op op, class Lane>
HWY_INLINE void add(typename Lane::Value& sum, const typename Lane::Value& value) {
  for (int p = 0; p < Lane::parts; ++p) sum.part[p] = combine<op>(typename Lane::Tag(), sum.part[p], value.part[p]);
}

template <class Lane>
HWY_INLINE void scale_by(typename Lane::Value& value, double factor) {
  const typename Lane::Tag d;
  const auto factors = hn::Set(d, element::factor<typename Lane::Number>(factor));
  for (int p = 0; p < Lane::parts; ++p) value.part[p] = multiply(d, value.part[p], factors);
}

template <class Lane>
HWY_INLINE void divide_by(typename Lane::Value& value, std::uint32_t divisor) {
  if (divisor <= 1) return;
  for (int p = 0; p < Lane::parts; ++p) value.part[p] = divide(typename Lane::Tag(), value.part[p], divisor);
}

// The first `bytes` of a Word, fewer than all, without touching what lies behind them. Masks spare small messages a copy in
// memory.
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE Word load_part(const std::byte* from, std::size_t bytes) {
  return hn::MaskedLoad(hn::FirstN(ByteTag(), bytes), ByteTag(), reinterpret_cast<const std::uint8_t*>(from));
}
HWY_INLINE void store_part(Word word, std::byte* to, std::size_t bytes) {
  hn::BlendedStore(word, hn::FirstN(ByteTag(), bytes), ByteTag(), reinterpret_cast<std::uint8_t*>(to));
}
#else
// Up to 8 bytes.
HWY_INLINE std::uint64_t load_few(const std::byte* from, std::size_t bytes) {
  if (bytes >= 4) {
    std::uint32_t first = 0, last = 0;  // they may overlap
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + bytes - sizeof last, sizeof last);
    return first | static_cast<std::uint64_t>(last) << 8 * (bytes - sizeof last);
  }
  std::uint64_t few = 0;
  for (std::size_t i = 0; i < bytes; ++i) few |= static_cast<std::uint64_t>(from[i]) << 8 * i;
  return few;
}
#if HWY_MAX_BYTES == 16 || HWY_MAX_BYTES == 32
// Up to 16 bytes.
HWY_INLINE auto load_half(const std::byte* from, std::size_t bytes) {
  const hn::FixedTag<std::uint64_t, 2> two;
  const std::size_t first = std::min<std::size_t>(bytes, 8);
  return hn::InterleaveLower(two, hn::Set(two, load_few(from, first)), hn::Set(two, load_few(from + first, bytes - first)));
}
#endif
// Put together in registers: a vector that is read from where its pieces have just been written waits for all stores before it to
// reach the cache, also for one that another core fights for.
HWY_INLINE Word load_part(const std::byte* from, std::size_t bytes) {
#if HWY_MAX_BYTES == 16
  return hn::BitCast(ByteTag(), load_half(from, bytes));
#elif HWY_MAX_BYTES == 32
  const std::size_t low = std::min<std::size_t>(bytes, 16);
  return hn::BitCast(ByteTag(),
                     hn::Combine(hn::ScalableTag<std::uint64_t>(), load_half(from + low, bytes - low), load_half(from, low)));
#else
  HWY_ALIGN std::byte part[word_bytes] = {};
  std::memcpy(part, from, bytes);
  return load(part);
#endif
}
HWY_INLINE void store_part(Word word, std::byte* to, std::size_t bytes) {
  HWY_ALIGN std::byte part[word_bytes];
  store<false>(word, part);
  std::memcpy(to, part, bytes);
}
#endif

// Fewer bytes than a Word, at `at`.
template <Op op, class Lane>
HWY_NOINLINE void reduce_part(Sources sources, Targets targets, const Scale& scale, std::size_t at, std::size_t bytes) {
  if (bytes == 0) return;
  typename Lane::Value sum = Lane::unpack(load_part(sources[0].data() + at, bytes));
  if (!scale.factors.empty()) scale_by<Lane>(sum, scale.factors[0]);
  for (std::size_t i = 1; i < sources.size(); ++i) {
    typename Lane::Value value = Lane::unpack(load_part(sources[i].data() + at, bytes));
    if (!scale.factors.empty()) scale_by<Lane>(value, scale.factors[i]);
    add<op, Lane>(sum, value);
  }
  divide_by<Lane>(sum, scale.divisor);
  const Word word = Lane::pack(sum);
  for (const Bytes& target : targets) store_part(word, target.data() + at, bytes);
}

// Two sources, unscaled, into one or two targets, whole Words in [at, end): what rings and trees do all the time.
template <Op op, class Lane, bool two_targets, bool stream>
HWY_NOINLINE void reduce_two(Sources sources, Targets targets, std::size_t at, std::size_t end) {
  constexpr std::size_t words = 4 / Lane::parts;
  const std::byte* a = sources[0].data();
  const std::byte* b = sources[1].data();
  std::byte* first = targets[0].data();
  std::byte* second = two_targets ? targets[1].data() : nullptr;
  for (; at + words * word_bytes <= end; at += words * word_bytes) {
    typename Lane::Value sum[words];
    for (std::size_t w = 0; w < words; ++w) {
      sum[w] = Lane::unpack(load(a + at + w * word_bytes));
      add<op, Lane>(sum[w], Lane::unpack(load(b + at + w * word_bytes)));
    }
    for (std::size_t w = 0; w < words; ++w) {
      const Word word = Lane::pack(sum[w]);
      store<stream>(word, first + at + w * word_bytes);
      if constexpr (two_targets) store<stream>(word, second + at + w * word_bytes);
    }
  }
  for (; at < end; at += word_bytes) {
    typename Lane::Value sum = Lane::unpack(load(a + at));
    add<op, Lane>(sum, Lane::unpack(load(b + at)));
    const Word word = Lane::pack(sum);
    store<stream>(word, first + at);
    if constexpr (two_targets) store<stream>(word, second + at);
  }
}

// Any number of sources and targets, `words` Words at a time.
template <Op op, class Lane, bool scaled, bool stream, std::size_t words>
HWY_INLINE std::size_t reduce_words(Sources sources, Targets targets, const Scale& scale, std::size_t at, std::size_t end) {
  const bool multiplied = scaled && !scale.factors.empty();
  for (; at + words * word_bytes <= end; at += words * word_bytes) {
    typename Lane::Value sum[words];
    for (std::size_t w = 0; w < words; ++w) {
      sum[w] = Lane::unpack(load(sources[0].data() + at + w * word_bytes));
      if (multiplied) scale_by<Lane>(sum[w], scale.factors[0]);
    }
    for (std::size_t i = 1; i < sources.size(); ++i) {
      const std::byte* source = sources[i].data() + at;
      for (std::size_t w = 0; w < words; ++w) {
        typename Lane::Value value = Lane::unpack(load(source + w * word_bytes));
        if (multiplied) scale_by<Lane>(value, scale.factors[i]);
        add<op, Lane>(sum[w], value);
      }
    }
    Word result[words];
    for (std::size_t w = 0; w < words; ++w) {
      if constexpr (scaled) divide_by<Lane>(sum[w], scale.divisor);
      result[w] = Lane::pack(sum[w]);
    }
    for (const Bytes& target : targets) {
      for (std::size_t w = 0; w < words; ++w) store<stream>(result[w], target.data() + at + w * word_bytes);
    }
  }
  return at;
}

template <Op op, class Lane, bool scaled, bool stream>
HWY_NOINLINE void reduce_many(Sources sources, Targets targets, const Scale& scale, std::size_t at, std::size_t end) {
  constexpr std::size_t words = 4 / Lane::parts;
  at = reduce_words<op, Lane, scaled, stream, words>(sources, targets, scale, at, end);
  if constexpr (words > 1) reduce_words<op, Lane, scaled, stream, 1>(sources, targets, scale, at, end);
}

template <Op op, class Lane, bool stream>
HWY_INLINE void reduce_whole(Sources sources, Targets targets, const Scale& scale, std::size_t at, std::size_t end) {
  if (!scale.factors.empty() || scale.divisor > 1) return reduce_many<op, Lane, true, stream>(sources, targets, scale, at, end);
  if (sources.size() == 2 && targets.size() == 1) return reduce_two<op, Lane, false, stream>(sources, targets, at, end);
  if (sources.size() == 2 && targets.size() == 2) return reduce_two<op, Lane, true, stream>(sources, targets, at, end);
  constexpr bool asks = Lane::parts > 1;  // conversions outweigh the question whether to scale; a loop less to compile
  reduce_many<op, Lane, asks, stream>(sources, targets, scale, at, end);
}

// Bytes before the first multiple of a Word in all targets; nothing streams when they differ or when elements straddle it.
template <std::size_t element_bytes>
bool can_stream(Targets targets, std::size_t& head) {
  const auto before = [](const Bytes& target) { return (0 - reinterpret_cast<std::uintptr_t>(target.data())) % word_bytes; };
  head = before(targets[0]);
  for (const Bytes& target : targets) {
    if (before(target) != head) return false;
  }
  return head % element_bytes == 0;
}

template <Type type, Op op>
void reduce(Sources sources, Targets targets, const Scale& scale, bool stream) {
  using Lane = typename LaneOf<type>::VectorLane;
  const std::size_t bytes = targets[0].size();
  std::size_t at = 0;
  if (stream) stream = can_stream<sizeof(typename element::Element<type>::Stored)>(targets, at);
  if (!stream) at = 0;
  at = std::min(at, bytes);
  reduce_part<op, Lane>(sources, targets, scale, 0, at);
  const std::size_t end = bytes - (bytes - at) % word_bytes;
  if (at < end) {
    if (stream) {
      reduce_whole<op, Lane, true>(sources, targets, scale, at, end);
    } else {
      reduce_whole<op, Lane, false>(sources, targets, scale, at, end);
    }
  }
  reduce_part<op, Lane>(sources, targets, scale, end, bytes - end);
}

#endif

template <Type type>
Kernel choose(Op op) {
  switch (op) {
    case Op::none:
    case Op::sum:
    case Op::avg:
    case Op::premulsum:
      return &reduce<type, Op::sum>;
    case Op::prod:
      return &reduce<type, Op::prod>;
    case Op::min:
      return &reduce<type, Op::min>;
    case Op::max:
      return &reduce<type, Op::max>;
  }
  return nullptr;
}

}  // namespace railgauge::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
