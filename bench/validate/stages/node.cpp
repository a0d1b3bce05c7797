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

constexpr const char* stage = "node";
constexpr int most_repeats = 2;  // of what was behind: it must be so each time

// A figure that all hosts have: what it is, what is slow where it is, and of which of several.
struct Kind {
  std::string what;
  OwnPart part = OwnPart::host;
  std::string of;
  friend auto operator<=>(const Kind&, const Kind&) = default;
};
using Figures = std::map<Kind, std::vector<HostFigure>>;
using Unread = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;  // what and why: hosts

struct OfHosts {
  Figures figures;
  Unread unread;
};

void take(ValidationRun& course, Figures& figures, Index host, const Kind& kind, double value) {
  figures[kind].push_back({host, course.fleet.hosts[host].model, value});
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
void take_failures(ValidationRun& course, const std::string& key, const std::map<Index, const Answer*>& failures,
                   std::size_t hosts, Unread& unread) {
  const bool of_most = failures.size() > 1 && 2 * failures.size() >= hosts;
  for (const auto& [host, answer] : failures) {
    if (!course.lives(host)) continue;
    if (of_most && answer->fault == Fault::usage) throw Error(Fault::usage, answer->sentence);
    if (!of_most && answer->fault == Fault::usage) {
      course.expel(host, stage, answer->sentence);
      continue;
    }
    // It may have been busy: once is not enough to find it faulty.
    unread[{key.substr(0, key.find(',')) + " of the stage node", answer->sentence}].push_back(course.fleet.hosts[host].name);
    if (of_most || course.found.hosts[host].state == validation::HostState::faulty) continue;
    Verdict verdict;
    verdict.from = course.fleet.hosts[host].name;
    verdict.measure = Symptom::reach;
    verdict.sentence =
        fmt::format("inconclusive: {} did not end what it was to do by itself: {}.", verdict.from, answer->sentence);
    verdict.next = "look at what else runs there, and validate again";
    course.tell(stage, verdict, verdict.from);
  }
}

void carry_out(ValidationRun& course, const std::string& key, Tasks tasks, OfHosts& measured) {
  const auto answers = course.carry_out(stage, key, std::move(tasks.orders));
  std::map<std::pair<Index, Kind>, double> slowest;
  std::map<Index, const Answer*> failures;
  const std::size_t asked = std::set<Index>(tasks.of.begin(), tasks.of.end()).size();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = answers[i].front();
    if (answer.ending != Answer::Ending::done) {
      // What is wrong with data has its verdict.
      if (answer.fault != Fault::wrong_data) failures.try_emplace(tasks.of[i], &answer);
      continue;
    }
    const auto own = answer.figures.get<OwnFigures>();
    for (const OwnFigure& figure : own.figures) {
      const Kind kind{figure.what, figure.part, figure.of};
      const double value = figure.gigabytes_per_second;
      const auto [place, added] = slowest.try_emplace({tasks.of[i], kind}, value);
      if (!added) place->second = std::min(place->second, value);
    }
    for (const OwnFigures::Unread& each : own.unread)
      measured.unread[{each.what, each.reason}].push_back(course.fleet.hosts[tasks.of[i]].name);
  }
  for (const auto& [place, value] : slowest) take(course, measured.figures, place.first, place.second, value);
  take_failures(course, key, failures, asked, measured.unread);
}

// Every rank alone.
void measure_ranks(ValidationRun& course, const std::vector<Index>& hosts, const std::string& key, OfHosts& measured) {
  Tasks tasks;
  for (const Index host : hosts)
    for (const int rank : course.ranks_of(host))
      tasks.add(host, rank, NodeTask{course.options.measured, rank - course.ranks_of(host).front()}, course.limit_of(8));
  carry_out(course, "alone, " + key, std::move(tasks), measured);
}

// GPUs and NICs of each host, by its first rank: the others rest.
void measure_devices(ValidationRun& course, const std::vector<Index>& hosts, const std::string& key, OfHosts& measured) {
  constexpr Seconds of_copy{0.1};               // of eight GPUs there are some 70
  constexpr Seconds of_copies{60}, of_port{5};  // at most
  Tasks copies, loopback;
  for (const Index host : hosts)
    if (course.lives(host)) copies.add(host, course.ranks_of(host).front(), CopiesTask{of_copy}, course.limit_of(8) + of_copies);
  carry_out(course, "copies, " + key, std::move(copies), measured);
  for (const Index host : hosts)
    if (course.lives(host))
      loopback.add(host, course.ranks_of(host).front(),
                   LoopbackTask{course.options.ports, course.options.bytes, course.options.measured, course.options.watchdog},
                   course.limit_of(8) + 8 * of_port);
  carry_out(course, "loopback, " + key, std::move(loopback), measured);
}

// The ranks of each host together.
void measure_hosts(ValidationRun& course, const std::vector<Index>& hosts, const std::string& key, OfHosts& measured) {
  std::vector<Order> orders;
  std::vector<Index> of;
  for (const Index host : hosts) {
    if (course.ranks_of(host).size() < 2 || !course.lives(host)) continue;
    Order order = order_to(MeasureTask{
        {{"all_reduce", "16M", {}, {}}}, 2 * course.options.measured, course.options.watchdog, course.options.inside});
    order.members = course.ranks_of(host);
    order.limit = course.limit_of(4);
    orders.push_back(std::move(order));
    of.push_back(host);
  }
  if (orders.empty()) return;
  const auto answers = course.carry_out(stage, "together, " + key, std::move(orders));
  std::map<Index, const Answer*> failures;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& first = answers[i].front();
    const auto wrong = std::find_if(answers[i].begin(), answers[i].end(),
                                    [](const Answer& answer) { return answer.ending != Answer::Ending::done; });
    if (wrong != answers[i].end()) {
      if (wrong->fault != Fault::wrong_data) failures.emplace(of[i], &*wrong);
      continue;
    }
    for (const MeasuredPart& result : first.figures.get<Measured>().results)
      if (result.samples > 0)
        take(course, measured.figures, of[i],
             {fmt::format("all_reduce of its {} ranks, 16 MiB", course.ranks_of(of[i]).size()),
              course.options.on_device ? OwnPart::nvlink : OwnPart::host,
              {}},
             result.busbw);
  }
  take_failures(course, "together", failures, of.size(), measured.unread);
}

OfHosts measure(ValidationRun& course, const std::vector<Index>& hosts, const std::string& key) {
  OfHosts measured;
  measure_ranks(course, hosts, key, measured);
  measure_hosts(course, hosts, key, measured);
  measure_devices(course, hosts, key, measured);
  return measured;
}

// The usual of each class of hosts; of what there is several of, over all of them.
void tell_figures(ValidationRun& course, const Figures& all) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> values;  // by what, and class
  for (const auto& [kind, figures] : all)
    for (const HostFigure& figure : figures) values[{kind.what, figure.class_of}].push_back(figure.value);
  for (auto& [place, its] : values)
    course.add_figure(stage, place.first, place.second.empty() ? "all, median" : place.second + ", median", "GB/s", median(its));
}

// For those who ask later why a host is slow with others.
void keep_shares(ValidationRun& course, const Figures& all) {
  for (const auto& [kind, figures] : all)
    for (const HostFigure& figure : figures) {
      const double middle = usual(figures, figure.class_of);
      const auto peers =
          std::count_if(figures.begin(), figures.end(), [&](const HostFigure& each) { return each.class_of == figure.class_of; });
      if (middle > 0 && static_cast<std::size_t>(peers) >= least_peers)
        course.own[figure.host].push_back({kind.part, kind.of, figure.value / middle});
    }
}

// A part of a host is called by what is to blame where it is slow; its processors and memory are how it is set up.
Blame blame_of(const Kind& kind) {
  switch (kind.part) {
    case OwnPart::host:
      break;
    case OwnPart::gpu:
      return Blame::gpu;
    case OwnPart::pcie:
      return Blame::pcie;
    case OwnPart::nvlink:
      return Blame::nvlink;
    case OwnPart::nic:
      return Blame::nic;
  }
  return Blame::configuration;
}

// Seen so often behind; faulty where that is as often as it takes.
void judge(ValidationRun& course, const Kind& kind, const Behind& behind, int times) {
  Verdict verdict;
  verdict.faulty = times > most_repeats;
  verdict.blame = verdict.faulty ? blame_of(kind) : Blame::inconclusive;
  const std::string& host = course.fleet.hosts[behind.host].name;
  verdict.from = kind.of.empty() ? host : fmt::format("{}:{}", host, kind.of);
  verdict.measure = Symptom::bandwidth;
  verdict.slower = 1 - behind.share();
  if (verdict.faulty) verdict.odds = std::numeric_limits<double>::infinity();
  verdict.sentence =
      fmt::format("{}: {} reaches {:.4g} GB/s in the {}, and its peers {:.4g} GB/s ({:.1f} % less), {}.", name(verdict.blame),
                  verdict.from, behind.value, kind.what, behind.peers, 100 * verdict.slower,
                  verdict.faulty ? fmt::format("{} times", times)
                                 : fmt::format("seen {} of {} times when the time was over", times, most_repeats + 1));
  verdict.next = verdict.blame == Blame::configuration
                     ? "compare what else runs there, its clocks, and how memory is placed, with its peers"
                     : "look at its clocks, temperature and errors, and have it replaced if it stays slow";
  if (verdict.faulty) verdict.hosts = {host};
  course.tell(stage, verdict, host);
}

}  // namespace

void run_node(ValidationRun& course, validation::Stage& told) {
  const std::vector<Index> hosts = course.living();
  const OfHosts first = measure(course, hosts, "first");
  const Figures& all = first.figures;
  tell_figures(course, all);
  for (const auto& [unread, names] : first.unread) course.found.unread.push_back({unread.first, unread.second, names});
  if (course.crowding > 1) {
    told.notes.emplace_back("hosts that share a machine are compared with nobody");
    return;
  }
  keep_shares(course, all);
  std::map<Kind, std::vector<Behind>> suspects;
  for (const auto& [kind, figures] : all)
    if (std::vector<Behind> behind = behind_peers(figures); !behind.empty()) suspects[kind] = std::move(behind);
  int times = 1;
  for (; times <= most_repeats && !suspects.empty() && !course.time_is_over(); ++times) {
    const Figures again = measure(course, course.living(), fmt::format("again {}", times)).figures;
    for (auto& [kind, behind] : suspects) {
      const auto found = again.find(kind);
      const std::vector<Behind> still = found == again.end() ? std::vector<Behind>() : behind_peers(found->second);
      std::erase_if(behind, [&](const Behind& each) {
        return std::none_of(still.begin(), still.end(), [&](const Behind& other) { return other.host == each.host; });
      });
    }
  }
  for (const auto& [kind, behind] : suspects)
    for (const Behind& each : behind) judge(course, kind, each, times);
  told.notes.push_back(fmt::format("{} hosts by themselves", hosts.size()));
}

}  // namespace railgauge::validate
