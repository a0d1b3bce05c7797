// Figures looked up by name, and compared with ceilings.
#include "bench/validate/method/expect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/error.hpp"

namespace railgauge::validate {
namespace {

std::string lower(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return all;
}

// The highest that this hardware can run; nothing where none is known, or where the number of one that could be higher is not.
std::optional<topo::Ceiling> highest(Collective collective, const topo::Team& team) {
  std::optional<topo::Ceiling> best;
  for (const topo::Ceiling& it : topo::ceilings(collective, team)) {
    if (!it.refusal.empty()) continue;
    if (it.bus <= 0) return std::nullopt;
    if (!best || it.bus > best->bus) best = it;
  }
  return best;
}

std::vector<topo::Ceiling> with_bands(Collective collective, const topo::Team& team) {
  std::vector<topo::Ceiling> all = topo::ceilings(collective, team);
  std::erase_if(all, [](const topo::Ceiling& it) { return !it.healthy || !it.refusal.empty(); });
  return all;
}

constexpr std::string_view figures[] = {"all_reduce",   "all_gather",        "reduce_scatter", "all_to_all",
                                        "send_receive", "host to device",    "device to host", "device to device",
                                        "write",        "latency of a write"};
constexpr std::string_view origins[] = {"specified", "measured", "asked for"};

}  // namespace

std::string_view name(Figure figure) noexcept { return figures[static_cast<std::size_t>(figure)]; }
std::string_view name(Origin origin) noexcept { return origins[static_cast<std::size_t>(origin)]; }

std::vector<Reference> references_for(std::string_view words, Figure figure) {
  std::vector<std::string> asked;
  std::istringstream stream(lower(words));
  for (std::string word; stream >> word;) asked.push_back(word);
  std::vector<Reference> found;
  if (asked.empty()) return found;
  for (const Reference& it : references()) {
    const std::string platform = lower(it.platform);
    if (it.figure == figure && std::all_of(asked.begin(), asked.end(),
                                           [&](const std::string& word) { return platform.find(word) != std::string::npos; }))
      found.push_back(it);
  }
  return found;
}

void check_threshold(Collective collective, const topo::Team& team, double bus) {
  const std::optional<topo::Ceiling> best = highest(collective, team);
  if (!best || bus <= best->bus) return;
  std::string published;
  for (const topo::Ceiling& it : with_bands(collective, team))
    published += fmt::format("{} {:.0f} to {:.0f} GB/s with {}", published.empty() ? "; published systems like this reach" : ",",
                             it.healthy->least, it.healthy->most, it.algorithm);
  throw Error(Fault::usage,
              fmt::format("no hardware like this can pass {:.4g} GB/s of {}: the highest ceiling is that of {}, {} = {} = {:.4g} "
                          "GB/s with {} ranks in {} domains{}; ask for less than that",
                          bus, railgauge::name(collective), best->algorithm, best->formula, best->numbers, best->bus, team.ranks,
                          team.domains, published));
}

Standing standing(Collective collective, const topo::Team& team, double bus) {
  const std::vector<topo::Ceiling> known = with_bands(collective, team);
  if (known.empty() || !highest(collective, team)) return Standing::unknown;
  double least = known.front().healthy->least;
  double most = least;
  for (const topo::Ceiling& it : known) {
    least = std::min(least, it.healthy->least);
    most = std::max(most, it.healthy->least);
  }
  if (bus < least) return Standing::fails;
  return bus < most ? Standing::doubtful : Standing::good;
}

}  // namespace railgauge::validate
