// The Group of ranks as processes: a tree of TCP connections for out-of-band messages, with a deadline for each call. All ranks
// learn of a death within milliseconds. See docs/launching.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "bench/launch/address.hpp"
#include "transports/group.hpp"

namespace railgauge {

// The identity of a rank as its launcher gives it. `arguments`, the words of the command line, must be the same text on all
// ranks.
struct Introduction {
  int rank = 0;
  int size = 1;
  std::string node = "localhost";
  std::string arguments;
  Network network = {};
};

struct Deadlines {
  Seconds rendezvous{60};  // until all ranks have found each other
  Seconds call{60};        // of each call of the group
  // A neighbour in the tree that sends nothing for so long counts as lost: its process is stopped, or its host hangs. For a
  // neighbour on the same host the kernel's state of its process decides first: a process that is only slow is not lost.
  Seconds silence{8};
};

// The listening socket of rank 0. May be made before a fork, and then belongs to the child that becomes rank 0.
class RootListener {
 public:
  // Throws Error(usage) when this machine cannot listen.
  explicit RootListener(Reach reach = Reach::network, const Network& network = {});
  // Listens at a port, with a token, that all ranks know beforehand.
  RootListener(std::uint16_t port, const wire::Token& token, const Network& network = {});
  // The text that the other ranks pass to join(): a token and the addresses to try. Any process that knows it can join the run.
  [[nodiscard]] std::string address() const;
  void close() { listener_ = {}; }  // in a process that is not rank 0
  [[nodiscard]] Listener release() { return std::move(listener_); }

 private:
  friend class Rendezvous;
  Address address_;
  Listener listener_;
};

// The Group of all ranks, and, made by split(), of some. Groups made by split() end before the one of all.
// The destructor of the group of all ranks waits until all ranks have come to theirs, at most `Deadlines::call`, so that no
// message is lost; it does not wait once a death is known, nor while an exception passes.
// A rank whose path to a dead one's children led through the dead one no longer reaches them: calls that need them fail and name
// the dead one.
class ControlTree : public Group {
 public:
  // Tells all ranks that this one is about to end because of `sentence`: for them it is dead from now on, and their calls and
  // checks throw RankLost "rank 2 ended: <sentence>". Returns when that has been sent. Not collective.
  virtual void announce(const std::string& sentence) noexcept = 0;

 protected:
  using Group::Group;
};

// The sentence to report, and the rank whose end it reports, if any.
struct Cause {
  std::string sentence;
  std::optional<int> lost_rank;
};
// The cause of an error. Waits a moment for the control tree, since a transport may notice a lost peer before the control tree
// reports the death.
[[nodiscard]] Cause cause_of(const ControlTree& tree, const Error& error);

// No rendezvous, for a reason that another rank throws as Error, so that this one need not print it: rank 0 has refused all
// ranks, or was lost, of which rank 1 tells.
class Refused : public Error {
 public:
  Refused(Fault fault, const std::string& sentence, bool stands_in) : Error(fault, sentence), stands_in_(stands_in) {}
  // That rank may be gone too, with all of its node: this is one of the few who tell of it when none has been heard.
  [[nodiscard]] bool stands_in() const noexcept { return stands_in_; }

 private:
  bool stands_in_;
};

// The rendezvous of all ranks. Rank 0 passes its RootListener and its address; the others pass nullptr and the address of rank
// 0. Throws Error(lost) that names absent, lost or unreachable ranks, and Error(usage) that names a rank and the difference when
// ranks were started with different arguments. All ranks throw the same sentence; one throws it as Error, the others as
// Refused.
[[nodiscard]] std::unique_ptr<ControlTree> join(const Introduction& me, const std::string& address, const Deadlines& deadlines,
                                                RootListener* own);

}  // namespace railgauge
