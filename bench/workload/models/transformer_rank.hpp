// The step of one rank of a transformer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/workload/models/layout.hpp"
#include "bench/workload/models/pipeline.hpp"
#include "bench/workload/models/replicas.hpp"
#include "bench/workload/models/step.hpp"

namespace railgauge::models {

// Parameters that one rank holds.
[[nodiscard]] Unit unit_of(const StepLayout& layout, int layer);
[[nodiscard]] Unit embedding_unit(const StepLayout& layout);
[[nodiscard]] Unit head_unit(const StepLayout& layout);
// Of a chunk, in the order of a forward pass.
[[nodiscard]] std::vector<Unit> units_of(const StepLayout& layout, int stage, int chunk);

class TransformerRank {
 public:
  TransformerRank(const StepLayout& layout, const GridGroups& groups, int rank, std::vector<WorkNode>& nodes);
  void write();

 private:
  // Where in the step it writes: names and dependences.
  struct Now {
    Pass pass;
    int layer = 0;
  };
  void forward(const Pass& pass);
  void backward(const Pass& pass);
  void attention(bool forward);
  void dense(bool forward);
  void experts(bool forward);
  void embedding(bool forward);
  void head(bool forward);
  // A part of a layer between an all-gather and a reduce-scatter of sequence parallelism.
  void between_tensor_calls(const char* part, bool forward, double flops, const std::string& reason);
  void context_call(bool forward);
  void exchange(const char* part, bool dispatches, Type type);
  void receive(bool forward, int chunk);
  void send(bool forward, int chunk);

  void then(std::uint32_t node) { last_ = {node}; }
  [[nodiscard]] std::string name_of(const char* part) const;
  [[nodiscard]] std::uint32_t tensor_call(const char* part, Collective collective, const After& after);
  [[nodiscard]] bool is_first(int chunk) const { return place_.stage == 0 && chunk == 0; }
  [[nodiscard]] bool is_last(int chunk) const { return place_.stage == layout_.grid.pipeline - 1 && chunk == layout_.chunks - 1; }

  const StepLayout& layout_;
  const Shape& shape_;
  const GridGroups::OfRank& of_;
  Grid::Place place_;
  int rank_;
  Step step_;
  Replicas replicas_;
  Now now_;
  After last_;  // what the next computation waits for
  double tokens_;
};

}  // namespace railgauge::models
