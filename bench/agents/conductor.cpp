// Connections, orders and answers.
#include "bench/agents/conductor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <utility>

#include "bench/agents/seating.hpp"
#include "bench/launch/acceptor.hpp"
#include "bench/launch/link.hpp"
#include "bench/launch/sentences.hpp"

namespace railgauge::agents {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::chrono::milliseconds look{100};  // between two looks at who is silent, and at go_on
constexpr std::chrono::milliseconds ping_every{1000};
constexpr Seconds grace{3};  // of an agent that ends a late worker, beyond the order's limit

}  // namespace

class Conductor::Desk final : private LinkEvents {
 public:
  Desk(RootListener own, int size, std::string arguments, const Patience& patience)
      : patience_(patience), arguments_(std::move(arguments)), members_(static_cast<std::size_t>(size)), seats_(members_.size()) {
    allow_connections(size);
    const wire::Token token = parse_address(own.address()).token;
    acceptor_.emplace(
        context_, own.release(), token, 0,
        [this](const wire::Hello& hello) {
          return hello.purpose == wire::Hello::Purpose::introduce && hello.rank < members_.size() && !members_[hello.rank].there;
        },
        [this](Descriptor socket, const wire::Hello& hello) { seat(std::move(socket), static_cast<int>(hello.rank)); });
  }

  ~Desk() override {
    for (const Seat& each : seats_)
      if (each.link != nullptr && each.link->open()) each.link->send({wire::Kind::goodbye});
    const auto until = Clock::now() + std::chrono::seconds(1);
    while (unsent_ > 0 && Clock::now() < until) (void)context_.run_one_until(until);
    for (Link& each : links_) each.close();
    acceptor_.reset();
    (void)context_.poll();
  }

  void meet(const std::function<bool()>& go_on) {
    const auto until = moment_after(patience_.rendezvous);
    run_while([&] { return refusal_.empty() && awaited_ > 0 && Clock::now() < until; }, go_on);
    if (!refusal_.empty()) throw Error(Fault::usage, refusal_);
    for (std::size_t rank = 0; rank < members_.size(); ++rank)
      if (!members_[rank].there && members_[rank].loss.empty())
        lose(static_cast<int>(rank), fmt::format("rank {} did not come within {:g} s", rank, patience_.rendezvous.count()));
    give_places();
  }

  [[nodiscard]] const std::vector<Member>& members() const noexcept { return members_; }

  std::vector<std::vector<Answer>> carry_out(std::vector<Order> orders, const std::function<bool()>& go_on) {
    running_.clear();
    open_ = 0;
    for (Order& order : orders) {
      order.number = ++orders_;
      for (const int member : order.members) {
        const auto rank = static_cast<std::size_t>(member);
        order.nodes.push_back(members_.at(rank).node);
        order.seats.push_back(places_.empty() ? Order::Seat{} : places_[rank]);
      }
      order.oversubscribed = oversubscribed_;
    }
    for (Order& order : orders) begin(order);
    run_while([&] { return open_ > 0; }, go_on);
    std::vector<std::vector<Answer>> answers;
    for (Order& order : orders) {
      Running& its = running_.at(order.number);
      answers.emplace_back();
      for (std::size_t i = 0; i < order.members.size(); ++i) {
        if (!its.answers[i]) its.answers[i] = lost_answer(order.number, order.members[i], "the run was interrupted");
        answers.back().push_back(std::move(*its.answers[i]));
      }
    }
    running_.clear();
    return answers;
  }

 private:
  struct Seat {
    Link* link = nullptr;
    Clock::time_point heard = Clock::now();
    std::uint64_t order = 0;  // in progress; 0: none
  };
  struct Running {
    Order order;
    std::vector<std::optional<Answer>> answers;  // by member
    std::size_t open = 0;
    Clock::time_point until;
    bool called_off = false;
  };

  template <class Condition>
  void run_while(const Condition& condition, const std::function<bool()>& go_on) {
    auto next_ping = Clock::now();
    while (condition() && go_on()) {
      if (Clock::now() >= next_ping) {
        for (const Seat& seat : seats_)
          if (seat.link != nullptr && seat.link->open()) send(seat, ping_);
        next_ping = Clock::now() + ping_every;
      }
      // Messages come one after the other: what waits is taken before anybody is judged by the clock.
      const auto until = Clock::now() + look;
      if (context_.run_one_until(until) > 0)
        while (context_.poll_one() > 0 && condition()) {}
      judge_silence();
    }
  }

  void judge_silence() {
    const auto now = Clock::now();
    // A conductor that was itself stopped has heard nobody.
    const bool slept = now - last_judged_ > std::chrono::seconds(1);
    last_judged_ = now;
    for (std::size_t rank = 0; rank < seats_.size(); ++rank) {
      Seat& seat = seats_[rank];
      if (slept) seat.heard = std::max(seat.heard, now - std::chrono::seconds(1));
      if (!members_[rank].there || !members_[rank].loss.empty()) continue;
      if (Seconds(now - seat.heard) > patience_.silence)
        lose(static_cast<int>(rank),
             fmt::format("nothing was heard of rank {} for {:g} s, though its connection stands: it was stopped, or its host no "
                         "longer answers",
                         rank, patience_.silence.count()));
      const auto running = running_.find(seat.order);
      if (running != running_.end() && now > running->second.until)
        lose(static_cast<int>(rank),
             fmt::format("rank {} did not end what it was told to end within {:g} s", rank, running->second.order.limit.count()));
    }
  }

  // Who was not heard in time dials again, and what it left may be heard after it: an agent sits where it introduces itself.
  void seat(Descriptor socket, int rank) {
    Link& link = links_.emplace_back(context_, std::move(socket), unsent_);
    link.rank = rank;
    link.events = this;
    link.read();
  }

  void arrived(Link& link, const wire::Head&, wire::Body body) override {
    Seat& seat = seats_[static_cast<std::size_t>(link.rank)];
    if (seat.link == nullptr) seat.link = &link;
    if (seat.link != &link) return link.close();
    seat.heard = Clock::now();
    try {
      const json message = message_of(*body);
      const std::string kind = kind_of(message);
      if (kind == "introduction") return introduced(link.rank, message);
      if (kind == "address") return pass_on(link.rank, message);
      if (kind == "answer") return answered(link.rank, answer_of(message));
    } catch (const Error& error) {
      lose(link.rank, fmt::format("rank {}: {}", link.rank, error.what()));
    } catch (const json::exception& error) {
      lose(link.rank, fmt::format("rank {} sent a message that lacks something: {}", link.rank, error.what()));
    }
  }
  void ended(Link& link, const std::string& why) override {
    if (seats_[static_cast<std::size_t>(link.rank)].link != &link) return;
    lose(link.rank, fmt::format("rank {} is gone: {}", link.rank, why));
  }
  void drained() override {}

  void give_places() {
    Seating seating = seat_of_each(members_);
    places_ = std::move(seating.seats);
    oversubscribed_ = seating.crowding > 1;
  }

  void introduced(int rank, const json& message) {
    Member& member = members_[static_cast<std::size_t>(rank)];
    member.node = message.at("node").get<std::string>();
    member.local_rank = message.at("local_rank").get<int>();
    member.machine = message.at("machine").get<std::string>();
    member.cores = message.at("cores").get<int>();
    if (!std::exchange(member.there, true) && member.loss.empty()) --awaited_;  // who is late was given up
    const int size = message.at("size").get<int>();
    const auto theirs = message.at("arguments").get<std::string>();
    if (size != static_cast<int>(members_.size()))
      refusal_ = fmt::format("rank {} was started as one of {} ranks and rank 0 as one of {}", rank, size, members_.size());
    else if (theirs != arguments_)
      refusal_ = other_arguments(rank, theirs, arguments_);
  }

  void begin(Order& order) {
    Running& its = running_[order.number];
    its.order = order;
    its.answers.resize(order.members.size());
    its.until = moment_after(order.limit + grace);
    its.open = order.members.size();
    for (std::size_t i = 0; i < order.members.size(); ++i)
      if (const Member& member = members_[static_cast<std::size_t>(order.members[i])]; !member.loss.empty()) {
        its.answers[i] = lost_answer(order.number, order.members[i], member.loss);
        --its.open;
      }
    // Without all of its members it cannot be done.
    const bool whole = its.open == order.members.size();
    const wire::Body message = body_of(to_json(order));  // one for all of its members
    for (std::size_t i = 0; i < order.members.size(); ++i) {
      if (its.answers[i]) continue;
      Seat& seat = seats_[static_cast<std::size_t>(order.members[i])];
      if (whole) {
        seat.order = order.number;
        send(seat, message);
      } else {
        its.answers[i] =
            Answer{order.number, order.members[i], Answer::Ending::failed, Fault::lost, "another rank of it is lost", {}};
        --its.open;
      }
    }
    open_ += its.open;
  }

  void pass_on(int rank, const json& message) {
    const auto running = running_.find(message.at("order").get<std::uint64_t>());
    if (running == running_.end()) return;
    const wire::Body body = body_of(message);
    for (const int member : running->second.order.members)
      if (member != rank) send(seats_[static_cast<std::size_t>(member)], body);
  }

  void answered(int rank, Answer answer) {
    const auto running = running_.find(answer.order);
    if (running == running_.end()) return;
    Running& its = running->second;
    answer.rank = rank;
    seats_[static_cast<std::size_t>(rank)].order = 0;
    const bool whole = answer.ending == Answer::Ending::done;
    take(its, rank, std::move(answer));
    if (!whole) call_off(its, rank);
  }

  void take(Running& its, int rank, Answer answer) {
    const auto place = std::find(its.order.members.begin(), its.order.members.end(), rank);
    if (place == its.order.members.end()) return;
    std::optional<Answer>& slot = its.answers[static_cast<std::size_t>(place - its.order.members.begin())];
    if (slot) return;
    slot = std::move(answer);
    --its.open;
    --open_;
  }

  // Who has not yet met this member need not wait for it. Of several the first is enough.
  void call_off(Running& its, int rank) {
    if (std::exchange(its.called_off, true)) return;
    const wire::Body message = body_of({{"is", "cancel"}, {"order", its.order.number}, {"rank", rank}});
    for (std::size_t i = 0; i < its.order.members.size(); ++i)
      if (!its.answers[i]) send(seats_[static_cast<std::size_t>(its.order.members[i])], message);
  }

  void lose(int rank, const std::string& sentence) {
    Member& member = members_[static_cast<std::size_t>(rank)];
    if (!member.loss.empty()) return;
    member.loss = sentence;
    if (!member.there) --awaited_;
    Seat& seat = seats_[static_cast<std::size_t>(rank)];
    if (seat.link != nullptr) seat.link->close();
    const auto running = running_.find(std::exchange(seat.order, 0));
    if (running == running_.end()) return;
    take(running->second, rank, lost_answer(running->first, rank, sentence));
    call_off(running->second, rank);
  }

  static Answer lost_answer(std::uint64_t order, int rank, const std::string& sentence) {
    return {order, rank, Answer::Ending::lost, Fault::lost, sentence, {}};
  }

  static void send(const Seat& seat, const wire::Body& message) {
    if (seat.link == nullptr || !seat.link->open()) return;
    seat.link->send({wire::Kind::letter}, message);
  }

  Patience patience_;
  std::string arguments_, refusal_;
  std::vector<Member> members_;
  std::size_t awaited_ = members_.size();  // who is neither there nor lost
  std::vector<Seat> seats_;                // by rank
  std::vector<Order::Seat> places_;        // by rank, once all are there
  bool oversubscribed_ = false;
  std::map<std::uint64_t, Running> running_;
  wire::Body ping_ = body_of({{"is", "ping"}});
  std::size_t open_ = 0;  // answers that are missing to all of them
  std::uint64_t orders_ = 0;
  Clock::time_point last_judged_ = Clock::now();
  boost::asio::io_context context_{1};
  std::atomic<std::size_t> unsent_{0};
  std::list<Link> links_;
  std::optional<Acceptor> acceptor_;
};

Conductor::Conductor(RootListener own, int size, std::string arguments, const Patience& patience)
    : desk_(std::make_unique<Desk>(std::move(own), size, std::move(arguments), patience)) {}
Conductor::~Conductor() = default;
void Conductor::meet(const std::function<bool()>& go_on) { desk_->meet(go_on); }
const std::vector<Member>& Conductor::members() const noexcept { return desk_->members(); }
std::vector<std::vector<Answer>> Conductor::carry_out(std::vector<Order> orders, const std::function<bool()>& go_on) {
  return desk_->carry_out(std::move(orders), go_on);
}

}  // namespace railgauge::agents
