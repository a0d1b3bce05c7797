// The loops over elements for each instruction set: the baseline of x86 has no products of 32 bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/measure/pattern_block.cpp"
#include "bench/device/host/targets.hpp"
//
#include <hwy/foreach_target.h>
//
#include "bench/measure/pattern_block-inl.hpp"
#include "bench/measure/pattern_block.hpp"

HWY_BEFORE_NAMESPACE();
namespace railgauge::pattern::HWY_NAMESPACE {

template <Type type>
void make_of_type(const BlockOrder& order, std::byte* target) {
  if (order.source.kind == Source::Kind::bits) {
    constexpr std::size_t bytes = block_elements * sizeof(Stored<type>);
    const Words<Word<type>, bytes / sizeof(Word<type>)> words(
        stream_key(order.seed, bits_stream + order.source.number, order.number));
    std::memcpy(target, words.word, bytes);
    return;
  }
  const auto* const share = static_cast<const Word<type>*>(order.share);
  const Block<type> block{
      reinterpret_cast<Stored<type>*>(target), order.seed, order.number, order.op, order.ranks, order.source.number, share,
      static_cast<Word<type>>(order.forced)};
  if (share != nullptr)
    block.template make<false>();
  else
    block.template make<true>();
}

void make(const BlockOrder& order, std::byte* target) {
  element::with_type(order.type, [&]<Type type>() { make_of_type<type>(order, target); });
}

}  // namespace railgauge::pattern::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace railgauge::pattern {
HWY_EXPORT(make);
void make_block(const BlockOrder& order, std::byte* target) { HWY_DYNAMIC_DISPATCH(make)(order, target); }
}  // namespace railgauge::pattern
#endif
