// What `railgauge predict` gives for the points of a run, on the topology that was named.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/units.hpp"
#include "reports/result.hpp"
#include "topo/graph.hpp"

namespace railgauge {

// The ranks of a run.
struct RankPlaces {
  std::vector<std::string> hosts;  // by rank
  bool gpus = false;            // data is in the memory of GPUs: the k-th rank of a host is on its k-th GPU; else in host memory
  unsigned ranks_per_node = 0;  // for hierarchical algorithms; 0: as they are placed
};

// Threads may share it.
class Forecast {
 public:
  // Nothing is predicted where the ranks have no places in the graph, or it lacks what a prediction needs: notes() say why.
  Forecast(topo::Graph graph, RankPlaces places);

  // For people, a line each: what predictions assume, or why there are none.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  // Of one operation by itself. Nothing for what has no schedule here (a library's own collectives), for cells of a matrix,
  // blocks of uneven size and random permutations, and where no prediction is possible, whose reason the first time is told on
  // standard error.
  [[nodiscard]] std::optional<Seconds> of(const Case& point);

 private:
  using Key = std::tuple<std::string, std::string, std::string, int, int, std::uint64_t, std::uint64_t>;
  void place();
  [[nodiscard]] double predicted(const Case& point) const;  // throws Error(usage)

  topo::Graph graph_;
  RankPlaces places_;
  std::vector<std::int32_t> ranks_;  // of the graph, by rank of the run; empty where nothing is predicted
  std::vector<std::string> notes_;
  std::mutex lock_;
  std::map<Key, std::optional<Seconds>> known_;
  bool told_ = false;
};

}  // namespace railgauge
