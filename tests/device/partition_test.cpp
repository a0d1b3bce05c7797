// How arrays are cut for a GPU: every element once, words of 16 bytes for all but head and tail.
#include "bench/device/cuda/partition.hpp"

#include <random>
#include <vector>

#include "tests/test.hpp"

namespace railgauge {
namespace {

const std::byte* at(std::uintptr_t address) { return reinterpret_cast<const std::byte*>(address); }
std::byte* writable(std::uintptr_t address) { return reinterpret_cast<std::byte*>(address); }

std::uintptr_t address_of(const std::byte* address) { return reinterpret_cast<std::uintptr_t>(address); }

// A kernel that takes words moves all but so many bytes by them.
constexpr std::size_t most_of_an_end = 2 * cuda::word_bytes;

}  // namespace

TEST_CASE("a partition has every element once, and words that begin at multiples of 16 bytes") {
  constexpr std::uint64_t seed = 5;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int turn = 0; turn < 20000; ++turn) {
    const std::size_t element = std::size_t{1} << (random() % 4);
    const std::size_t elements = random() % 3 == 0 ? random() % 20 : random() % (std::size_t{1} << 34);
    const std::uintptr_t begin = 4096 + random() % 16;
    const ConstBytes source(at(begin + (std::size_t{1} << 40)), elements * element);
    const Bytes target(writable(begin), elements * element);
    const cuda::Partition cut = cuda::partition(std::vector{source, source}, std::vector{target}, element);
    CHECK(cut.elements == elements);
    CHECK(!cut.shifted);
    const std::size_t in_words = cut.words * (cuda::word_bytes / element);
    CHECK(cut.head + in_words <= elements);
    if (begin % element == 0) {
      CHECK(cut.head < cuda::word_bytes / element + (cut.words == 0 ? elements : 0));
      CHECK((cut.words == 0 || (begin + cut.head * element) % cuda::word_bytes == 0));
      CHECK((cut.words == 0 || elements - cut.head - in_words < cuda::word_bytes / element));
    } else {
      CHECK(cut.words == 0);
    }
  }
}

TEST_CASE("arrays that do not lie alike have words for all but head and tail, and no word is read beyond an array") {
  constexpr std::uint64_t seed = 6;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int turn = 0; turn < 20000; ++turn) {
    const std::size_t element = std::size_t{1} << (random() % 4), bytes = (random() % 100) * element;
    std::uintptr_t next = 4096;
    const auto place = [&] { return (next += 8192) + random() % 16 / element * element; };
    std::vector<ConstBytes> sources;
    std::vector<Bytes> targets;
    for (std::uint64_t i = 0, count = 1 + random() % 4; i < count; ++i) sources.emplace_back(at(place()), bytes);
    for (std::uint64_t i = 0, count = 1 + random() % 3; i < count; ++i) targets.emplace_back(writable(place()), bytes);
    const bool in_place = random() % 3 == 0;
    if (in_place) sources[0] = targets[random() % targets.size()];
    const cuda::Partition cut = cuda::partition(sources, targets, element);
    INFO("turn " << turn << ": " << sources.size() << " into " << targets.size() << ", " << bytes << " bytes, elements of "
                 << element);
    const std::size_t head = cut.head * element, words = cut.words * cuda::word_bytes;
    REQUIRE(head + words <= bytes);
    REQUIRE(cut.elements == bytes / element);
    if (cut.words == 0) {
      CHECK(head == bytes);
      CHECK(bytes < 2 * most_of_an_end);
      continue;
    }
    CHECK(head < most_of_an_end);
    CHECK(bytes - head - words < most_of_an_end);
    bool alike = true, whole = false;
    for (const Bytes& target : targets) {
      const bool its = (address_of(target.data()) + head) % cuda::word_bytes == 0;
      alike = alike && its;
      whole = whole || its;
    }
    for (const ConstBytes& source : sources) {
      const std::uintptr_t first = address_of(source.data()) + head, shift = first % cuda::word_bytes;
      alike = alike && shift == 0;
      if (shift == 0) continue;
      CHECK(first - shift >= address_of(source.data()));
      CHECK(first - shift + words + cuda::word_bytes <= address_of(source.data()) + bytes);
      // Another thread writes there while the word is read.
      for (const Bytes& target : targets) CHECK(target.data() != source.data());
    }
    CHECK(whole);
    CHECK(cut.shifted == !alike);
  }
}

TEST_CASE("a source that is shifted and written to has no words, and arrays that straddle elements have none") {
  const std::size_t bytes = 4096;
  const std::vector<Bytes> both{Bytes(writable(8192), bytes), Bytes(writable(32768 + 4), bytes)};
  const std::vector<ConstBytes> sources{both[0], both[1]};
  CHECK(cuda::partition(sources, both, 4).words == 0);
  CHECK(cuda::partition(std::vector{ConstBytes(at(16384 + 2), bytes)}, std::vector{both[0]}, 4).words == 0);
}

}  // namespace railgauge
