// The Group of processes: calls of the owning rank on its node of the tree.
#include "bench/launch/control_tree.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "bench/launch/tree.hpp"

namespace railgauge {
namespace {

class TreeGroup final : public ControlTree {
 public:
  // The group of all ranks owns the node; groups made by split() borrow it.
  TreeGroup(std::unique_ptr<Tree> owned, std::vector<std::string> nodes)
      : ControlTree(owned->rank(), std::move(nodes)),
        owned_(std::move(owned)),
        tree_(*owned_),
        id_(0),
        members_(tree_.everyone()) {}
  TreeGroup(Tree& tree, std::uint64_t id, int rank, std::vector<int> ranks, std::vector<std::string> nodes)
      : ControlTree(rank, std::move(nodes)), tree_(tree), id_(id), members_(tree.enter(id, std::move(ranks))) {}

  ~TreeGroup() override {
    if (owned_) {
      owned_->depart(std::uncaught_exceptions() > exceptions_);
    } else {
      tree_.leave_group(id_);
    }
  }

  std::vector<Blob> allgather(const Blob& mine) override { return gather(mine, "allgather"); }
  void barrier() override { (void)gather({}, "barrier"); }

  std::vector<Blob> exchange(std::span<const int> peers, std::span<const Blob> blobs) override {
    if (peers.size() != blobs.size())
      throw Error(Fault::usage, fmt::format("exchange was given {} peers and {} blobs", peers.size(), blobs.size()));
    for (const int peer : peers)
      if (peer < 0 || peer >= size()) throw Error(Fault::usage, fmt::format("exchange was given peer {} of {}", peer, size()));
    return tree_.exchange(id_, peers, blobs);
  }

  std::unique_ptr<Group> split(int colour) override;
  void check() const override { tree_.check(members_); }

  void announce(const std::string& sentence) noexcept override {
    try {
      tree_.announce(sentence);
    } catch (const std::exception&) {
      // Out of memory: the closing connection will be the news.
    }
  }

 private:
  std::vector<Blob> gather(const Blob& mine, const char* call) { return tree_.gather(id_, calls_++, mine, call); }

  std::unique_ptr<Tree> owned_;
  Tree& tree_;
  std::uint64_t id_;
  Tree::Members& members_;
  std::uint64_t calls_ = 0;
  int exceptions_ = std::uncaught_exceptions();
};

std::unique_ptr<Group> TreeGroup::split(int colour) {
  // The first member of each new group names it: by its own rank and a number that it has used for no other group.
  wire::Writer writer;
  writer.i32(colour);
  writer.u32(tree_.fresh_number());
  const std::vector<Blob> all = gather(writer.bytes(), "split");
  std::vector<int> ranks;
  std::vector<std::string> nodes;
  std::uint64_t id = 0;
  int mine = 0;
  for (std::size_t member = 0; member < all.size(); ++member) {
    wire::Reader reader(all[member]);
    if (reader.i32() != colour) continue;
    const int in_run = members_.ranks[member];
    if (ranks.empty()) id = (static_cast<std::uint64_t>(in_run) << 32) | reader.u32();
    if (static_cast<int>(member) == rank()) mine = static_cast<int>(ranks.size());
    ranks.push_back(in_run);
    nodes.push_back(this->nodes()[member]);
  }
  return std::make_unique<TreeGroup>(tree_, id, mine, std::move(ranks), std::move(nodes));
}

}  // namespace

RootListener::RootListener(Reach reach, const Network& network) : listener_(listen_on(reach)) {
  address_.token = new_token();
  for (std::string& host : own_hosts(reach, network)) address_.candidates.push_back({std::move(host), listener_.port});
}

RootListener::RootListener(std::uint16_t port, const wire::Token& token, const Network& network)
    : listener_(listen_on(Reach::network, port)) {
  address_.token = token;
  for (std::string& host : own_hosts(Reach::network, network)) address_.candidates.push_back({std::move(host), listener_.port});
}

std::string RootListener::address() const { return to_text(address_); }

namespace {

Cause told_by(const Error& error) {
  const auto* const lost = dynamic_cast<const RankLost*>(&error);
  return {error.what(), lost == nullptr ? std::nullopt : std::optional(lost->rank())};
}

}  // namespace

Cause cause_of(const ControlTree& tree, const Error& error) {
  constexpr std::chrono::milliseconds patience{300};
  const auto begin = std::chrono::steady_clock::now();
  try {
    while (error.fault() == Fault::lost && std::chrono::steady_clock::now() - begin < patience) {
      tree.check();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  } catch (const Error& news) { return told_by(news); }
  return told_by(error);
}

std::unique_ptr<ControlTree> join(const Introduction& me, const std::string& address, const Deadlines& deadlines,
                                  RootListener* own) {
  ConnectedPeers connected = Rendezvous(me, address, deadlines.rendezvous, own).run();
  std::vector<std::string> nodes = connected.nodes;
  return std::make_unique<TreeGroup>(std::make_unique<Tree>(std::move(connected), me.rank, me.size, deadlines), std::move(nodes));
}

}  // namespace railgauge
