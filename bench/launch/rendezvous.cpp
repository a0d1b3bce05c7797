// Meets the other ranks of a run.
#include "bench/launch/rendezvous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "bench/launch/sentences.hpp"
#include "bench/launch/shape.hpp"

namespace railgauge {
namespace {

using Clock = std::chrono::steady_clock;

// A rank gives rank 0 this much longer than its own deadline, because rank 0 knows who is absent.
constexpr Seconds grace{2};

bool only_this_machine(const Address& address) {
  return std::all_of(address.candidates.begin(), address.candidates.end(),
                     [](const Candidate& each) { return each.host == "127.0.0.1"; });
}

}  // namespace

Rendezvous::Rendezvous(const Introduction& me, const std::string& address, Seconds deadline, RootListener* own)
    : me_(me),
      address_(parse_address(address)),
      deadline_(deadline),
      reach_(only_this_machine(address_) ? Reach::machine : Reach::network) {
  if (me.size < 1 || me.rank < 0 || me.rank >= me.size || (me.rank == 0) != (own != nullptr))
    throw Error(Fault::usage, fmt::format("rank {} of {} cannot join", me.rank, me.size));
  if (own != nullptr) {
    listener_ = std::move(own->listener_);
    allow_connections(me.size);
  } else if (shape::children(me.rank, me.size) > 0) {
    listener_ = listen_on(reach_);
  }
}

ConnectedPeers Rendezvous::run() {
  const auto until = moment_after(me_.rank == 0 ? deadline_ : deadline_ + grace);
  if (listener_.socket.get() >= 0)
    acceptor_.emplace(
        *connected_.context, std::move(listener_), address_.token, me_.rank,
        [this](const wire::Hello& hello) { return expects(hello); },
        [this](Descriptor socket, const wire::Hello& hello) { enter(std::move(socket), hello); });
  if (me_.rank == 0) {
    present_.resize(static_cast<std::size_t>(me_.size));
    present_[0] = {nullptr, me_.node, me_.arguments, me_.size, 0, {}};
    introduced_ = 1;
    if (me_.size == 1) assign();
  } else {
    const wire::Hello hello{wire::protocol, address_.token, wire::Hello::Purpose::introduce,
                            static_cast<std::uint32_t>(me_.rank)};
    root_ = &tie(dial(address_.candidates, hello, 0, moment_after(deadline_), address_.awaited), 0);
    introduce();
  }
  while (!done_ && !failure_) {
    if (Clock::now() < until && connected_.context->run_one_until(until) > 0) continue;
    if (Clock::now() < until) continue;
    if (me_.rank == 0) {
      late_ = true;
      refuse(Fault::lost, unfinished());
    } else {
      root_failed(fmt::format("did not bring the ranks together within {:g} s", deadline_.count()));
    }
  }
  if (failure_) throw_failure();
  if (root_ != nullptr && root_ != connected_.parent) root_->close();
  // Handlers that still point here run now, and what else is due finds its state as before.
  acceptor_.reset();
  (void)connected_.context->poll();
  return std::move(connected_);
}

void Rendezvous::throw_failure() {
  // All are to hear why, also those who are just about to come: they close when they have read it.
  const auto until = Clock::now() + std::chrono::seconds(2);
  const auto waits = [this] {
    return std::any_of(present_.begin(), present_.end(), [this](const Present& each) {
      return each.link == nullptr ? &each != &present_.front() && !late_ : each.link->open();
    });
  };
  while (waits() && Clock::now() < until) (void)connected_.context->run_one_until(until);
  if (reported_elsewhere_) throw Refused(failure_->first, failure_->second, stands_in_);
  throw Error(failure_->first, failure_->second);
}

bool Rendezvous::expects(const wire::Hello& hello) const {
  const auto rank = static_cast<int>(hello.rank);
  if (hello.purpose == wire::Hello::Purpose::introduce) return me_.rank == 0 && rank != 0;
  return me_.rank != 0 && rank > 0 && rank < me_.size && shape::parent(rank) == me_.rank;
}

void Rendezvous::enter(Descriptor socket, const wire::Hello& hello) {
  const bool introduces = hello.purpose == wire::Hello::Purpose::introduce;
  const auto rank = static_cast<int>(hello.rank);
  Link& link = tie(std::move(socket), introduces ? -1 : rank);
  if (introduces) return;
  Link*& child = connected_.children[rank];
  if (child != nullptr) child->close();  // it dialled twice
  child = &link;
}

Link& Rendezvous::tie(Descriptor socket, int rank) {
  Link& link = connected_.links.emplace_back(*connected_.context, std::move(socket), *connected_.unsent);
  link.rank = rank;
  link.events = this;
  link.read();
  return link;
}

void Rendezvous::introduce() {
  wire::Writer writer;
  writer.u32(static_cast<std::uint32_t>(me_.rank));
  writer.u32(static_cast<std::uint32_t>(me_.size));
  writer.text(me_.node);
  writer.text(me_.arguments);
  writer.u32(listener_.port);
  const auto hosts = listener_.port == 0 ? std::vector<std::string>{} : own_hosts(reach_, me_.network);
  writer.u32(static_cast<std::uint32_t>(hosts.size()));
  for (const std::string& host : hosts) writer.text(host);
  root_->send({wire::Kind::introduction}, std::move(writer).body());
}

void Rendezvous::arrived(Link& link, const wire::Head& head, wire::Body body) {
  try {
    wire::Reader reader(*body);
    switch (head.kind) {
      case wire::Kind::introduction:
        if (me_.rank == 0) introduced(link, reader);
        break;
      case wire::Kind::assignment:
        if (&link == root_ && !assigned_) assigned(reader);
        break;
      case wire::Kind::trouble:
        if (me_.rank == 0) refuse(Fault::lost, reader.text());
        break;
      case wire::Kind::refusal:
        if (&link == root_) {
          const auto fault = static_cast<Fault>(reader.u8());
          reported_elsewhere_ = reader.u8() != 0;
          failure_ = {fault, reader.text()};
        }
        break;
      case wire::Kind::ready:
        ready_.push_back(link.rank);
        perhaps_ready();
        break;
      case wire::Kind::start:
        if (&link == connected_.parent && !body->empty())
          started(body);
        else
          released_ = true;
        break;
      default:
        connected_.early.push_back({&link, head, std::move(body), {}});
        break;
    }
  } catch (const Error& error) {
    link.close();
    ended(link, error.what());
  }
}

void Rendezvous::ended(Link& link, const std::string& why) {
  if (failure_) return;
  if (done_) {
    connected_.early.push_back({&link, {}, {}, why});
  } else if (me_.rank == 0) {
    if (link.rank > 0)
      refuse(Fault::lost, fmt::format("rank {} on {} was lost before the ranks had found each other: {}", link.rank,
                                      present_[static_cast<std::size_t>(link.rank)].node, why));
  } else if (&link == root_) {
    if (!released_) root_failed("was lost before the ranks had found each other: " + why);
  } else if (const auto child = connected_.children.find(link.rank);
             child != connected_.children.end() && child->second == &link) {
    if (std::find(ready_.begin(), ready_.end(), link.rank) != ready_.end())
      connected_.early.push_back({&link, {}, {}, why});  // should rank 0 have released all before it hears of this
    else
      connected_.children.erase(child);  // it may dial again; rank 0 sees to it when it does not
  } else if (&link == connected_.parent && released_) {
    failure_ = {Fault::lost, fmt::format("rank {} was lost before the ranks had found each other: {}", link.rank, why)};
    reported_elsewhere_ = true;  // rank 0 has released all, and hears of the loss from the tree
  }
}

void Rendezvous::root_failed(const std::string& how) {
  failure_ = {Fault::lost, "rank 0 " + how};
  reported_elsewhere_ = me_.rank > 1;  // by rank 1
  // Which rank is on which node is not known yet. Of nodes with k ranks each the second has ranks k to 2k - 1, and one of these
  // is a power of two.
  stands_in_ = std::has_single_bit(static_cast<unsigned>(me_.rank));
}

void Rendezvous::introduced(Link& link, wire::Reader& reader) {
  const auto rank = static_cast<int>(reader.u32());
  Present present;
  present.link = &link;
  present.size = static_cast<int>(reader.u32());
  present.node = reader.text();
  present.arguments = reader.text();
  present.port = static_cast<std::uint16_t>(reader.u32());
  present.hosts.resize(reader.count(4));
  for (std::string& host : present.hosts) host = reader.text();
  if (link.rank >= 0) return;  // said it twice
  if (rank < 1 || rank >= me_.size || present_[static_cast<std::size_t>(rank)].link != nullptr) {
    const std::string sentence = rank < 1 || rank >= me_.size
                                     ? fmt::format("rank {} was not expected: rank 0 was started as one of {}", rank, me_.size)
                                     : fmt::format("rank {} is there twice", rank);
    return link.send({wire::Kind::refusal}, refusal(Fault::usage, sentence, false));
  }
  link.rank = rank;
  present_[static_cast<std::size_t>(rank)] = std::move(present);
  if (failure_) return link.send({wire::Kind::refusal}, refusal(failure_->first, failure_->second, true));
  if (++introduced_ == me_.size) assign();
}

std::string Rendezvous::difference() const {
  const Present& mine = present_.front();
  for (std::size_t rank = 1; rank < present_.size(); ++rank) {
    const Present& other = present_[rank];
    if (other.size != mine.size)
      return fmt::format("rank {} was started as one of {} ranks and rank 0 as one of {}", rank, other.size, mine.size);
    if (other.arguments == mine.arguments) continue;
    return other_arguments(static_cast<int>(rank), other.arguments, mine.arguments);
  }
  return {};
}

std::string Rendezvous::unfinished() const {
  std::vector<int> absent;
  for (std::size_t rank = 1; rank < present_.size(); ++rank)
    if (present_[rank].link == nullptr) absent.push_back(static_cast<int>(rank));
  if (!absent.empty()) return absent_sentence(absent, "rendezvous", deadline_);
  for (int rank = 1; rank <= shape::children(0, me_.size); ++rank)
    if (std::find(ready_.begin(), ready_.end(), rank) == ready_.end()) absent.push_back(rank);
  return fmt::format("{} could not reach all ranks below within {:g} s", name_ranks(absent), deadline_.count());
}

void Rendezvous::assign() {
  if (const std::string sentence = difference(); !sentence.empty()) return refuse(Fault::usage, sentence);
  assigned_ = true;
  for (int rank = 1; rank < me_.size; ++rank) {
    const int parent = shape::parent(rank);
    const Present& above = present_[static_cast<std::size_t>(parent)];
    wire::Writer writer;
    writer.u32(static_cast<std::uint32_t>(parent));
    writer.text(above.node);
    writer.u32(above.port);
    writer.u32(static_cast<std::uint32_t>(above.hosts.size()));
    for (const std::string& host : above.hosts) writer.text(host);
    Link* link = present_[static_cast<std::size_t>(rank)].link;
    if (parent == 0) connected_.children[rank] = link;
    link->send({wire::Kind::assignment}, std::move(writer).body());
  }
  perhaps_ready();
}

void Rendezvous::assigned(wire::Reader& reader) {
  const auto parent = static_cast<int>(reader.u32());
  const std::string node = reader.text();
  const auto port = static_cast<std::uint16_t>(reader.u32());
  std::vector<Candidate> candidates(reader.count(4));
  for (Candidate& candidate : candidates) candidate = {reader.text(), port};
  if (parent == 0) {
    connected_.parent = root_;
  } else {
    // Loopback is listed last, and is the best where both are on one node.
    if (node == me_.node) std::reverse(candidates.begin(), candidates.end());
    const wire::Hello hello{wire::protocol, address_.token, wire::Hello::Purpose::attach, static_cast<std::uint32_t>(me_.rank)};
    try {
      connected_.parent = &tie(dial(candidates, hello, parent, moment_after(deadline_)), parent);
    } catch (const Error& error) {
      wire::Writer writer;
      writer.text(error.what());
      return root_->send({wire::Kind::trouble}, std::move(writer).body());  // answered with a refusal of all
    }
  }
  assigned_ = true;
  perhaps_ready();
}

void Rendezvous::perhaps_ready() {
  if (!assigned_ || done_ || static_cast<int>(ready_.size()) < shape::children(me_.rank, me_.size)) return;
  if (me_.rank != 0) return connected_.parent->send({wire::Kind::ready});
  wire::Writer writer;
  writer.u32(static_cast<std::uint32_t>(me_.size));
  for (const Present& each : present_) writer.text(each.node);
  started(std::move(writer).body());
  for (const Present& each : present_)
    if (each.link != nullptr && shape::parent(each.link->rank) != 0) {
      each.link->send({wire::Kind::start});
      each.link->rank = -1;  // no neighbour: it closes this connection, which is no news
    }
}

void Rendezvous::started(const wire::Body& body) {
  wire::Reader reader(*body);
  std::vector<std::string> nodes(reader.count(4));
  for (std::string& node : nodes) node = reader.text();
  if (static_cast<int>(nodes.size()) != me_.size) throw Error(Fault::lost, "rank 0 counts the ranks otherwise");
  connected_.nodes = std::move(nodes);
  for (const auto& [rank, link] : connected_.children) link->send({wire::Kind::start}, body);
  done_ = true;
}

void Rendezvous::refuse(Fault fault, const std::string& sentence) {
  if (done_ || failure_) return;
  failure_ = {fault, sentence};
  const wire::Body body = refusal(fault, sentence, true);
  for (const Present& each : present_)
    if (each.link != nullptr) each.link->send({wire::Kind::refusal}, body);
}

wire::Body Rendezvous::refusal(Fault fault, const std::string& sentence, bool of_all) {
  wire::Writer writer;
  writer.u8(static_cast<std::uint8_t>(fault));
  writer.u8(of_all ? 1 : 0);
  writer.text(sentence);
  return std::move(writer).body();
}

}  // namespace railgauge
