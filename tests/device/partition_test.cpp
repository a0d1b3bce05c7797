// How arrays are cut for a GPU: every element once, words only where all arrays lie alike.
#include "bench/device/cuda/partition.hpp"

#include <random>
#include <vector>

#include "tests/test.hpp"

namespace railgauge {
namespace {

const std::byte* at(std::uintptr_t address) { return reinterpret_cast<const std::byte*>(address); }
std::byte* writable(std::uintptr_t address) { return reinterpret_cast<std::byte*>(address); }

}  // namespace

TEST_CASE("a partition has every element once, and words that begin at multiples of 16 bytes") {
  constexpr std::uint64_t seed = 5;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int turn = 0; turn < 20000; ++turn) {
    const std::size_t element = std::size_t{1} << (random() % 4);
    const std::size_t elements = random() % 3 == 0 ? random() % 20 : random() % (std::size_t{1} << 34);
    const std::uintptr_t begin = 4096 + random() % 16;
    const ConstBytes source(at(begin + 64), elements * element);
    const Bytes target(writable(begin), elements * element);
    const cuda::Partition cut = cuda::partition(std::vector{source, source}, std::vector{target}, element);
    CHECK(cut.elements == elements);
    const std::size_t in_words = cut.words * (cuda::word_bytes / element);
    CHECK(cut.head + in_words <= elements);
    if (begin % element == 0) {
      CHECK(cut.head < cuda::word_bytes / element + (cut.words == 0 ? elements : 0));
      CHECK((cut.words == 0 || (begin + cut.head * element) % cuda::word_bytes == 0));
      CHECK(elements - cut.head - in_words < cuda::word_bytes / element);
    } else {
      CHECK(cut.words == 0);
    }
  }
}

TEST_CASE("arrays that do not lie alike have no words") {
  const std::size_t bytes = 4096;
  for (const std::uintptr_t apart : {1U, 2U, 4U, 8U, 15U}) {
    const Bytes target(writable(8192), bytes);
    const cuda::Partition one = cuda::partition(std::vector{ConstBytes(at(16384 + apart), bytes)}, std::vector{target}, 1);
    CHECK(one.words == 0);
    CHECK(one.head == bytes);
    const std::vector<Bytes> targets{target, Bytes(writable(32768 + apart), bytes)};
    CHECK(cuda::partition(std::vector{ConstBytes(at(16384), bytes)}, targets, 1).words == 0);
  }
}

}  // namespace railgauge
