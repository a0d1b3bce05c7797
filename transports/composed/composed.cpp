// An endpoint made of two, peer by peer.
#include "transports/composed/composed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace railgauge {
namespace {

class ComposedExchange final : public Exchange {
 public:
  // Either may be null: then it carries no message.
  ComposedExchange(std::unique_ptr<Exchange> within, std::unique_ptr<Exchange> across)
      : within_(std::move(within)), across_(std::move(across)) {}

  // What leaves the host goes first, since it takes longest.
  void post(std::size_t round) override {
    if (across_) across_->post(round);
    if (within_) within_->post(round);
  }
  bool test(std::size_t round) override {
    const bool across = !across_ || across_->test(round);
    const bool within = !within_ || within_->test(round);
    return across && within;
  }

 private:
  std::unique_ptr<Exchange> within_, across_;
};

class ComposedEndpoint final : public Endpoint {
 public:
  ComposedEndpoint(Group& group, const Place& place, Transport& within, Transport& across)
      : host_(group.split(host_of(group, group.rank()))), number_within_(static_cast<std::size_t>(group.size()), -1) {
    int number = 0;
    for (int rank = 0; rank < group.size(); ++rank)
      if (host_of(group, rank) == host_of(group, group.rank())) number_within_[static_cast<std::size_t>(rank)] = number++;
    if (host_->size() > 1) within_ = within.connect(*host_, place);
    across_ = across.connect(group, place);
  }

  std::string refusal(const Region& region) override {
    std::string reason = within_ ? within_->refusal(region) : std::string();
    return reason.empty() ? across_->refusal(region) : reason;
  }
  void attach(const Region& region) override {
    if (within_) within_->attach(region);
    across_->attach(region);
  }

  std::vector<std::string> ports() const override { return across_->ports(); }

  std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override {
    std::vector<std::vector<Message>> within(rounds.size()), across(rounds.size());
    bool any_within = false, any_across = false;
    for (std::size_t r = 0; r < rounds.size(); ++r)
      for (Message message : rounds[r]) {
        if (message.peer < 0 || static_cast<std::size_t>(message.peer) >= number_within_.size())
          throw Error(Fault::usage,
                      fmt::format("round {} names peer {}: there are {} ranks", r, message.peer, number_within_.size()));
        const int number = number_within_[static_cast<std::size_t>(message.peer)];
        if (number < 0) {
          any_across = true;
          across[r].push_back(message);
        } else {
          any_within = true;
          message.peer = number;
          within[r].push_back(message);
        }
      }
    // In this order on all ranks: who prepares with both kinds of peers meets those of its host first.
    std::unique_ptr<Exchange> inner, outer;
    if (any_within && within_) inner = within_->prepare(lane, std::move(within));
    if (any_within && !within_) throw Error(Fault::usage, "a rank prepares messages to itself");
    if (any_across) outer = across_->prepare(lane, std::move(across));
    return std::make_unique<ComposedExchange>(std::move(inner), std::move(outer));
  }

  const Mapping* mapping() const override { return nullptr; }

 private:
  // Hosts are numbered by their first rank.
  static int host_of(const Group& group, int rank) {
    const std::vector<std::string>& nodes = group.nodes();
    return static_cast<int>(std::find(nodes.begin(), nodes.end(), nodes[static_cast<std::size_t>(rank)]) - nodes.begin());
  }

  std::unique_ptr<Group> host_;
  std::vector<int> number_within_;  // by rank: its number within this host; -1 on others
  std::unique_ptr<Endpoint> within_, across_;
};

class ComposedTransport final : public Transport {
 public:
  ComposedTransport(std::unique_ptr<Transport> within, std::unique_ptr<Transport> across)
      : within_(std::move(within)), across_(std::move(across)), name_(fmt::format("{}+{}", within_->name(), across_->name())) {
    const Abilities inner = within_->abilities(), outer = across_->abilities();
    if (!outer.hosts) throw Error(Fault::usage, fmt::format("{}: {} does not cross hosts", name_, across_->name()));
    if (inner.stream_ordered) refuse(*within_);
    if (outer.stream_ordered) refuse(*across_);
    abilities_ = {.threads = inner.threads && outer.threads,
                  .processes = inner.processes && outer.processes,
                  .hosts = true,
                  .ports = outer.ports,
                  .shares = inner.shares || outer.shares,
                  .fabric = inner.fabric || outer.fabric,
                  .memory = {}};
    for (const MemoryKind kind : {MemoryKind::host, MemoryKind::pinned, MemoryKind::cuda, MemoryKind::managed}) {
      if (names(inner.memory, kind) && names(outer.memory, kind))
        abilities_.memory.push_back(kind);
      else if (may_reach(inner, kind) && may_reach(outer, kind))
        abilities_.tries.push_back(kind);
    }
  }
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Abilities abilities() const override { return abilities_; }
  [[nodiscard]] std::unique_ptr<Endpoint> connect(Group& group, const Place& place) override {
    return std::make_unique<ComposedEndpoint>(group, place, *within_, *across_);
  }

 private:
  static bool names(const std::vector<MemoryKind>& kinds, MemoryKind kind) {
    return std::count(kinds.begin(), kinds.end(), kind) != 0;
  }
  static bool may_reach(const Abilities& part, MemoryKind kind) { return names(part.memory, kind) || names(part.tries, kind); }
  // Where in a stream its messages are over is known to that stream alone, and the other part could not wait for it.
  [[noreturn]] void refuse(const Transport& part) const {
    throw Error(
        Fault::usage,
        fmt::format("{}: messages of {} are in a GPU's stream, in which no other transport can follow them: use {} alone, "
                    "or with GPUs cuda_ipc+ucx or cuda_ipc+verbs, where an event says when a message has arrived",
                    name_, part.name(), part.name()));
  }

  std::unique_ptr<Transport> within_, across_;
  std::string name_;
  Abilities abilities_;
};

}  // namespace

std::unique_ptr<Transport> compose(std::unique_ptr<Transport> within, std::unique_ptr<Transport> across) {
  return std::make_unique<ComposedTransport>(std::move(within), std::move(across));
}

}  // namespace railgauge
