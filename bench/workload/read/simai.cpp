// Times in nanoseconds, sizes in bytes; TP innermost, then the data-parallel ranks, of which the first are the experts', then PP.
#include "bench/workload/read/simai.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/output/text.hpp"

namespace railgauge {
namespace {

constexpr std::string_view kind_of_file = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";

struct LayerCall {
  double nanoseconds = 0;
  std::string collective;
  std::uint64_t bytes = 0;
};
struct Layer {
  std::string name;
  std::size_t line = 0;
  LayerCall forward, input_gradient, weight_gradient;
  double update = 0;
};

struct Sizes {
  std::uint64_t tensor = 1, expert = 1, pipeline = 1, ranks = 0, between_stages = 0;
};

enum class GroupKind : std::uint8_t { tensor, expert, data, data_of_experts };
constexpr std::array group_kinds = {"tensor", "expert", "data", "data of experts"};

class LayerFile {
 public:
  explicit LayerFile(TraceInput& input) : input_(input) { trace_.origin = input.origin(); }

  RankTrace read() {
    read_head();
    std::string text;
    if (!next(text)) throw fail("the number of layers is missing");
    const std::uint64_t layers = whole(text, "a number of layers");
    if (layers == 0 || layers > most_nodes / 8) throw fail(fmt::format("{} layers", layers));
    while (next(text)) {
      if (text.find_first_not_of(" \t") == std::string::npos) continue;
      if (layers_.size() == layers) throw fail(fmt::format("there are more than the {} layers of line 2", layers));
      layers_.push_back(read_layer(text));
      input_.heard();
    }
    if (layers_.size() != layers) throw fail(fmt::format("line 2 says {} layers, and there are {}", layers, layers_.size()));
    add_groups();
    add_nodes();
    trace_.rank = 0;
    trace_.ranks = static_cast<int>(sizes_.ranks);
    trace_.steps = 1;
    trace_.notes.insert("all ranks do what the file says, which has one list: it stands for rank 0");
    trace_.notes.insert("the backward pass runs in reverse, and calls of weight gradients beside what follows them");
    trace_.notes.insert("sizes are taken for elements of bfloat16");
    if (sizes_.between_stages != 0)
      trace_.notes.insert(fmt::format("messages between pipeline stages (pp_comm {}) are not in the layers, and left out",
                                      sizes_.between_stages));
    return std::move(trace_);
  }

 private:
  [[nodiscard]] Error fail(const std::string& what) const {
    return {Fault::usage, fmt::format("{}:{}: {}", trace_.origin, std::max<std::size_t>(input_.lines(), 1), what)};
  }
  bool next(std::string& text) { return input_.line(text); }

  [[nodiscard]] std::uint64_t whole(std::string_view text, const char* what) const {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
      throw fail(fmt::format("expected {}, found {}", what, printable(text.substr(0, 40))));
    return number;
  }

  void read_head() {
    std::string text;
    if (!next(text) || !text.starts_with(kind_of_file)) throw fail(fmt::format("expected {}", kind_of_file));
    std::istringstream words(text.substr(kind_of_file.size()));
    std::string key, value;
    while (words >> key >> value) {
      if (key.ends_with(':')) key.pop_back();
      struct Word {
        std::string_view name;
        std::uint64_t Sizes::* size;
      };
      constexpr std::array known = {Word{"model_parallel_NPU_group", &Sizes::tensor}, Word{"ep", &Sizes::expert},
                                    Word{"pp", &Sizes::pipeline}, Word{"all_gpus", &Sizes::ranks},
                                    Word{"pp_comm", &Sizes::between_stages}};
      for (const Word& word : known)
        if (word.name == key) sizes_.*word.size = whole(value, "a number");
    }
    const auto& [tensor, expert, pipeline, ranks, between] = sizes_;
    if (ranks == 0) throw fail("all_gpus is missing: nothing says how many ranks there are");
    if (ranks > static_cast<std::uint64_t>(most_trace_ranks))
      throw fail(fmt::format("{} ranks are more than {}", ranks, most_trace_ranks));
    if (tensor == 0 || expert == 0 || pipeline == 0 || tensor > ranks || pipeline > ranks || ranks % (tensor * pipeline) != 0)
      throw fail(
          fmt::format("{} ranks do not divide into pipelines of {} with {} tensor-parallel ranks", ranks, pipeline, tensor));
    if (expert > ranks || (ranks / (tensor * pipeline)) % expert != 0)
      throw fail(
          fmt::format("{} data-parallel ranks do not divide into groups of {} experts", ranks / (tensor * pipeline), expert));
  }

  [[nodiscard]] Layer read_layer(const std::string& text) const {
    std::vector<std::string> fields;
    std::istringstream words(text);
    for (std::string word; words >> word && fields.size() <= 12;) fields.push_back(word);
    if (fields.size() != 12)
      throw fail(fmt::format("a layer has 12 fields, and here are {}{}", fields.size() > 12 ? "more than " : "",
                             std::min<std::size_t>(fields.size(), 12)));
    const auto call = [&](std::size_t at) {
      return LayerCall{static_cast<double>(whole(fields[at], "nanoseconds")), fields[at + 1], whole(fields[at + 2], "bytes")};
    };
    return {printable(fields[0].substr(0, 80)),
            input_.lines(),
            call(2),
            call(5),
            call(8),
            static_cast<double>(whole(fields[11], "nanoseconds"))};
  }

  // Members first, first + stride, ...
  void add_group(GroupKind kind, std::uint64_t number, std::uint64_t first, std::uint64_t stride, std::uint64_t count) {
    const char* const name = group_kinds[static_cast<std::size_t>(kind)];
    TraceGroup& group = trace_.groups[static_cast<std::size_t>(group_of(trace_, fmt::format("{} {}", name, number), name))];
    for (std::uint64_t i = 0; i < count; ++i) group.ranks.push_back(static_cast<int>(first + i * stride));
    group.size = static_cast<int>(count);
  }

  void add_groups() {
    const std::uint64_t data = sizes_.ranks / (sizes_.tensor * sizes_.pipeline), stage = sizes_.ranks / sizes_.pipeline;
    const std::array<bool, group_kinds.size()> used = used_kinds();
    // Group 0 of each kind is rank 0's.
    std::array<std::uint64_t, group_kinds.size()> numbers{};
    const auto add = [&](GroupKind kind, std::uint64_t first, std::uint64_t stride, std::uint64_t count) {
      const auto row = static_cast<std::size_t>(kind);
      // Of ranks that are alone the first is enough: the others have no calls to make.
      if (!used[row] || (count == 1 && numbers[row] != 0)) return;
      add_group(kind, numbers[row]++, first, stride, count);
    };
    for (std::uint64_t begin = 0; begin < sizes_.ranks; begin += stage) {
      for (std::uint64_t d = 0; d < data; ++d) add(GroupKind::tensor, begin + d * sizes_.tensor, 1, sizes_.tensor);
      for (std::uint64_t t = 0; t < sizes_.tensor; ++t) {
        add(GroupKind::data, begin + t, sizes_.tensor, data);
        for (std::uint64_t e = 0; e < data / sizes_.expert; ++e)
          add(GroupKind::expert, begin + t + e * sizes_.expert * sizes_.tensor, sizes_.tensor, sizes_.expert);
        for (std::uint64_t e = 0; e < sizes_.expert; ++e)
          add(GroupKind::data_of_experts, begin + t + e * sizes_.tensor, sizes_.tensor * sizes_.expert, data / sizes_.expert);
      }
    }
  }

  // The kinds of groups that layers have calls of.
  [[nodiscard]] std::array<bool, group_kinds.size()> used_kinds() const {
    std::array<bool, group_kinds.size()> used{};
    for (const Layer& layer : layers_)
      for (const auto& [call, weights] :
           {std::pair(&layer.forward, false), std::pair(&layer.input_gradient, false), std::pair(&layer.weight_gradient, true)})
        if (call->collective != "NONE") used[static_cast<std::size_t>(kind_of(call->collective, weights))] = true;
    return used;
  }

  static GroupKind kind_of(std::string_view collective, bool weights) {
    if (collective.ends_with("_DP_EP")) return GroupKind::data_of_experts;
    if (collective.ends_with("_EP")) return GroupKind::expert;
    return weights ? GroupKind::data : GroupKind::tensor;
  }

  // The position of the call; nothing where there is none.
  std::optional<std::uint32_t> add_call(IssueOrder& order, const Layer& layer, const LayerCall& call, bool weights) {
    if (call.collective == "NONE") return std::nullopt;
    std::string_view base = call.collective;
    base = base.substr(0, base.find('_'));
    const std::optional<CallName> known = find_call(base);
    if (!known || known->work != WorkKind::collective)
      throw Error(Fault::usage,
                  fmt::format("{}:{}: no collective {} is known", trace_.origin, layer.line, printable(call.collective)));
    TracedCall made;
    WorkNode& node = made.node;
    node.work = WorkKind::collective;
    node.collective = known->collective;
    node.name = layer.name;
    node.reason = fmt::format("line {}", layer.line);
    node.op = row(node.collective).reduces ? Op::sum : Op::none;
    node.type = call.bytes % 2 == 0 ? Type::bfloat16 : Type::uint8;
    node.elements = call.bytes / bytes_of(node.type);
    node.group = group_of(trace_, fmt::format("{} 0", group_kinds[static_cast<std::size_t>(kind_of(call.collective, weights))]));
    return order.call(std::move(made));
  }

  void add_nodes() {
    IssueOrder order(trace_);
    const auto compute = [&](const Layer& layer, double nanoseconds, const char* what) {
      order.compute(Seconds(nanoseconds * 1e-9), fmt::format("{} {}", layer.name, what));
    };
    for (const Layer& layer : layers_) {
      compute(layer, layer.forward.nanoseconds, "forward");
      if (const auto call = add_call(order, layer, layer.forward, false)) order.wait(*call);
    }
    std::vector<std::uint32_t> gradients;
    for (const Layer& layer : std::views::reverse(layers_)) {
      compute(layer, layer.input_gradient.nanoseconds, "input gradient");
      if (const auto call = add_call(order, layer, layer.input_gradient, false)) order.wait(*call);
      compute(layer, layer.weight_gradient.nanoseconds, "weight gradient");
      if (const auto call = add_call(order, layer, layer.weight_gradient, true)) gradients.push_back(*call);
    }
    for (const std::uint32_t call : gradients) order.wait(call);
    double updates = 0;
    for (const Layer& layer : layers_) updates += layer.update;
    order.compute(Seconds(updates * 1e-9), "weight updates");
  }

  TraceInput& input_;
  RankTrace trace_;
  Sizes sizes_;
  std::vector<Layer> layers_;
};

}  // namespace

RankTrace read_simai(TraceInput& input) { return LayerFile(input).read(); }

}  // namespace railgauge
