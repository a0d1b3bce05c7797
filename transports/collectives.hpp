// Collectives that a transport's library implements itself, beside the schedules that run over its transfers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/words.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// The parameters of one collective, the same on all ranks.
struct CollectiveCall {
  Collective collective = Collective::all_reduce;
  Type type = Type::float32;
  Op op = Op::none;
  int ranks = 1;
  int root = 0;
  std::uint64_t elements = 0;  // S of docs/bandwidth.md, in elements
};

// The library's choice, in its own words: empty and 0 where the library does not report it.
struct CollectiveChoice {
  std::string algorithm, protocol;
  int channels = 0;
  double predicted = 0;  // seconds that it expected an operation to take
};

// A collective that can be run, and that reports the library's choice.
class CollectiveRunnable : public Runnable {
 public:
  // Begins one more operation, on all ranks, and records the library's choice, which may slow the operation. choice() is valid
  // once test() returns true.
  virtual void ask() = 0;
  [[nodiscard]] virtual CollectiveChoice choice() = 0;
};

// The collectives in a transport's table.
struct CollectiveTable {
  std::span<const Collective> collectives;
  // The reason why the library cannot run this call, as a sentence fragment; empty where it can. Calls no driver.
  std::string (*refusal)(const CollectiveCall& call) = nullptr;
  // The same for this rank's device, after connect(): ranks may differ. Null where no device refuses.
  std::string (*refusal_here)(Endpoint& endpoint, const CollectiveCall& call) = nullptr;
  // `endpoint` is one of this transport and outlives the answer. `input` and `output` lie in an attached region, with the blocks
  // in the order of the ranks (null where this rank has no such buffer). premulsum multiplies this rank's input by `factor`.
  // start() works in the stream of the endpoint's first lane; test() is as Exchange::test(). Throws Error(usage).
  std::unique_ptr<CollectiveRunnable> (*make)(Endpoint& endpoint, const CollectiveCall& call, std::byte* input, std::byte* output,
                                              double factor) = nullptr;
};

}  // namespace railgauge
