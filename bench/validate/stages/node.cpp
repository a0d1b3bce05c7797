// Each host by itself, all at the same time: its processors and memory, its ranks among each other, its GPUs and its NICs.
#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/statistics/median.hpp"
#include "bench/validate/method/peers.hpp"
#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* node_stage = "node";
constexpr int most_repeats = 2;  // of what was behind: it must be so each time

// A figure that all hosts have: what it is, what is slow where it is, and of which of several.
struct Kind {
  std::string what;
  HostComponent component = HostComponent::host;
  std::string of;
  friend auto operator<=>(const Kind&, const Kind&) = default;
};
using Figures = std::map<Kind, std::vector<HostFigure>>;
using Unread = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;  // what and why: hosts

struct OfHosts {
  Figures figures;
  Unread unread;
};

void take(ValidationRun& run, Figures& figures, Index host, const Kind& kind, double value) {
  figures[kind].push_back({host, run.fleet.hosts[host].model, value});
}

// Orders of one rank each, of which the slowest of a host counts.
struct Tasks {
  std::vector<Order> orders;
  std::vector<Index> of;  // hosts

  template <class Task>
  void add(Index host, int rank, const Task& task, Seconds limit) {
    Order order = order_to(task);
    order.members = {rank};
    order.limit = limit;
    orders.push_back(std::move(order));
    of.push_back(host);
  }
};

// Who could not do what it was told. What half of the hosts or more cannot do is no fault of theirs.
void take_failures(ValidationRun& run, const std::string& key, const std::map<Index, const Answer*>& failures, std::size_t hosts,
                   Unread& unread) {
  const bool of_most = failures.size() > 1 && 2 * failures.size() >= hosts;
  for (const auto& [host, answer] : failures) {
    if (!run.lives(host)) continue;
    if (of_most && answer->fault == Fault::usage) throw Error(Fault::usage, answer->sentence);
    if (!of_most && answer->fault == Fault::usage) {
      run.expel(host, node_stage, answer->sentence);
      continue;
    }
    // It may have been busy: once is not enough to find it faulty.
    unread[{key.substr(0, key.find(',')) + " of the stage node", answer->sentence}].push_back(run.fleet.hosts[host].name);
    if (of_most || run.found.hosts[host].state == validation::HostState::faulty) continue;
    Diagnosis diagnosis;
    diagnosis.from = run.fleet.hosts[host].name;
    diagnosis.measure = Symptom::reach;
    diagnosis.sentence =
        fmt::format("inconclusive: {} did not end what it was to do by itself: {}.", diagnosis.from, answer->sentence);
    diagnosis.next = "look at what else runs there, and validate again";
    run.tell(node_stage, diagnosis, diagnosis.from);
  }
}

void carry_out(ValidationRun& run, const std::string& key, Tasks tasks, OfHosts& measured) {
  const auto answers = run.carry_out(node_stage, key, std::move(tasks.orders));
  std::map<std::pair<Index, Kind>, double> slowest;
  std::map<Index, const Answer*> failures;
  const std::size_t asked = std::set<Index>(tasks.of.begin(), tasks.of.end()).size();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = answers[i].front();
    if (answer.ending != Answer::Ending::done) {
      // Wrong data has its diagnosis.
      if (answer.fault != Fault::wrong_data) failures.try_emplace(tasks.of[i], &answer);
      continue;
    }
    const auto own = answer.figures.get<OwnFigures>();
    for (const OwnFigure& figure : own.figures) {
      const Kind kind{figure.what, figure.component, figure.of};
      const double value = figure.gigabytes_per_second;
      const auto [place, added] = slowest.try_emplace({tasks.of[i], kind}, value);
      if (!added) place->second = std::min(place->second, value);
    }
    for (const OwnFigures::Unread& each : own.unread)
      measured.unread[{each.what, each.reason}].push_back(run.fleet.hosts[tasks.of[i]].name);
  }
  for (const auto& [place, value] : slowest) take(run, measured.figures, place.first, place.second, value);
  take_failures(run, key, failures, asked, measured.unread);
}

// Every rank alone.
void measure_ranks(ValidationRun& run, const std::vector<Index>& hosts, const std::string& key, OfHosts& measured) {
  Tasks tasks;
  for (const Index host : hosts)
    for (const int rank : run.ranks_of(host))
      tasks.add(host, rank, NodeTask{run.options.measured, rank - run.ranks_of(host).front()}, run.limit_of(8));
  carry_out(run, "alone, " + key, std::move(tasks), measured);
}

// GPUs and NICs of each host, by its first rank: the others rest.
void measure_devices(ValidationRun& run, const std::vector<Index>& hosts, const std::string& key, OfHosts& measured) {
  constexpr Seconds of_copy{0.1};               // of eight GPUs there are some 70
  constexpr Seconds of_copies{60}, of_port{5};  // at most
  Tasks copies, loopback;
  for (const Index host : hosts)
    if (run.lives(host)) copies.add(host, run.ranks_of(host).front(), CopiesTask{of_copy}, run.limit_of(8) + of_copies);
  carry_out(run, "copies, " + key, std::move(copies), measured);
  for (const Index host : hosts)
    if (run.lives(host))
      loopback.add(host, run.ranks_of(host).front(),
                   LoopbackTask{run.options.ports, run.options.bytes, run.options.measured, run.options.watchdog},
                   run.limit_of(8) + 8 * of_port);
  carry_out(run, "loopback, " + key, std::move(loopback), measured);
}

// The ranks of each host together.
void measure_hosts(ValidationRun& run, const std::vector<Index>& hosts, const std::string& key, OfHosts& measured) {
  std::vector<Order> orders;
  std::vector<Index> of;
  for (const Index host : hosts) {
    if (run.ranks_of(host).size() < 2 || !run.lives(host)) continue;
    Order order = order_to(
        MeasureTask{{{"all_reduce", "16M", {}, {}}}, 2 * run.options.measured, run.options.watchdog, run.options.inside});
    order.members = run.ranks_of(host);
    order.limit = run.limit_of(4);
    orders.push_back(std::move(order));
    of.push_back(host);
  }
  if (orders.empty()) return;
  const auto answers = run.carry_out(node_stage, "together, " + key, std::move(orders));
  std::map<Index, const Answer*> failures;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& first = answers[i].front();
    const auto wrong = std::find_if(answers[i].begin(), answers[i].end(),
                                    [](const Answer& answer) { return answer.ending != Answer::Ending::done; });
    if (wrong != answers[i].end()) {
      if (wrong->fault != Fault::wrong_data) failures.emplace(of[i], &*wrong);
      continue;
    }
    for (const MeasuredPoint& result : first.figures.get<Measured>().results)
      if (result.samples > 0)
        take(run, measured.figures, of[i],
             {fmt::format("all_reduce of its {} ranks, 16 MiB", run.ranks_of(of[i]).size()),
              run.options.on_device ? HostComponent::nvlink : HostComponent::host,
              {}},
             result.busbw);
  }
  take_failures(run, "together", failures, of.size(), measured.unread);
}

OfHosts measure(ValidationRun& run, const std::vector<Index>& hosts, const std::string& key) {
  OfHosts measured;
  measure_ranks(run, hosts, key, measured);
  measure_hosts(run, hosts, key, measured);
  measure_devices(run, hosts, key, measured);
  return measured;
}

// The usual of each class of hosts; of what there is several of, over all of them.
void tell_figures(ValidationRun& run, const Figures& all) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> values;  // by what, and class
  for (const auto& [kind, figures] : all)
    for (const HostFigure& figure : figures) values[{kind.what, figure.class_of}].push_back(figure.value);
  for (auto& [place, its] : values)
    run.add_figure(node_stage, place.first, place.second.empty() ? "all, median" : place.second + ", median", "GB/s",
                   median(its));
}

// For those who ask later why a host is slow with others.
void keep_shares(ValidationRun& run, const Figures& all) {
  for (const auto& [kind, figures] : all)
    for (const HostFigure& figure : figures) {
      const double middle = usual(figures, figure.class_of);
      const auto peers =
          std::count_if(figures.begin(), figures.end(), [&](const HostFigure& each) { return each.class_of == figure.class_of; });
      if (middle > 0 && static_cast<std::size_t>(peers) >= least_peers)
        run.own[figure.host].push_back({kind.component, kind.of, figure.value / middle});
    }
}

// A part of a host is called by what is to blame where it is slow; its processors and memory are how it is set up.
Blame blame_of(const Kind& kind) {
  switch (kind.component) {
    case HostComponent::host:
      break;
    case HostComponent::gpu:
      return Blame::gpu;
    case HostComponent::pcie:
      return Blame::pcie;
    case HostComponent::nvlink:
      return Blame::nvlink;
    case HostComponent::nic:
      return Blame::nic;
  }
  return Blame::configuration;
}

// Seen so often behind; faulty where that is as often as it takes.
void judge(ValidationRun& run, const Kind& kind, const Behind& behind, int times) {
  Diagnosis diagnosis;
  diagnosis.faulty = times > most_repeats;
  diagnosis.blame = diagnosis.faulty ? blame_of(kind) : Blame::inconclusive;
  const std::string& host = run.fleet.hosts[behind.host].name;
  diagnosis.from = kind.of.empty() ? host : fmt::format("{}:{}", host, kind.of);
  diagnosis.measure = Symptom::bandwidth;
  diagnosis.slower = 1 - behind.share();
  if (diagnosis.faulty) diagnosis.odds = std::numeric_limits<double>::infinity();
  diagnosis.sentence =
      fmt::format("{}: {} reaches {:.4g} GB/s in the {}, and its peers {:.4g} GB/s ({:.1f} % less), {}.", name(diagnosis.blame),
                  diagnosis.from, behind.value, kind.what, behind.peers, 100 * diagnosis.slower,
                  diagnosis.faulty ? fmt::format("{} times", times)
                                   : fmt::format("seen {} of {} times when the time was over", times, most_repeats + 1));
  diagnosis.next = diagnosis.blame == Blame::configuration
                       ? "compare what else runs there, its clocks, and how memory is placed, with its peers"
                       : "look at its clocks, temperature and errors, and have it replaced if it stays slow";
  if (diagnosis.faulty) diagnosis.hosts = {host};
  run.tell(node_stage, diagnosis, host);
}

}  // namespace

void run_node(ValidationRun& run, validation::Stage& told) {
  const std::vector<Index> hosts = run.living();
  const OfHosts first = measure(run, hosts, "first");
  const Figures& all = first.figures;
  tell_figures(run, all);
  for (const auto& [unread, names] : first.unread) run.found.unread.push_back({unread.first, unread.second, names});
  if (run.crowding > 1) {
    told.notes.emplace_back("hosts that share a machine are compared with nobody");
    return;
  }
  keep_shares(run, all);
  std::map<Kind, std::vector<Behind>> suspects;
  for (const auto& [kind, figures] : all)
    if (std::vector<Behind> behind = behind_peers(figures); !behind.empty()) suspects[kind] = std::move(behind);
  int times = 1;
  for (; times <= most_repeats && !suspects.empty() && !run.time_is_over(); ++times) {
    const Figures again = measure(run, run.living(), fmt::format("again {}", times)).figures;
    for (auto& [kind, behind] : suspects) {
      const auto found = again.find(kind);
      const std::vector<Behind> still = found == again.end() ? std::vector<Behind>() : behind_peers(found->second);
      std::erase_if(behind, [&](const Behind& each) {
        return std::none_of(still.begin(), still.end(), [&](const Behind& other) { return other.host == each.host; });
      });
    }
  }
  for (const auto& [kind, behind] : suspects)
    for (const Behind& each : behind) judge(run, kind, each, times);
  told.notes.push_back(fmt::format("{} hosts by themselves", hosts.size()));
}

}  // namespace railgauge::validate
