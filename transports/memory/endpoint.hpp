// One thread's end of a group of threads: which memory it lent, whom it knows, and how exchanges are agreed with peers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "transports/memory/exchange.hpp"
#include "transports/transport.hpp"

namespace railgauge::memory {

// The flags that one rank awaits and others set. Shared by all ranks, because any of them may end first.
class FlagTable {
 public:
  // Zeros, which take memory only where they are used. Throws Error(usage).
  explicit FlagTable(std::size_t count);
  FlagTable(const FlagTable&) = delete;
  FlagTable& operator=(const FlagTable&) = delete;
  ~FlagTable();
  [[nodiscard]] std::atomic<std::uint64_t>* flags() const { return flags_; }  // starts on a page
  std::atomic<bool> left{false};                                              // its owner's endpoint is being destroyed

 private:
  std::size_t bytes_;
  std::atomic<std::uint64_t>* flags_;
};

class MemoryEndpoint final : public Endpoint {
 public:
  // Collective. `wire` is null where messages are plain copies. Throws Error(usage) when a rank is another process.
  MemoryEndpoint(Group& group, std::size_t lanes, bool mapped, std::unique_ptr<Wire> wire);
  ~MemoryEndpoint() override;

  void attach(const Region& region) override;
  [[nodiscard]] std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override;
  [[nodiscard]] const Mapping* mapping() const override { return mapped_ ? &mapping_ : nullptr; }

 private:
  Group& group_;
  std::size_t lanes_;
  bool mapped_;
  std::unique_ptr<Wire> wire_;
  std::vector<Region> regions_;
  Mapping mapping_;
  std::vector<std::shared_ptr<FlagTable>> tables_;  // by rank, when mapped
};

}  // namespace railgauge::memory
