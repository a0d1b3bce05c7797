// The time of one algorithm on one graph, at several sizes: whichever of patterns and simulation fits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/predict/links.hpp"
#include "bench/predict/predict.hpp"
#include "bench/predict/rounds/pattern.hpp"
#include "bench/schedule/algorithms/catalog.hpp"

namespace railgauge::predict {

// One size, once for each draw of paths.
struct Drawn {
  std::vector<double> seconds;  // by draw
  Method method = Method::events;
  std::vector<double> carried;  // bytes over each arc in the first draw, of `carried_of` elements: it grows as the size does
  std::uint64_t carried_of = 0;
};

struct Costed {
  std::string refusal;       // why there is no time; empty where there is one
  std::vector<Drawn> drawn;  // of each size
};

// Refers to the links and the question, which must outlive it.
class Costing {
 public:
  // Throws Error(usage) for a question that does not fit the graph.
  Costing(const Links& links, const Question& question);
  Costing(Links&&, const Question&) = delete;

  [[nodiscard]] const topo::Network& network() const { return links_.network; }
  [[nodiscard]] const Question& question() const { return question_; }
  [[nodiscard]] const topo::View& view() const { return links_.view; }
  [[nodiscard]] const Constants& constants() const { return links_.constants; }
  [[nodiscard]] const Shape& shape() const { return shape_; }                                // of rank 0 of a group
  [[nodiscard]] const std::vector<double>& capacities() const { return links_.capacities; }  // of arcs, bytes a second
  [[nodiscard]] std::uint64_t elements(std::uint64_t bytes) const;                           // that the collective really uses

  [[nodiscard]] Costed cost(const Algorithm& algorithm, const std::vector<std::uint64_t>& elements) const;

 private:
  void place_groups();
  [[nodiscard]] Sampled steps_of_ranks(const Algorithm& algorithm, std::int32_t most) const;
  [[nodiscard]] std::string no_such_round(const Sampled& sampled) const;
  [[nodiscard]] Sampled sampled(const Algorithm& algorithm, std::optional<Regular>& regular) const;
  [[nodiscard]] std::string too_much(const Sampled& sampled, const std::optional<Regular>& regular) const;
  [[nodiscard]] std::vector<Sizes> sizes_of(const Sampled& sampled, std::uint64_t elements) const;
  [[nodiscard]] std::int32_t all_ranks() const { return shape_.ranks * groups_; }  // of all groups and lanes together
  [[nodiscard]] bool can_simulate(const Sampled& sampled) const;
  void one_draw(const Sampled& sampled, const std::vector<std::uint64_t>& elements, const std::vector<std::vector<Sizes>>& sizes,
                const std::optional<Regular>& regular, std::uint64_t seed, std::vector<Drawn>& drawn) const;

  const Links& links_;
  const Question& question_;
  Shape shape_;
  std::int32_t groups_ = 1;              // that make the call together, each lane counted as one
  std::vector<std::uint32_t> vertices_;  // of the ranks, group by group, and then of those that are in none
};

}  // namespace railgauge::predict
