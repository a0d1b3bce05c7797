// What healthy systems reach of a ceiling, by published measurements: the rows of bands.csv, which is built in. Where nobody
// has published a figure of the same generation, algorithm and size of domain, the band is unknown.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"

namespace railgauge::topo {

struct Span {
  unsigned least = 0, most = 0;
  [[nodiscard]] bool holds(unsigned value) const { return least <= value && value <= most; }
};

// Which link the smallest term of a formula is about.
enum class Limit : std::uint8_t { inside, network };

struct Band {
  Collective collective{};
  std::string algorithm;
  std::string generation;      // of the GPUs, as topo/gpu_models.hpp says it; "*" is any that is known
  std::vector<Limit> limits;   // either or both
  Span domains, gpus;          // how many domains, and how many GPUs one has
  double least = 0, most = 0;  // shares of the ceiling
  std::string size;            // of the messages, at least; empty where no source tells it
  std::vector<std::string> sources;
};

// Of a text as bands.csv is. Throws Error(usage) with the line and what was expected.
[[nodiscard]] std::vector<Band> read_bands(std::string_view csv, std::string_view origin);
[[nodiscard]] std::vector<Band> bands();  // those that are built in

// nullptr where there is none, or where the generation is empty.
[[nodiscard]] const Band* find_band(std::span<const Band>, Collective, std::string_view algorithm, std::string_view generation,
                                    Limit, unsigned domains, unsigned gpus);

extern const std::string_view bands_csv;  // made by cmake/embed.cmake

}  // namespace railgauge::topo
