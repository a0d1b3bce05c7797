// The layers of BERT-large. J. Devlin, M.-W. Chang, K. Lee, K. Toutanova, BERT, NAACL 2019.
#include "bench/workload/models/parameters.hpp"

namespace railgauge::models {
namespace {

constexpr std::uint64_t hidden = 1024, inner = 4096, vocabulary = 30522, positions = 512;

class Encoder {
 public:
  explicit Encoder(int sequence) : tokens_(sequence) {}
  // Weight and bias of a matrix that all tokens of a sample pass. `more`: flops that have no weight.
  void linear(const std::string& name, std::uint64_t in, std::uint64_t out, double more = 0) {
    tensors.push_back({name + ".weight", in * out, 2.0 * static_cast<double>(in * out) * tokens_ + more});
    tensors.push_back({name + ".bias", out});
  }
  void normalisation(const std::string& name) {
    tensors.push_back({name + ".weight", hidden});
    tensors.push_back({name + ".bias", hidden});
  }

  std::vector<Tensor> tensors;

 private:
  double tokens_;
};

}  // namespace

std::vector<Tensor> bert_large_tensors(int sequence) {
  Encoder layers(sequence);
  const double tokens = sequence;
  layers.tensors.push_back({"embeddings.word", vocabulary * hidden});
  layers.tensors.push_back({"embeddings.position", positions * hidden});
  layers.tensors.push_back({"embeddings.token_type", 2 * hidden});
  layers.normalisation("embeddings.norm");
  for (int layer = 0; layer < 24; ++layer) {
    const std::string name = "layer" + std::to_string(layer);
    layers.linear(name + ".query", hidden, hidden, 4.0 * tokens * tokens * hidden);  // and scores and their sums
    layers.linear(name + ".key", hidden, hidden);
    layers.linear(name + ".value", hidden, hidden);
    layers.linear(name + ".attention_output", hidden, hidden);
    layers.normalisation(name + ".attention_norm");
    layers.linear(name + ".intermediate", hidden, inner);
    layers.linear(name + ".output", inner, hidden);
    layers.normalisation(name + ".output_norm");
  }
  layers.linear("pooler", hidden, hidden);
  layers.tensors.push_back({"predictions.bias", vocabulary, 2.0 * static_cast<double>(vocabulary * hidden) * tokens});
  layers.linear("predictions.transform", hidden, hidden);
  layers.normalisation("predictions.norm");
  layers.tensors.push_back({"seq_relationship.weight", 2 * hidden});
  layers.tensors.push_back({"seq_relationship.bias", 2});
  return layers.tensors;
}

}  // namespace railgauge::models
