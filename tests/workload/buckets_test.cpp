// Gradient buckets beside the calls that were traced and published.
#include "bench/workload/models/models.hpp"
#include "bench/workload/models/parameters.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::models;

namespace {

std::vector<std::uint64_t> sizes(const std::vector<Bucket>& buckets) {
  std::vector<std::uint64_t> elements;
  for (const Bucket& bucket : buckets) elements.push_back(bucket.elements);
  return elements;
}

}  // namespace

TEST_CASE("ResNet-50 has the five all-reduces of public traces") {
  const auto tensors = resnet50_tensors();
  CHECK(tensors.size() == 161);
  CHECK(total(tensors) == 25'557'032);
  CHECK(sizes(gradient_buckets(tensors, 4)) == std::vector<std::uint64_t>{2'049'000, 7'875'584, 6'563'840, 6'637'568, 2'431'040});
  CHECK(sizes(gradient_buckets(tensors, 2)) == std::vector<std::uint64_t>{2'049'000, 14'439'424, 9'068'608});
  double flops = 0;
  for (const Tensor& tensor : tensors) flops += tensor.flops;
  CHECK(flops / 2e9 > 4.0);  // multiply-adds of an image
  CHECK(flops / 2e9 < 4.2);
}

TEST_CASE("BERT-large has 38 buckets in float32 and 22 in float16") {
  const auto tensors = bert_large_tensors(512);
  CHECK(total(tensors) == 336'226'108);
  const auto buckets = sizes(gradient_buckets(tensors, 4));
  REQUIRE(buckets.size() == 38);
  CHECK(std::vector<std::uint64_t>(buckets.begin(), buckets.begin() + 4) ==
        std::vector<std::uint64_t>{1'053'698, 9'475'898, 8'397'824, 7'349'248});
  CHECK(buckets.back() == 32'832'512);
  const auto halves = sizes(gradient_buckets(tensors, 2));
  REQUIRE(halves.size() == 22);
  CHECK(halves.back() == 40'181'760);
}

TEST_CASE("buckets hold every tensor once, in reverse order, and are closed at their limit") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::vector<Tensor> tensors;
    std::uint64_t random = seed;
    for (std::uint64_t i = 0; i < 1 + seed % 17; ++i) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      tensors.push_back({"t", 1 + (random >> 40) % 1000});
    }
    const BucketLimits limits{400 * (seed % 5), 4000};
    const auto buckets = gradient_buckets(tensors, 4, limits);
    std::size_t end = tensors.size();
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      CAPTURE(seed, b);
      const Bucket& bucket = buckets[b];
      CHECK(bucket.last == end);
      end = bucket.first;
      const std::uint64_t limit = b == 0 ? limits.first : limits.others;
      const std::uint64_t bytes = 4 * total(std::span(tensors).subspan(bucket.first, bucket.last - bucket.first));
      CHECK(bytes == 4 * bucket.elements);
      if (b + 1 < buckets.size()) CHECK(bytes >= limit);
      CHECK((bytes - 4 * tensors[bucket.first].elements < limit || bucket.last - bucket.first == 1));
    }
    CHECK(end == 0);
  }
}

TEST_CASE("a data-parallel step reduces each bucket once its backward is done") {
  const Workload workload = make_workload(*find_model("resnet50"), {.ranks = 4});
  REQUIRE(workload.nodes.size() == 4);
  std::uint64_t reduced = 0, broadcast = 0;
  double flops = 0;
  for (const WorkNode& node : workload.nodes[3]) {
    flops += node.flops;
    if (node.work != WorkKind::collective) continue;
    (node.collective == Collective::all_reduce ? reduced : broadcast) += node.bytes();
    if (node.collective == Collective::all_reduce) {
      REQUIRE(node.after.size() == 1);
      CHECK(workload.nodes[3][node.after[0]].work == WorkKind::compute);
    }
  }
  CHECK(reduced == 4 * 25'557'032);
  CHECK(broadcast == 212'480 + 424);
  CHECK(std::abs(flops / (3 * 256 * 8.18e9) - 1) < 0.01);
}
