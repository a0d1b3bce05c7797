// Question and answer behind bench/session/clocks.hpp: rank 0 asks one rank after the other, each some times, and keeps its
// luckiest round trip.
#include "bench/session/clocks.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "bench/measure/rest.hpp"
#include "bench/plan/collective_spec.hpp"
#include "bench/schedule/algorithms/phases.hpp"

namespace railgauge {
namespace {

constexpr std::size_t exchanges_per_rank = 24;  // the first ones connect
constexpr std::size_t first_exchanges = 4;
constexpr Seconds patience{30.0};

// A plan whose only message says nothing but that it was sent: when, its sender and receiver remember.
std::unique_ptr<Runnable> one_message(const Group& group, Endpoint& endpoint, Compute& compute, const DataPath& data_path,
                                      int from, int to) {
  CollectiveSpec spec;
  spec.algorithm = find_algorithm(Collective::barrier, "dissemination");
  spec.type = Type::uint8;
  spec.shape = {group.size(), group.rank(), 0, 1};
  RankParts parts(spec, [from, to](const Shape& shape) {
    Schedule schedule;
    if (shape.rank == from) schedule.rounds = {{{phases::send(to, phases::input(0, 0))}, {}}};
    if (shape.rank == to) schedule.rounds = {{{phases::receive(from, phases::output(0, 0))}, {}}};
    return schedule;
  });
  return make_plan(parts, endpoint, compute, nullptr, data_path);
}

Blob blob_of(const std::vector<double>& values) {
  Blob blob(values.size() * sizeof(double));
  if (!values.empty()) std::memcpy(blob.data(), values.data(), blob.size());
  return blob;
}

std::vector<double> values_of(const Blob& blob, std::size_t count) {
  if (blob.size() != count * sizeof(double)) throw Error(Fault::lost, "the news of a rank about its clock is cut");
  std::vector<double> values(count);
  if (count != 0) std::memcpy(values.data(), blob.data(), blob.size());
  return values;
}

}  // namespace

struct Clocks::PeerMessages {
  std::unique_ptr<Runnable> question, answer;
};

Clocks::Clocks(Group& group, Endpoint& endpoint, Device& device, const DataPath& data_path, Clock clock, bool yield)
    : group_(group), clock_(clock), yield_(yield), compute_(device.compute(Type::uint8, Op::sum)) {
  for (int rank = 1; rank < group.size(); ++rank) {
    if (group.rank() != 0 && group.rank() != rank) continue;
    PeerMessages messages;
    messages.question = one_message(group, endpoint, *compute_, data_path, 0, rank);
    messages.answer = one_message(group, endpoint, *compute_, data_path, rank, 0);
    peers_.push_back(std::move(messages));
  }
  lines_.resize(static_cast<std::size_t>(group.size()));
}

Clocks::~Clocks() = default;

void Clocks::complete(Runnable& runnable) const {
  runnable.start();
  const Seconds since = clock_.now();
  for (std::uint64_t spins = 1; !runnable.test(); ++spins) {
    if (!yield_ && spins % 256 != 0) continue;
    group_.check();
    const Seconds waited = clock_.now() - since;
    if (waited >= patience)
      throw Error(Fault::lost,
                  fmt::format("rank {} has waited {:.3g} s for the clock of another rank", group_.rank(), patience.count()));
    if (yield_) rest(waited, usual_nap);
  }
}

void Clocks::await_turn(int peer) const {
  const std::array<Blob, 1> nothing;
  if (yield_) (void)group_.exchange(std::span(&peer, 1), nothing);
}

std::vector<ClockExchange> Clocks::ask(const PeerMessages& messages) const {
  std::vector<ClockExchange> exchanges(exchanges_per_rank);
  for (ClockExchange& exchange : exchanges) {
    exchange.asked = clock_.now().count();
    complete(*messages.question);
    complete(*messages.answer);
    exchange.answered = clock_.now().count();
  }
  return exchanges;
}

std::vector<double> Clocks::answer() const {
  std::vector<double> times(exchanges_per_rank);
  for (double& time : times) {
    complete(*peers_.front().question);
    time = clock_.now().count();
    complete(*peers_.front().answer);
  }
  return times;
}

void Clocks::read() {
  const auto ranks = static_cast<std::size_t>(group_.size());
  std::vector<std::vector<ClockExchange>> asked(ranks);
  std::vector<double> times;
  if (group_.rank() == 0) {
    for (std::size_t rank = 1; rank < ranks; ++rank) {
      await_turn(static_cast<int>(rank));
      asked[rank] = ask(peers_[rank - 1]);
    }
  } else {
    await_turn(0);
    times = answer();
  }

  // Rank 0 hears the times, and its table is everybody's.
  const std::vector<Blob> theirs = group_.allgather(blob_of(times));
  std::vector<double> table;
  for (std::size_t rank = 0; rank < ranks && group_.rank() == 0; ++rank) {
    ClockReading reading;
    if (rank != 0) {
      const std::vector<double> answered = values_of(theirs[rank], exchanges_per_rank);
      for (std::size_t i = 0; i < answered.size(); ++i) asked[rank][i].theirs = answered[i];
      reading = best_reading(std::span(asked[rank]).subspan(first_exchanges));
    }
    for (const double value : {reading.theirs, reading.offset, reading.error}) table.push_back(value);
  }
  const std::vector<double> everybodys = values_of(group_.allgather(blob_of(table)).front(), 3 * ranks);
  std::vector<ClockReading> readings;
  for (std::size_t i = 0; i < everybodys.size(); i += 3)
    readings.push_back({everybodys[i], everybodys[i + 1], everybodys[i + 2]});
  before_ = std::exchange(now_, std::move(readings));
  for (std::size_t rank = 1; rank < ranks; ++rank)
    lines_[rank] = before_.empty() ? ClockLine(now_[rank]) : ClockLine(before_[rank], now_[rank]);
}

}  // namespace railgauge
