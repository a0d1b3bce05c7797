// The timeline for the script: each text once, times in whole nanoseconds, nodes in one list a rank.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/bandwidth.hpp"
#include "base/page/words.hpp"
#include "bench/workload/agree.hpp"
#include "bench/workload/analyse/gathering.hpp"
#include "bench/workload/page/parts.hpp"
#include "bench/workload/show/show.hpp"
#include "bench/workload/show/streams.hpp"

namespace railgauge::step_page {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

class Data {
 public:
  Data(const Workload& workload, const Matches& matches, const RunResult& result)
      : workload_(workload), matches_(matches), timeline_(result.timeline), labels_(labels_of(workload)) {}

  Json ranks(std::size_t count) {
    Json all = Json::array();
    for (std::size_t rank = 0; rank < count; ++rank) all.push_back(of_rank(rank));
    return all;
  }

  // The nodes of the path that are drawn, each by its rank, its number and what it takes of the path.
  [[nodiscard]] Json path(const CriticalPath& path) const {
    Json all = Json::array();
    for (const PathNode& node : path.nodes) {
      const auto rank = static_cast<std::size_t>(node.rank);
      if (rank >= place_.size() || node.node >= place_[rank].size() || place_[rank][node.node] < 0) continue;
      all.push_back({node.rank, place_[rank][node.node], nanoseconds(node.start), nanoseconds(node.end)});
    }
    return all;
  }

  // After ranks().
  Json take(Json ranks, Json path) {
    double end = 0;
    for (const std::vector<Interval>& rank : timeline_)
      for (const Interval& interval : rank) end = std::max(end, interval.end);
    Json labels = Json::array();
    for (const std::string& label : labels_) labels.push_back(words_.number(label));
    return {{"end", nanoseconds(end)},    {"ranks", std::move(ranks)},    {"path", std::move(path)},
            {"calls", std::move(calls_)}, {"matches", std::move(found_)}, {"labels", std::move(labels)},
            {"words", words_.take()}};
  }

 private:
  Json of_rank(std::size_t rank) {
    const std::vector<WorkNode>& nodes = workload_.nodes[rank];
    const std::vector<Interval>& times = timeline_[rank];
    Json streams = Json::array();
    std::map<int, std::size_t> row;
    for (const auto& [number, name] : stream_names(workload_, nodes)) {
      if (name.empty()) continue;  // of markers alone
      row[number] = row.size();
      streams.push_back({number, words_.number(name)});
    }
    Json list = Json::array();
    std::vector<std::int64_t>& place = place_.emplace_back(nodes.size(), -1);
    std::int64_t drawn = 0;
    for (std::size_t i = 0; i < std::min({nodes.size(), times.size(), most_drawn}); ++i) {
      const WorkNode& node = nodes[i];
      if (node.work == WorkKind::marker) continue;
      place[i] = drawn++;
      list.push_back(row[node.stream]);
      list.push_back(nanoseconds(times[i].start));
      list.push_back(nanoseconds(times[i].end) - nanoseconds(times[i].start));
      list.push_back(words_.number(node.name));
      list.push_back(words_.number(node.reason));
      list.push_back(node.communicates() ? static_cast<std::int64_t>(call(node)) : -1);
      list.push_back(node.communicates() ? match(rank, i) : -1);
    }
    Json exposed = Json::array();
    for (const Interval& span : exposed_spans(nodes, times)) {
      exposed.push_back(nanoseconds(span.start));
      exposed.push_back(nanoseconds(span.end));
    }
    return {{"streams", std::move(streams)}, {"nodes", std::move(list)}, {"exposed", std::move(exposed)}};
  }

  // Name, group, ranks of the group, type, colour, and what busbw is for an algbw of 1.
  std::size_t call(const WorkNode& node) {
    const ProcessGroup& group = workload_.groups[static_cast<std::size_t>(node.group)];
    const std::string name = call_name(node);
    const auto [found, added] = call_numbers_.try_emplace({name, node.group, node.type}, call_numbers_.size());
    if (!added) return found->second;
    const bool collective = node.work == WorkKind::collective;
    const double factor = collective ? bandwidth_factors(node.collective, static_cast<int>(group.ranks.size())).busbw : 1;
    const auto colour = std::lower_bound(labels_.begin(), labels_.end(), group.label()) - labels_.begin();
    calls_.push_back({words_.number(name), words_.number(group.label()), words_.number(group.name),
                      words_.number(text_of_ranks(group.ranks)), words_.number(std::string(railgauge::name(node.type))), colour,
                      factor});
    return found->second;
  }

  // When the last rank came, when the last part of it was done, its bytes, and the rank that came last.
  std::int64_t match(std::size_t rank, std::size_t node) {
    const std::uint32_t number = matches_.of_node[rank][node];
    if (number == no_match) return -1;
    const auto [found, added] = match_numbers_.try_emplace(number, found_.size());
    if (!added) return static_cast<std::int64_t>(found->second);
    const Gathering all = gathering_of(workload_, matches_.all[number], timeline_);
    found_.push_back({nanoseconds(all.together), nanoseconds(all.end), all.bytes, all.last});
    return static_cast<std::int64_t>(found->second);
  }

  const Workload& workload_;
  const Matches& matches_;
  const Timeline& timeline_;
  std::vector<std::string> labels_;
  std::vector<std::vector<std::int64_t>> place_;  // by rank and node: which of those that are drawn, or -1
  page::Words words_;
  std::map<std::tuple<std::string, int, Type>, std::size_t> call_numbers_;
  std::unordered_map<std::uint32_t, std::size_t> match_numbers_;
  Json calls_ = Json::array(), found_ = Json::array();
};

}  // namespace

std::vector<std::string> labels_of(const Workload& workload) {
  std::set<std::string> labels;
  for (const std::vector<WorkNode>& nodes : workload.nodes)
    for (const WorkNode& node : nodes)
      if (node.communicates()) labels.insert(workload.groups[static_cast<std::size_t>(node.group)].label());
  return {labels.begin(), labels.end()};
}

std::size_t drawn_ranks(const Workload& workload, const Timeline& timeline, std::size_t most) {
  std::size_t nodes = 0, rank = 0;
  for (; rank < timeline.size(); ++rank) {
    nodes += workload.nodes[rank].size();
    if (nodes > most && rank > 0) break;
  }
  return rank;
}

std::string data_of(const Workload& workload, const Matches& matches, const RunResult& result, const CriticalPath& path) {
  Data data(workload, matches, result);
  Json ranks = data.ranks(drawn_ranks(workload, result.timeline));
  Json drawn = data.path(path);
  return data.take(std::move(ranks), std::move(drawn)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace railgauge::step_page
