// A made-up cluster for stages: 0.125 GB/s and 10 us between any two of them where nothing is wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/outcome.hpp"
#include "bench/validate/orders/orders.hpp"
#include "bench/validate/preflight/facts.hpp"
#include "bench/validate/stages/stages.hpp"
#include "bench/validate/stages/validation_run.hpp"
#include "tests/thorough.hpp"

namespace railgauge::validate {

using nlohmann::json;

// Numbers of hosts for a case that holds for any; one of them where sanitizers make all of it ten times as long.
inline std::vector<std::size_t> few_or_more() {
  return test::sanitized ? std::vector<std::size_t>{4} : std::vector<std::size_t>{4, 8};
}

// Answers orders as its faults have it.
struct Cluster {
  std::vector<double> send, receive;     // share of the usual bandwidth, by host
  std::vector<double> longer;            // factor of latency, of a host with one that adds nothing
  std::vector<double> tails;             // factor of its 99th percentile alone
  std::vector<double> loopback, copies;  // share of the usual, of mlx5_0:1 and of cuda:1; empty: there is no such device
  std::vector<bool> cut, dead;           // no data passes; does not answer
  int dies = -1, dies_in = 0;            // a host, and the set of orders in which it dies
  std::function<double(std::size_t, std::size_t)> path;  // share of what passes from one to another; empty: all
  std::map<std::size_t, std::string> guids;              // of a host's device mlx5_0
  std::string unfit;                                     // sentence of host 0, which cannot do what it is told
  std::vector<double> loses;  // share of the packets to and from a host that are sent again; empty: none
  bool counts_packets = true;
  double noise = 0.005;
  std::mt19937_64 random{3};
  int sets = 0;
  double clock = 0;  // seconds since the run began
  // What a host's link carries between two such moments, as a share of what it does else; empty: all.
  std::function<double(std::size_t, double, double)> at_times;

  explicit Cluster(std::size_t hosts)
      : send(hosts, 1), receive(hosts, 1), longer(hosts, 1), tails(hosts, 1), cut(hosts, false), dead(hosts, false) {}

  std::size_t rails = 1;     // ranks of a host; what is said above is of ranks then
  bool share_cores = false;  // all hosts are of one machine

  std::vector<Member> members() const {
    std::vector<Member> all(send.size());
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      all[rank].node = "n" + std::to_string(rank / rails);
      all[rank].machine = share_cores ? "m" : all[rank].node;
      all[rank].there = true;
    }
    return all;
  }
  double noisy() { return std::exp(std::normal_distribution<double>(0, noise)(random)); }

  MeasuredPoint result(const std::string& what, bool back, double seconds, double bandwidth) const {
    MeasuredPoint point;
    point.what = what;
    point.back = back;
    point.bytes = 1 << 20;
    point.median = point.least = point.p95 = point.most = Seconds(seconds);
    point.busbw = bandwidth;
    point.samples = 60;
    return point;
  }
  // From `begin` on, for so many seconds.
  MeasuredPoint stream(bool back, std::size_t a, std::size_t b, double begin, double seconds) {
    MeasuredPoint all = result("stream", back, 0, 0);
    const double share = std::min({send[a], receive[b], path ? path(a, b) : 1.0}) * noisy();
    const double bandwidth = 0.125 * share;
    all.median = Seconds(0.001048576 / bandwidth);
    all.busbw = bandwidth;
    std::vector<double> each;
    for (int i = 0; i < 8; ++i) {
      const double from = begin + seconds * i / 8, to = from + seconds / 8;
      const double left = at_times ? std::min(at_times(a, from, to), at_times(b, from, to)) : 1;
      each.push_back(0.001048576 / (bandwidth * left * noisy()));
      all.stretches.emplace_back(each.back());
    }
    std::sort(each.begin(), each.end());
    if (at_times) {
      all.median = Seconds((each[3] + each[4]) / 2);
      all.busbw = 0.001048576 / all.median.count();
    }
    all.samples = static_cast<std::uint64_t>(seconds / all.median.count());
    all.begun = Seconds(begin - clock);
    return all;
  }

  // The first member with all others at the same time.
  MeasuredPoint cast(const std::string& what, const std::vector<int>& members) {
    const bool in = what == "incast";
    double others = 0;
    for (const int rank : std::span(members).subspan(1)) others += (in ? send : receive)[static_cast<std::size_t>(rank)];
    const auto one = static_cast<std::size_t>(members.front());
    return result(what, false, 0.01, 0.125 * std::min((in ? receive : send)[one], others) * noisy());
  }

  std::vector<std::vector<Answer>> carry_out(const std::string&, std::vector<Order> orders) {
    if (++sets == dies_in) dead[static_cast<std::size_t>(dies)] = true;
    std::vector<std::vector<Answer>> answers;
    for (const Order& order : orders) {
      answers.emplace_back();
      const auto any = [&](const std::vector<bool>& which) {
        return std::any_of(order.members.begin(), order.members.end(),
                           [&](int rank) { return which[static_cast<std::size_t>(rank)]; });
      };
      for (const int rank : order.members) {
        Answer answer;
        answer.rank = rank;
        if (dead[static_cast<std::size_t>(rank)]) {
          answer.ending = Answer::Ending::lost;
          answer.sentence = "rank " + std::to_string(rank) + " is gone: its connection closed";
        } else if (any(dead) || (order.members.size() > 1 && any(cut))) {
          answer.ending = Answer::Ending::late;
          answer.sentence = "rank " + std::to_string(rank) + " did not end what it was told to end within 3 s";
        } else if (!unfit.empty() && std::find(order.members.begin(), order.members.end(), 0) != order.members.end() &&
                   order.task == "measure") {
          answer.ending = Answer::Ending::failed;
          answer.fault = rank == 0 ? Fault::usage : Fault::lost;
          answer.sentence = rank == 0 ? unfit : "another rank of it is lost";
        } else if (rank == order.members.front()) {
          answer.figures = figures_of(order);
          answer.begun = Seconds(clock);
        }
        if (answer.ending == Answer::Ending::done) count_packets(order, rank, answer.figures);
        answers.back().push_back(std::move(answer));
      }
    }
    clock += lasts(orders);
    return answers;
  }
  // What the rank sent to the other of a pair; the first member's figures have results beside it.
  void count_packets(const Order& order, int rank, json& figures) {
    if (!counts_packets || order.task != "measure" || order.members.size() != 2) return;
    Measured measured = figures.is_null() ? Measured{} : figures.get<Measured>();
    const auto a = static_cast<std::size_t>(order.members.front()), b = static_cast<std::size_t>(order.members.back());
    for (const MeasureTask::PointSpec& point : order.words.get<MeasureTask>().points) {
      const bool sends = point.what != "stream" || point.back == (rank == order.members.back());
      constexpr std::uint64_t packets = 5000;
      std::uint64_t lost = 0;
      if (!loses.empty() && loses[a] + loses[b] > 0)
        lost = std::poisson_distribution<std::uint64_t>(packets * (loses[a] + loses[b]))(random);
      measured.packets.push_back({{"TCP", packets, sends ? lost : 0}, {"mlx5_0/1", 3, 3}});
    }
    figures = measured;
  }
  static constexpr double setting_up = 0.1;  // seconds, before and after what an order measures
  static double lasts(const std::vector<Order>& orders) {
    double longest = 0;
    for (const Order& order : orders)
      if (order.task == "measure") {
        const auto task = order.words.get<MeasureTask>();
        longest = std::max(longest, 2 * setting_up + static_cast<double>(task.points.size()) * task.seconds.count());
      }
    return longest;
  }
  json own(OwnFigure figure) {
    figure.gigabytes_per_second *= noisy();
    return OwnFigures{{figure}, {}};
  }
  json figures_of(const Order& order) {
    const auto a = static_cast<std::size_t>(order.members.front()), b = static_cast<std::size_t>(order.members.back());
    if (order.task == "facts") {
      topo::preflight::HostFacts facts;
      facts.host = "n" + std::to_string(a);
      facts.model = "model";
      if (const auto guid = guids.find(a); guid != guids.end()) facts.facts.push_back({"mlx5_0", "node guid", guid->second, ""});
      return Facts{topo::preflight::to_json(facts)};
    }
    if (order.task == "loopback" && !loopback.empty()) return own({"loopback", HostComponent::nic, 40 * loopback[a], "mlx5_0:1"});
    if (order.task == "copies" && !copies.empty()) return own({"copy", HostComponent::pcie, 25 * copies[a], "numa0 -> cuda:1"});
    if (order.task == "copies" || order.task == "loopback") return OwnFigures{{}, {{order.task, "there is none"}}};
    if (order.task == "step") return StepTimes{6, Seconds(0.02), Seconds(0.004)};
    if (order.task == "node") return own({"copy", HostComponent::host, 10, ""});
    Measured measured;
    std::vector<MeasuredPoint>& results = measured.results;
    const auto task = order.words.get<MeasureTask>();
    const double seconds = task.seconds.count();
    double begin = clock + setting_up;
    for (const MeasureTask::PointSpec& point : task.points) {
      if (point.what == "ping_pong") {
        const double latency = 1e-5 * (longer[a] + longer[b] - 1) * noisy();
        results.push_back(result("ping_pong", false, latency, 0));
        results.back().p99 = Seconds(2 * latency * std::max(tails[a], tails[b]) * noisy());
      } else if (point.what == "stream") {
        results.push_back(point.back ? stream(true, b, a, begin, seconds) : stream(false, a, b, begin, seconds));
      } else if (point.what == "incast" || point.what == "outcast") {
        results.push_back(cast(point.what, order.members));
      } else {
        results.push_back(result(point.what, false, 0.01, 1));
      }
      begin += seconds;
    }
    return measured;
  }
};

// What its links should carry is known of no made-up cluster.
inline ValidationOptions relative() {
  ValidationOptions options;
  options.relative = true;
  return options;
}

inline validation::Validation validate_it(
    Cluster& cluster, const ValidationOptions& options = relative(),
    const std::function<CarryOut(CarryOut)>& around = [](CarryOut inner) { return inner; }) {
  ValidationRun run(cluster.members(), options, around([&](const std::string& key, std::vector<Order> orders) {
                      return cluster.carry_out(key, std::move(orders));
                    }));
  for (const StageRow& row : stages()) {
    if (row.when_asked || (row.workload && options.workload.empty())) continue;
    validation::Stage told;
    told.name = row.name;
    row.run(run, told);
    run.found.stages.push_back(told);
  }
  conclude(run.found, false);
  return run.found;
}

inline std::vector<std::string> faulty(const validation::Validation& found) {
  std::vector<std::string> hosts;
  for (const validation::Diagnosis& diagnosis : found.diagnoses)
    if (diagnosis.faulty) hosts.push_back(diagnosis.host + " " + std::string(name(diagnosis.measure)));
  return hosts;
}

}  // namespace railgauge::validate
