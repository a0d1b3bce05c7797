// How long each algorithm of a collective takes on a graph of links, and which link holds it up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "bench/predict/constants.hpp"
#include "bench/predict/measured/samples.hpp"
#include "bench/predict/rounds/steady.hpp"
#include "bench/predict/routes/routes.hpp"
#include "topo/graph.hpp"

namespace railgauge::predict {

struct Question {
  Collective collective = Collective::all_reduce;
  std::vector<std::string> algorithms;  // names, files of schedules, "synthesised", "all"; empty: all of the catalog
  std::vector<std::string> folders;     // of files of algorithms, those that fit
  std::vector<std::uint64_t> sizes;     // bytes
  Type type = Type::float32;
  std::int32_t root = 0;
  unsigned ranks = 0;           // 0: all of the graph
  bool machines = false;        // ranks are the machines, also of a graph with GPUs: they keep their data in host memory
  unsigned ranks_per_node = 0;  // for hierarchical algorithms; 0: as they are placed
  unsigned lanes = 1;           // equal parts of each block, each with the whole schedule: none waits for another (bench --lanes)
  std::size_t round = 0;        // this one alone, counted from 1: its time has no bandwidth. 0: all
  std::string nics;             // topo::NetworkOptions
  // Empty: tables where all switches between ranks have one, else adaptive.
  std::optional<RoutingKind> routing;
  unsigned draws = 11;     // of ecmp: how often paths are drawn
  std::uint64_t seed = 1;  // of the first draw
  Given given;
  std::vector<Measured> measured;  // wins over the table of constants
  // Groups that make the call, all at the same moment: ranks of the graph, as many in each. Empty: one group of all.
  std::vector<std::vector<std::int32_t>> groups;
  std::vector<std::uint64_t> counts;        // of all_to_all_v in a group: elements, row by row; empty: fixed shares of the size
  std::uint32_t window = 8;                 // messages of stream and bidirectional that are in flight together
  bool busiest = true;                      // also which link is busiest
  bool bound = true;                        // also what no algorithm exceeds
  std::uint64_t most_messages = 6'000'000;  // sends and receives that are simulated, of at most 1,024 ranks
  bool loads = false;                       // also how busy each link is, by the best algorithm at the last size
};

// The link that is busiest while the collective runs.
struct Busiest {
  std::size_t link = 0;  // place in Graph::links
  bool forward = true;   // from its end a to its end b
  double share = 0;      // of its capacity over the whole time
  std::string name;      // for people: "mlx5_0 of n1 to switch leaf1"
};

struct Prediction {
  std::uint64_t bytes = 0;  // those that the collective really moves
  double seconds = 0;       // the median of the draws
  double least = 0, most = 0;
  double algbw = 0, busbw = 0;  // 1e9 bytes a second
  Method method = Method::events;
  std::optional<Busiest> busiest;  // nothing where no link carries anything
  bool best = false;               // of this size
  std::uint32_t chunks = 0;        // of a pipeline of trees; else 0
  double of_bound = 0;             // the time of the bound over this one; 0 where there is no bound
};

// What no algorithm exceeds on these links (topo/bound/bound.hpp).
struct Ceiling {
  double busbw = 0;  // GB/s
  std::string line;  // for people, with the cut that causes it
  std::string json;  // topo::to_json()
};

struct Column {  // one algorithm
  std::string algorithm;
  std::string refusal;                  // why there is no prediction; empty where there is one
  std::vector<Prediction> predictions;  // one for each size
  std::int64_t trees = 0;               // of a root, of the one that is synthesised
  std::uint32_t height = 0;             // of these trees
};

// How busy the links are while one algorithm runs, of the first draw.
struct Loads {
  std::string algorithm;
  Prediction prediction;
  std::vector<double> links;  // by place in Graph::links: the share of its capacity that the busier direction uses over the whole
                              // time; negative of a link that cannot be used
};

struct Answer {
  Question question;
  unsigned ranks = 0, ranks_per_node = 1;
  unsigned machines = 1;        // on which the ranks are
  std::string device = "host";  // whose memory holds the data, as in Case::device
  RoutingKind routing = RoutingKind::adaptive;
  std::vector<Column> columns;
  std::optional<Ceiling> bound;
  std::string no_bound;  // why there is none, where the collective has one
  Costs costs;
  std::vector<std::string> assumed;  // one line each
  std::optional<Loads> loads;
};

// Throws Error(usage): for a graph that lacks a bandwidth, a path, or ranks; an algorithm that does not exist, or that was asked
// for by name and cannot serve.
[[nodiscard]] Answer predict(const topo::Graph& graph, const Question& question);

// Each ends with a newline.
[[nodiscard]] std::string to_text(const Answer& answer);
[[nodiscard]] std::string to_json(const Answer& answer);
// The same question of two graphs: what a change brings. `edits` say what was changed.
[[nodiscard]] std::string to_text(const Answer& before, const Answer& after, const std::vector<std::string>& edits);
[[nodiscard]] std::string to_json(const Answer& before, const Answer& after, const std::vector<std::string>& edits);

// The topology with its links coloured by the loads of the answer, as one SVG or as a page; `graph` is the one that was asked
// about.
[[nodiscard]] std::string draw_loads(const topo::Graph& graph, const Answer& answer, bool page);

}  // namespace railgauge::predict
