// Ceilings of collectives: the most that an algorithm can reach when every link that it uses is full all the time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "topo/expect/expect.hpp"

namespace railgauge::topo {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();
constexpr double none = unknown;  // the term that a formula does not have

std::string text(double value) { return value == unknown ? "?" : fmt::format("{:.4g}", value); }

// n ranks in k domains of g; V GB/s inside, r GB/s of network for each rank, B = g*r for each domain.
struct Numbers {
  double n, k, g, V, r, B;
};

class Formulas {
 public:
  Formulas(Collective collective, const Team& team) : collective_(collective), team_(team) {
    it_.n = team.ranks;
    it_.k = team.domains;
    it_.g = it_.n / it_.k;
    it_.V = team.inside > 0 ? team.inside : unknown;
    it_.r = team.network > 0 ? team.network : unknown;
    it_.B = it_.g * it_.r;
  }

  std::vector<Ceiling> all() {
    const auto& [n, k, g, V, r, B] = it_;
    const bool one = team_.domains == 1;
    switch (collective_) {
      case Collective::all_reduce:
        all_reduce();
        break;
      case Collective::all_gather:
      case Collective::reduce_scatter:
        if (one) {
          add("ring", V, none, "V", text(V));
        } else {
          add("ring", V, B, "min(V, g*r)", fmt::format("min({}, {:g}*{})", text(V), g, text(r)));
          add("hierarchical", V, B * k / (k - 1) * (n - 1) / n, "min(V, g*r*k/(k-1)*(n-1)/n)",
              fmt::format("min({}, {:g}*{}*{:g}/{:g}*{:g}/{:g})", text(V), g, text(r), k, k - 1, n - 1, n));
        }
        break;
      case Collective::broadcast:
      case Collective::reduce:
        if (one)
          add("ring", V, none, "V", text(V));
        else
          add("ring", V, B, "min(V, g*r)", fmt::format("min({}, {:g}*{})", text(V), g, text(r)));
        break;
      case Collective::all_to_all:
      case Collective::all_to_all_v:
      case Collective::hypercube:
        if (one)
          add("direct", V, none, "V", text(V));
        else
          add("direct", V, r * (n - 1) / (n - g), "min(V, r*(n-1)/(n-g))",
              fmt::format("min({}, {}*{:g}/{:g})", text(V), text(r), n - 1, n - g));
        break;
      case Collective::gather:
      case Collective::scatter:
        if (one)
          add("direct", V, none, "V", text(V));
        else
          add("direct", V, B * (n - 1) / (n - g), "min(V, g*r*(n-1)/(n-g))",
              fmt::format("min({}, {:g}*{}*{:g}/{:g})", text(V), g, text(r), n - 1, n - g));
        break;
      case Collective::send_receive:
      case Collective::ping_pong:
      case Collective::stream:
        if (one)
          add("direct", V, none, "V", text(V));
        else
          add("direct", V, r, "min(V, r)", fmt::format("min({}, {})", text(V), text(r)));
        break;
      default:
        throw Error(Fault::usage,
                    fmt::format("no ceiling of {} is known: ask for all_reduce, all_gather, reduce_scatter, broadcast, "
                                "reduce, all_to_all, gather, scatter or send_receive",
                                name(collective_)));
    }
    std::stable_sort(list_.begin(), list_.end(), [](const Ceiling& a, const Ceiling& b) {
      return std::pair(!a.refusal.empty(), -a.bus) < std::pair(!b.refusal.empty(), -b.bus);
    });
    return std::move(list_);
  }

 private:
  void all_reduce() {
    const auto& [n, k, g, V, r, B] = it_;
    const std::string no_multicast =
        team_.multicast || team_.multicast_unknown ? "" : "NVSwitches that reduce are not here: they come with H100 and newer";
    if (team_.domains == 1) {
      add("ring", V, none, "V", text(V));
      add("nvls", V * 2 * (n - 1) / (n + 1), none, "V*2*(n-1)/(n+1)", fmt::format("{}*2*{:g}/{:g}", text(V), n - 1, n + 1),
          no_multicast);
      return;
    }
    const double across = r * (n - 1) / (k - 1);
    add("ring", V, B, "min(V, g*r)", fmt::format("min({}, {:g}*{})", text(V), g, text(r)));
    add("hierarchical", V, across, "min(V, r*(n-1)/(k-1))", fmt::format("min({}, {}*{:g}/{:g})", text(V), text(r), n - 1, k - 1));
    // Inside a domain each GPU sends its data once and receives the sum; g + 1 parts of g pass its links.
    const double local = V * g / (g + 1) * 2 * (n - 1) / n;
    const std::string local_numbers = fmt::format("{}*{:g}/{:g}*2*{:g}/{:g}", text(V), g, g + 1, n - 1, n);
    add("nvls tree", local, across, "min(V*g/(g+1)*2*(n-1)/n, r*(n-1)/(k-1))",
        fmt::format("min({}, {}*{:g}/{:g})", local_numbers, text(r), n - 1, k - 1), no_multicast);
    const std::string no_aggregation = team_.aggregation ? "" : "the fabric shows no aggregation nodes (SHARP)";
    if (team_.multicast)
      add("sharp", local, B * 2 * (n - 1) / n, "min(V*g/(g+1), g*r)*2*(n-1)/n",
          fmt::format("min({}*{:g}/{:g}, {:g}*{})*2*{:g}/{:g}", text(V), g, g + 1, g, text(r), n - 1, n), no_aggregation);
    else
      add("sharp", V, B * 2 * (n - 1) / n, "min(V, g*r*2*(n-1)/n)",
          fmt::format("min({}, {:g}*{}*2*{:g}/{:g})", text(V), g, text(r), n - 1, n), no_aggregation);
  }

  // From bus to algorithm bandwidth: nccl-tests' factors.
  [[nodiscard]] double factor() const {
    switch (collective_) {
      case Collective::all_reduce:
        return 2 * (it_.n - 1) / it_.n;
      case Collective::all_gather:
      case Collective::reduce_scatter:
      case Collective::all_to_all:
      case Collective::all_to_all_v:
      case Collective::hypercube:
      case Collective::gather:
      case Collective::scatter:
        return (it_.n - 1) / it_.n;
      default:
        return 1;
    }
  }

  // Why there is no ceiling: V or r is unknown, and either may be what bounds. Empty when both are known.
  [[nodiscard]] std::string missing() const {
    if (team_.inside <= 0 && (team_.inside_bounds || team_.domains == 1))
      return team_.inside_words.empty() ? "V is unknown" : team_.inside_words;
    if (team_.domains > 1 && team_.network <= 0) return team_.network_words.empty() ? "r is unknown" : team_.network_words;
    return {};
  }

  // Bus bandwidth is the smaller of what links inside a domain allow and what the network allows.
  void add(std::string algorithm, double inside, double network, std::string formula, std::string numbers,
           std::string refusal = {}) {
    Ceiling it;
    it.algorithm = std::move(algorithm);
    it.unknown = refusal.empty() ? missing() : std::string();
    it.bus = missing().empty() ? std::min(inside, network) : 0;
    it.limit = inside <= network ? Limit::inside : Limit::network;
    it.algorithmic = it.bus / factor();
    it.formula = std::move(formula);
    it.numbers = std::move(numbers);
    it.refusal = std::move(refusal);
    if (it.bus > 0 && it.refusal.empty() && !team_.generation.empty()) it.healthy = band_of(it);
    list_.push_back(std::move(it));
  }

  std::optional<Healthy> band_of(const Ceiling& it) {
    if (bands_.empty()) bands_ = bands();
    const Band* band =
        find_band(bands_, collective_, it.algorithm, team_.generation, it.limit, team_.domains, team_.ranks / team_.domains);
    if (band == nullptr) return std::nullopt;
    return Healthy{band->least * it.bus, band->most * it.bus, band->size, band->sources};
  }

  Collective collective_;
  const Team& team_;
  Numbers it_{};
  std::vector<Ceiling> list_;
  std::vector<Band> bands_;
};

}  // namespace

bool has_ceilings(Collective collective) noexcept {
  switch (collective) {
    case Collective::barrier:
    case Collective::bidirectional:
    case Collective::incast:
    case Collective::outcast:
    case Collective::permutation:
    case Collective::bisection:
    case Collective::pairs:
      return false;
    default:
      return true;
  }
}

std::vector<Ceiling> ceilings(Collective collective, const Team& team) {
  if (team.ranks < 2) throw Error(Fault::usage, "one rank sends nothing: ask for 2 ranks or more");
  return Formulas(collective, team).all();
}

}  // namespace railgauge::topo
