// The rendezvous of the ranks of a run: every rank introduces itself to rank 0, and rank 0 assigns each its parent in the tree.
#pragma once

#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/launch/acceptor.hpp"
#include "bench/launch/control_tree.hpp"
#include "bench/launch/link.hpp"

namespace railgauge {

// The connections of a rank once the tree is complete. The links read already; their events go to Link::events.
struct ConnectedPeers {
  std::unique_ptr<boost::asio::io_context> context = std::make_unique<boost::asio::io_context>(1);
  std::unique_ptr<std::atomic<std::size_t>> unsent = std::make_unique<std::atomic<std::size_t>>(0);
  std::list<Link> links;  // those to others than neighbours are closed, or about to be closed by the other side
  Link* parent = nullptr;
  std::map<int, Link*> children;
  std::vector<std::string> nodes;
  // Early events of neighbours that learned of the start before this rank: a message, or the end of their link with its reason.
  struct Early {
    Link* link = nullptr;
    wire::Head head;
    wire::Body body;
    std::string ended;
  };
  std::vector<Early> early;
};

// One rank's part in the rendezvous; runs in the thread that calls run().
class Rendezvous final : private LinkEvents {
 public:
  Rendezvous(const Introduction& me, const std::string& address, Seconds deadline, RootListener* own);
  ~Rendezvous() override { acceptor_.reset(); }  // what runs then finds the rest of this
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;
  [[nodiscard]] ConnectedPeers run();

 private:
  struct Present {
    Link* link = nullptr;
    std::string node, arguments;
    int size = 0;
    std::uint16_t port = 0;
    std::vector<std::string> hosts;
  };

  void arrived(Link& link, const wire::Head& head, wire::Body body) override;
  void ended(Link& link, const std::string& why) override;
  void drained() override {}

  [[nodiscard]] bool expects(const wire::Hello& hello) const;
  void enter(Descriptor socket, const wire::Hello& hello);
  Link& tie(Descriptor socket, int rank);
  void introduce();
  void introduced(Link& link, wire::Reader& reader);
  void assign();
  void assigned(wire::Reader& reader);
  void perhaps_ready();
  void started(const wire::Body& body);
  void refuse(Fault fault, const std::string& sentence);
  void root_failed(const std::string& how);
  [[nodiscard]] static wire::Body refusal(Fault fault, const std::string& sentence, bool of_all);
  [[nodiscard]] std::string difference() const;
  [[nodiscard]] std::string unfinished() const;
  [[noreturn]] void throw_failure();

  Introduction me_;
  Address address_;
  Seconds deadline_;
  Reach reach_;
  ConnectedPeers connected_;
  Listener listener_;
  std::optional<Acceptor> acceptor_;  // open while they meet
  std::vector<Present> present_;      // by rank; on rank 0 only
  int introduced_ = 0;
  Link* root_ = nullptr;  // to rank 0, until the tree stands
  std::vector<int> ready_;
  bool assigned_ = false, released_ = false, done_ = false;
  bool reported_elsewhere_ = false;  // another rank has the same failure, and says so
  bool stands_in_ = false;           // should that one be gone too (Refused)
  bool late_ = false;                // the deadline has passed: nobody else is waited for
  std::optional<std::pair<Fault, std::string>> failure_;
};

}  // namespace railgauge
