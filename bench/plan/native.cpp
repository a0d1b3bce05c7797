// Buffers from the layout, and the end of a call in a stream.
#include "bench/plan/native.hpp"

#include <utility>

#include "bench/plan/graph_plan.hpp"

namespace railgauge {
namespace {

class InStream final : public CollectiveRunnable, public Recordable {
 public:
  InStream(std::unique_ptr<CollectiveRunnable> call, Compute& compute) : call_(std::move(call)), compute_(compute) {}
  void start() override {
    put_all();
    end_ = compute_.mark();
  }
  bool test() override {
    if (compute_.reached(end_)) return true;
    call_->test();  // may know why it never will be
    return false;
  }
  void put_all() override { call_->start(); }
  bool begin() override {
    put_all();
    return true;
  }
  void look() override { call_->test(); }
  void ask() override {
    call_->ask();
    end_ = compute_.mark();
  }
  [[nodiscard]] CollectiveChoice choice() override { return call_->choice(); }

 private:
  std::unique_ptr<CollectiveRunnable> call_;
  Compute& compute_;
  std::uint64_t end_ = 0;
};

}  // namespace

CollectiveCall native_call(const CollectiveSpec& spec) {
  return {.collective = spec.algorithm->collective,
          .type = spec.type,
          .op = spec.op,
          .ranks = spec.shape.ranks,
          .root = spec.shape.root,
          .elements = spec.elements};
}

std::unique_ptr<CollectiveRunnable> make_native_plan(RankParts& parts, Endpoint& endpoint, const CollectiveTable& library,
                                                     Compute& compute, std::byte* memory, bool stream_ordered) {
  const CollectiveSpec& spec = parts.spec();
  const Layout& layout = parts.mine().layout;
  const std::size_t unit = bytes_of(spec.type);
  const auto place = [&](bool there, const Range& range) { return there ? memory + range.begin * unit : nullptr; };
  auto call = library.make(endpoint, native_call(spec), place(layout.sizes().has_input, layout.input()),
                           place(layout.sizes().has_output, layout.output()), premulsum_factor(spec.shape.rank));
  if (!stream_ordered) return call;
  return std::make_unique<InStream>(std::move(call), compute);
}

}  // namespace railgauge
