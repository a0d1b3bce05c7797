// Text with random damage, which every reader of files must survive: it gives a graph, or refuses in one sentence.
#pragma once

#include <random>
#include <string>

namespace railgauge::test {

// `whole`, not empty: one in four is cut at a random byte. Then up to four places are changed: a byte of `odd` instead of
// another, a stretch that is removed, or a part of the text a second time.
[[nodiscard]] inline std::string spoilt(const std::string& whole, const std::string& odd, std::mt19937& random) {
  std::string text = random() % 4 == 0 ? whole.substr(0, random() % whole.size()) : whole;
  for (auto hits = 1 + random() % 4; hits > 0 && !text.empty(); --hits) {
    const std::size_t at = random() % text.size();
    switch (random() % 3) {
      case 0:
        text[at] = odd[random() % odd.size()];
        break;
      case 1:
        text.erase(at, 1 + random() % 40);
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), random() % 60));
        break;
    }
  }
  return text;
}

}  // namespace railgauge::test
