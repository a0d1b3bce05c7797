// The layers of ResNet-50. K. He, X. Zhang, S. Ren, J. Sun, Deep residual learning for image recognition, CVPR 2016.
#include "bench/workload/models/parameters.hpp"

namespace railgauge::models {
namespace {

class Convolutions {
 public:
  // `side`: of the output image.
  void convolution(const std::string& name, std::uint64_t in, std::uint64_t out, std::uint64_t kernel, std::uint64_t side) {
    const std::uint64_t weights = in * out * kernel * kernel;
    tensors.push_back({name + ".weight", weights, 2.0 * static_cast<double>(weights * side * side)});
  }
  void normalisation(const std::string& name, std::uint64_t channels) {
    tensors.push_back({name + ".weight", channels});
    tensors.push_back({name + ".bias", channels});
  }
  // 1 x 1, 3 x 3, 1 x 1; the first block of a stage also projects its input.
  void bottleneck(const std::string& name, std::uint64_t in, std::uint64_t width, std::uint64_t side_in, std::uint64_t side,
                  bool projects) {
    convolution(name + ".conv1", in, width, 1, side_in);
    normalisation(name + ".bn1", width);
    convolution(name + ".conv2", width, width, 3, side);
    normalisation(name + ".bn2", width);
    convolution(name + ".conv3", width, 4 * width, 1, side);
    normalisation(name + ".bn3", 4 * width);
    if (!projects) return;
    convolution(name + ".downsample.0", in, 4 * width, 1, side);
    normalisation(name + ".downsample.1", 4 * width);
  }

  std::vector<Tensor> tensors;
};

}  // namespace

std::vector<Tensor> resnet50_tensors() {
  Convolutions layers;
  layers.convolution("conv1", 3, 64, 7, 112);
  layers.normalisation("bn1", 64);
  std::uint64_t in = 64, side = 56;
  const int blocks[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    const std::uint64_t width = std::uint64_t{64} << stage, side_in = side;
    if (stage > 0) side /= 2;
    for (int block = 0; block < blocks[stage]; ++block) {
      layers.bottleneck("layer" + std::to_string(stage + 1) + "." + std::to_string(block), in, width, block == 0 ? side_in : side,
                        side, block == 0);
      in = 4 * width;
    }
  }
  layers.tensors.push_back({"fc.weight", 2'048'000, 2.0 * 2048 * 1000});
  layers.tensors.push_back({"fc.bias", 1000});
  return layers.tensors;
}

}  // namespace railgauge::models
