// Each host by itself, all at the same time: its processors and memory, and its ranks among each other.
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/validate/peers.hpp"
#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {
namespace {

using nlohmann::json;

constexpr const char* stage = "node";
constexpr int most_repeats = 2;  // of what was behind: it must be so each time

// A figure that all hosts have: what it is of, and what is slow where it is.
struct Kind {
  std::string what, part;
  friend bool operator<(const Kind& a, const Kind& b) { return std::pair(a.what, a.part) < std::pair(b.what, b.part); }
};
using Figures = std::map<Kind, std::vector<HostFigure>>;

void take(Course& course, Figures& figures, Index host, const Kind& kind, double value) {
  figures[kind].push_back({host, course.fleet.hosts[host].model, value});
}

// Every rank alone; of a host's ranks the slowest counts.
void measure_ranks(Course& course, const std::vector<Index>& hosts, const std::string& key, Figures& figures) {
  std::vector<Order> orders;
  std::vector<Index> of;
  for (const Index host : hosts)
    for (const int rank : course.ranks_of(host)) {
      Order order;
      order.task = "node";
      order.words = {{"seconds", course.options.measured.count()}, {"rank_of_host", rank - course.ranks_of(host).front()}};
      order.members = {rank};
      order.limit = course.limit_of(8);
      orders.push_back(std::move(order));
      of.push_back(host);
    }
  const auto answers = course.carry_out(stage, "alone, " + key, std::move(orders));
  std::map<std::pair<Index, Kind>, double> slowest;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = answers[i].front();
    if (answer.ending != Answer::Ending::done) {
      if (course.lives(of[i])) course.expel(of[i], stage, answer.sentence);
      continue;
    }
    for (const json& figure : answer.figures.at("figures")) {
      const Kind kind{figure.at("what").get<std::string>(), figure.at("part").get<std::string>()};
      const double value = figure.at("value").get<double>();
      const auto [place, added] = slowest.try_emplace({of[i], kind}, value);
      if (!added) place->second = std::min(place->second, value);
    }
  }
  for (const auto& [place, value] : slowest) take(course, figures, place.first, place.second, value);
}

// The ranks of each host together.
void measure_hosts(Course& course, const std::vector<Index>& hosts, const std::string& key, Figures& figures) {
  std::vector<Order> orders;
  std::vector<Index> of;
  for (const Index host : hosts) {
    if (course.ranks_of(host).size() < 2 || !course.lives(host)) continue;
    Order order;
    order.task = "measure";
    order.words = {{"parts", {{{"what", "all_reduce"}, {"bytes", "16M"}}}},
                   {"seconds", 2 * course.options.measured.count()},
                   {"watchdog", course.options.watchdog.count()},
                   {"transport", course.options.inside}};
    order.members = course.ranks_of(host);
    order.limit = course.limit_of(4);
    orders.push_back(std::move(order));
    of.push_back(host);
  }
  if (orders.empty()) return;
  const auto answers = course.carry_out(stage, "together, " + key, std::move(orders));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& first = answers[i].front();
    if (first.ending != Answer::Ending::done) continue;
    for (const json& result : first.figures.at("results"))
      if (result.at("samples").get<std::uint64_t>() > 0)
        take(course, figures, of[i], {fmt::format("all_reduce of its {} ranks, 16 MiB", course.ranks_of(of[i]).size()), "nvlink"},
             result.at("busbw").get<double>());
  }
}

Figures measure(Course& course, const std::vector<Index>& hosts, const std::string& key) {
  Figures figures;
  measure_ranks(course, hosts, key, figures);
  measure_hosts(course, hosts, key, figures);
  return figures;
}

Blame blame_of(const Course& course, const Kind& kind) {
  if (kind.part == "gpu") return Blame::gpu;
  return kind.part == "nvlink" && course.options.on_device ? Blame::nvlink : Blame::configuration;
}

void accuse(Course& course, const Kind& kind, const Behind& behind) {
  Verdict verdict;
  verdict.blame = blame_of(course, kind);
  verdict.accused = true;
  verdict.from = course.fleet.hosts[behind.host].name;
  verdict.measure = "bandwidth";
  verdict.slower = 1 - behind.share();
  verdict.odds = std::numeric_limits<double>::infinity();
  verdict.sentence = fmt::format("{}: {} reaches {:.4g} GB/s in the {}, and its peers {:.4g} GB/s ({:.1f} % less), {} times.",
                                 name(verdict.blame), verdict.from, behind.value, kind.what, behind.peers, 100 * verdict.slower,
                                 most_repeats + 1);
  verdict.next = verdict.blame == Blame::configuration
                     ? "compare what else runs there, its clocks, and how memory is placed, with its peers"
                     : "look at its clocks, temperature and errors, and have it replaced if it stays slow";
  verdict.hosts = {verdict.from};
  course.tell(stage, verdict, verdict.from);
}

}  // namespace

void run_node(Course& course, validation::Stage& told) {
  const std::vector<Index> hosts = course.living();
  const Figures all = measure(course, hosts, "first");
  for (const auto& [kind, figures] : all)
    for (const std::string& class_of : [&] {
           std::set<std::string> classes;
           for (const HostFigure& figure : figures) classes.insert(figure.class_of);
           return classes;
         }())
      course.add_figure(stage, kind.what, class_of.empty() ? "all, median" : class_of + ", median", "GB/s",
                        usual(figures, class_of));
  if (course.crowding > 1) {
    told.notes.emplace_back("hosts that share a machine are compared with nobody");
    return;
  }
  std::map<Kind, std::vector<Behind>> suspects;
  for (const auto& [kind, figures] : all)
    if (std::vector<Behind> behind = behind_peers(figures); !behind.empty()) suspects[kind] = std::move(behind);
  for (int repeat = 0; repeat < most_repeats && !suspects.empty() && !course.time_is_over(); ++repeat) {
    const Figures again = measure(course, course.living(), fmt::format("again {}", repeat + 1));
    for (auto& [kind, behind] : suspects) {
      const auto found = again.find(kind);
      const std::vector<Behind> still = found == again.end() ? std::vector<Behind>() : behind_peers(found->second);
      std::erase_if(behind, [&](const Behind& each) {
        return std::none_of(still.begin(), still.end(), [&](const Behind& other) { return other.host == each.host; });
      });
    }
  }
  for (const auto& [kind, behind] : suspects)
    for (const Behind& each : behind) accuse(course, kind, each);
  told.notes.push_back(fmt::format("{} hosts by themselves", hosts.size()));
}

}  // namespace railgauge::validate
