// Collectives that a transport's library has of its own, beside those that our schedules make of its transfers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/words.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// One of them as all ranks agree on it.
struct CollectiveCall {
  Collective collective = Collective::all_reduce;
  Type type = Type::float32;
  Op op = Op::none;
  int ranks = 1;
  int root = 0;
  std::uint64_t elements = 0;  // S of docs/bandwidth.md, in elements
};

// How the library did it, in its own words, as far as it tells: empty and 0 where it does not.
struct CollectiveChoice {
  std::string algorithm, protocol;
  int channels = 0;
  double predicted = 0;  // seconds that it expected an operation to take
};

// One that can be run, and asked how.
class CollectiveRunnable : public Runnable {
 public:
  // Begins one more operation, on all ranks, and looks what the library does about it, which may cost it time. choice() tells
  // when test() has said that it is complete.
  virtual void ask() = 0;
  [[nodiscard]] virtual CollectiveChoice choice() = 0;
};

// What a transport's table offers.
struct CollectiveTable {
  std::span<const Collective> collectives;
  // Why the library cannot do this, as a sentence fragment; empty where it can. Asks no driver.
  std::string (*refusal)(const CollectiveCall& call) = nullptr;
  // The same of what this rank's device cannot do, once it is connected: ranks may differ. Null where that is nothing.
  std::string (*refusal_here)(Endpoint& endpoint, const CollectiveCall& call) = nullptr;
  // `endpoint` is one of this transport; input and output lie in an attached region, blocks of all ranks one behind the other as
  // the collective has them (null where this rank has none). premulsum multiplies what this rank gives by `factor`. What start()
  // begins is in the stream of the endpoint's first lane, and test() answers as that of an Exchange does. Throws Error(usage).
  std::unique_ptr<CollectiveRunnable> (*make)(Endpoint& endpoint, const CollectiveCall& call, std::byte* input, std::byte* output,
                                              double factor) = nullptr;
};

}  // namespace railgauge
