// Passes, layers and their calls; bench/workload/models/transformer_rank.hpp. docs/workloads.md has the formulas.
#include "bench/workload/models/transformer_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/workload/models/uneven.hpp"

namespace railgauge::models {
namespace {

constexpr int forward_tag = 0, backward_tag = 1;

}  // namespace

Unit unit_of(const StepLayout& layout, int layer) {
  const Shape& shape = layout.shape;
  const auto t = static_cast<std::uint64_t>(layout.grid.tensor), e = static_cast<std::uint64_t>(layout.grid.expert);
  Unit unit;
  unit.name = fmt::format("layer {}", layer);
  unit.dense = attention_parameters(shape) / t + norm_parameters(shape);
  if (has_experts(shape, layer)) {
    unit.dense += shape.shared * expert_parameters(shape) / t + router_parameters(shape);
    unit.experts = shape.experts / e * expert_parameters(shape) / (e == 1 ? t : 1);
  } else {
    unit.dense += dense_parameters(shape) / t;
  }
  return unit;
}

Unit embedding_unit(const StepLayout& layout) {
  const Shape& shape = layout.shape;
  const auto t = static_cast<std::uint64_t>(layout.grid.tensor);
  return {"embedding", shape.vocabulary * shape.hidden / t + shape.positions * shape.hidden, 0};
}

// Where the output layer is the word embedding and on the same rank, that rank has it once.
Unit head_unit(const StepLayout& layout) {
  const Shape& shape = layout.shape;
  const std::uint64_t matrix = shape.tied && layout.grid.pipeline == 1 ? 0 : shape.vocabulary * shape.hidden;
  return {"head", matrix / static_cast<std::uint64_t>(layout.grid.tensor) + (shape.biases ? 2 : 1) * shape.hidden, 0};
}

std::vector<Unit> units_of(const StepLayout& layout, int stage, int chunk) {
  std::vector<Unit> units;
  if (stage == 0 && chunk == 0) units.push_back(embedding_unit(layout));
  const StepLayout::Layers layers = layout.layers(stage, chunk);
  for (int layer = layers.first; layer < layers.last; ++layer) units.push_back(unit_of(layout, layer));
  if (stage == layout.grid.pipeline - 1 && chunk == layout.chunks - 1) units.push_back(head_unit(layout));
  return units;
}

TransformerRank::TransformerRank(const StepLayout& layout, const GridGroups& groups, int rank, std::vector<WorkNode>& nodes)
    : layout_(layout),
      shape_(layout.shape),
      of_(groups.of(rank)),
      place_(layout.grid.place_of(rank)),
      rank_(rank),
      step_(nodes, layout.flops_per_second),
      replicas_(layout, of_, step_),
      tokens_(static_cast<double>(layout.tokens())) {}

std::string TransformerRank::name_of(const char* part) const {
  return fmt::format("{} {} layer {} {}", now_.pass.forward ? "forward" : "backward", now_.pass.micro_batch, now_.layer, part);
}

std::uint32_t TransformerRank::tensor_call(const char* part, Collective collective, const After& after) {
  return step_.call({name_of(part),
                     fmt::format("sequence parallel: b s h = {} x {} x {}", layout_.micro_batch,
                                 layout_.sequence / layout_.grid.context, shape_.hidden),
                     tensor, collective, of_.tensor, Type::bfloat16,
                     collective == Collective::reduce_scatter ? Op::sum : Op::none, layout_.tokens() * shape_.hidden},
                    after);
}

// Backward gathers the gradient of the output and, once more, the input, for the gradients of the weights.
void TransformerRank::between_tensor_calls(const char* part, bool forward, double flops, const std::string& reason) {
  const double its = flops / layout_.grid.tensor * (forward ? 1 : 2);
  if (of_.tensor == GridGroups::no_group) return then(step_.compute(name_of(part), reason, its, last_));
  const std::string what = part;
  const std::uint32_t gathered = tensor_call((what + " gather").c_str(), Collective::all_gather, last_);
  const std::uint32_t computed = step_.compute(name_of(part), reason, its, {gathered});
  After ready{computed};
  if (!forward) ready.push_back(tensor_call((what + " input").c_str(), Collective::all_gather, {gathered}));
  then(tensor_call((what + " scatter").c_str(), Collective::reduce_scatter, ready));
}

// Keys and values of the whole sequence on each context rank; backward sums their gradients.
void TransformerRank::context_call(bool forward) {
  if (of_.context == GridGroups::no_group) return;
  const std::uint64_t heads =
      std::max<std::uint64_t>(1, shape_.key_value_heads / static_cast<std::uint64_t>(layout_.grid.tensor));
  const auto all = static_cast<std::uint64_t>(layout_.micro_batch) * static_cast<std::uint64_t>(layout_.sequence);
  then(step_.call({name_of("keys and values"),
                   fmt::format("context parallel: 2 b s k d = 2 x {} x {} x {} x {}", layout_.micro_batch, layout_.sequence,
                               heads, shape_.head),
                   context, forward ? Collective::all_gather : Collective::reduce_scatter, of_.context, Type::bfloat16,
                   forward ? Op::none : Op::sum, 2 * all * heads * shape_.head},
                  last_));
}

void TransformerRank::attention(bool forward) {
  const double weights = 2 * static_cast<double>(attention_parameters(shape_)) * tokens_;
  const double scores =
      2 * static_cast<double>(shape_.heads * shape_.head) * layout_.sequence * tokens_;  // causal: half of 4 h s
  if (!forward) context_call(false);
  if (forward && of_.context != GridGroups::no_group) context_call(true);
  between_tensor_calls("attention", forward, weights + scores,
                       fmt::format("{}(2 x parameters + 2 h s) x tokens / t", forward ? "" : "2 x "));
}

void TransformerRank::dense(bool forward) {
  between_tensor_calls("feed-forward", forward, 2 * static_cast<double>(dense_parameters(shape_)) * tokens_,
                       fmt::format("{}2 x parameters x tokens / t", forward ? "" : "2 x "));
}

// Tokens of this rank go to the ranks of their experts, or come back from there. With sequence parallelism a rank has its share
// of the tokens.
void TransformerRank::exchange(const char* part, bool dispatches, Type type) {
  if (of_.expert == GridGroups::no_group) return;
  const auto shared = layout_.tokens() / static_cast<std::uint64_t>(layout_.grid.tensor);
  const int me = rank_ % layout_.grid.expert;
  UnevenCounts counts = uneven_counts(shared * shape_.chosen, layout_.grid.expert, me, now_.layer, layout_.imbalance);
  for (std::vector<std::uint64_t>* const list : {&counts.sends, &counts.receives})
    for (std::uint64_t& count : *list) count *= shape_.hidden;
  if (!dispatches) std::swap(counts.sends, counts.receives);
  then(step_.exchange(
      {name_of(part),
       fmt::format("{} tokens x {} experts x h = {}, over {} ranks", shared, shape_.chosen, shape_.hidden, layout_.grid.expert),
       expert, Collective::all_to_all_v, of_.expert, type, Op::none, 0},
      std::move(counts.sends), std::move(counts.receives), last_));
}

// Backward, gradients go to the experts (as the combined outputs came), and those of the inputs come back; in bfloat16 both.
void TransformerRank::experts(bool forward) {
  const auto t = static_cast<double>(layout_.grid.tensor);
  exchange(forward ? "dispatch" : "gradient dispatch", true, forward ? shape_.dispatch : Type::bfloat16);
  const double chosen = static_cast<double>(shape_.chosen + shape_.shared) * static_cast<double>(expert_parameters(shape_));
  then(step_.compute(
      name_of("experts"),
      fmt::format("{}2 x parameters of {} experts x tokens / t", forward ? "" : "2 x ", shape_.chosen + shape_.shared),
      (forward ? 2 : 4) * (chosen + static_cast<double>(router_parameters(shape_))) * tokens_ / t, last_));
  exchange(forward ? "combine" : "gradient combine", false, Type::bfloat16);
}

void TransformerRank::embedding(bool forward) {
  if (of_.tensor != GridGroups::no_group)
    then(tensor_call("embedding", forward ? Collective::reduce_scatter : Collective::all_gather, last_));
}

void TransformerRank::head(bool forward) {
  const double flops = 2 * static_cast<double>(shape_.vocabulary * shape_.hidden) * tokens_ / layout_.grid.tensor;
  const char* const reason = forward ? "2 V h x tokens / t" : "2 x 2 V h x tokens / t";
  if (of_.tensor == GridGroups::no_group)
    return then(step_.compute(name_of("logits"), reason, forward ? flops : 2 * flops, last_));
  if (!forward) {
    const std::uint32_t gathered = tensor_call("logits input", Collective::all_gather, last_);
    const std::uint32_t computed = step_.compute(name_of("logits"), reason, 2 * flops, last_);
    return then(tensor_call("logits scatter", Collective::reduce_scatter, {gathered, computed}));
  }
  then(tensor_call("logits gather", Collective::all_gather, last_));
  then(step_.compute(name_of("logits"), reason, flops, last_));
  for (const auto& [part, op] : {std::pair("largest logit", Op::max), std::pair("sum of exponentials", Op::sum)})
    then(step_.call({name_of(part), "loss over the divided vocabulary: b s numbers", tensor, Collective::all_reduce, of_.tensor,
                     Type::float32, op, layout_.tokens()},
                    last_));
}

void TransformerRank::receive(bool forward, int chunk) {
  if (forward ? is_first(chunk) : is_last(chunk)) return;
  const int p = layout_.grid.pipeline;
  const int from = forward ? (place_.stage + p - 1) % p : (place_.stage + 1) % p;
  const std::uint64_t elements = layout_.tokens() * shape_.hidden / static_cast<std::uint64_t>(layout_.grid.tensor);
  last_.push_back(step_.message(
      WorkKind::receive,
      {fmt::format("{} {}", forward ? "activations" : "gradients", now_.pass.micro_batch), "stage boundary: b s h / (c t)",
       forward ? receive_on : receive_back, Collective::all_reduce, of_.pipeline, Type::bfloat16, Op::none, elements},
      from, forward ? forward_tag : backward_tag, last_));
}

void TransformerRank::send(bool forward, int chunk) {
  if (forward ? is_last(chunk) : is_first(chunk)) return;
  const int p = layout_.grid.pipeline;
  const int to = forward ? (place_.stage + 1) % p : (place_.stage + p - 1) % p;
  const std::uint64_t elements = layout_.tokens() * shape_.hidden / static_cast<std::uint64_t>(layout_.grid.tensor);
  (void)step_.message(
      WorkKind::send,
      {fmt::format("{} {}", forward ? "activations" : "gradients", now_.pass.micro_batch), "stage boundary: b s h / (c t)",
       forward ? send_on : send_back, Collective::all_reduce, of_.pipeline, Type::bfloat16, Op::none, elements},
      to, forward ? forward_tag : backward_tag, last_);
}

void TransformerRank::forward(const Pass& pass) {
  now_ = {pass, 0};
  const std::vector<Unit> units = units_of(layout_, place_.stage, pass.chunk);
  replicas_.enter(units, true, last_);
  receive(true, pass.chunk);
  std::size_t unit = 0;
  if (is_first(pass.chunk)) {
    last_ = replicas_.wait_for(unit++, last_);
    embedding(true);
  }
  const StepLayout::Layers layers = layout_.layers(place_.stage, pass.chunk);
  for (now_.layer = layers.first; now_.layer < layers.last; ++now_.layer) {
    last_ = replicas_.wait_for(unit++, last_);
    attention(true);
    has_experts(shape_, now_.layer) ? experts(true) : dense(true);
  }
  if (is_last(pass.chunk)) {
    last_ = replicas_.wait_for(unit, last_);
    head(true);
  }
  send(true, pass.chunk);
}

void TransformerRank::backward(const Pass& pass) {
  now_ = {pass, layout_.layers(place_.stage, pass.chunk).last - 1};
  std::vector<Unit> units = units_of(layout_, place_.stage, pass.chunk);
  std::reverse(units.begin(), units.end());
  const bool last_micro_batch = pass.micro_batch == layout_.micro_batches - 1;
  replicas_.enter(units, false, last_);
  receive(false, pass.chunk);
  std::size_t unit = 0;
  const auto begin = [&] { last_ = replicas_.wait_for(unit, last_); };
  const auto end = [&] {
    replicas_.reduce(units[unit], last_micro_batch, unit + 1 == units.size(), last_);
    ++unit;
  };
  if (is_last(pass.chunk)) {
    begin();
    head(false);
    end();
  }
  const StepLayout::Layers layers = layout_.layers(place_.stage, pass.chunk);
  for (now_.layer = layers.last - 1; now_.layer >= layers.first; --now_.layer) {
    begin();
    has_experts(shape_, now_.layer) ? experts(false) : dense(false);
    attention(false);
    end();
  }
  now_.layer = 0;
  if (is_first(pass.chunk)) {
    begin();
    embedding(false);
    end();
  }
  send(false, pass.chunk);
}

void TransformerRank::write() {
  std::vector<Unit> units;
  for (int chunk = 0; chunk < layout_.chunks; ++chunk)
    for (Unit& unit : units_of(layout_, place_.stage, chunk)) units.push_back(std::move(unit));
  replicas_.begin(units);
  for (const Pass& pass : passes_of(place_.stage, layout_.grid.pipeline, layout_.micro_batches, layout_.chunks))
    pass.forward ? forward(pass) : backward(pass);
  After end = replicas_.reductions();
  end.insert(end.end(), last_.begin(), last_.end());
  if (of_.embedding != GridGroups::no_group)
    end.push_back(step_.call({"embedding gradients", "the tied embedding of the first and the last stage: V h / t", data,
                              Collective::all_reduce, of_.embedding, layout_.gradients, Op::sum,
                              shape_.vocabulary * shape_.hidden / static_cast<std::uint64_t>(layout_.grid.tensor)},
                             last_));
  step_.marker("optimizer", std::move(end));
}

}  // namespace railgauge::models
