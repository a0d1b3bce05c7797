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
  throw Error(Fault::usage,
              fmt::format("no hardware like this can pass {:.4g} GB/s of {}: the highest ceiling is that of {}, {} = {} = {:.4g} "
                          "GB/s with {} ranks in {} domains; ask for less than that",
                          bus, railgauge::name(collective), best->algorithm, best->formula, best->numbers, best->bus, team.ranks,
                          team.domains));
}

}  // namespace railgauge::validate
