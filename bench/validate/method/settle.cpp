// Two sets of casts: what the first suggests, the second must bear out.
#include "bench/validate/method/settle.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace railgauge::validate {
namespace {

class Settling {
 public:
  Settling(const Fleet& fleet, const Samples& samples, const Levels& levels, const std::vector<bool>& absent,
           const MeasureCasts& measure)
      : fleet_(fleet), samples_(samples), levels_(levels), absent_(absent), measure_(measure) {}

  Settled run() {
    judge();
    if (!settled_.standing.all_reach && count_present() > 2) {
      const std::vector<Index> asked = in_doubt();
      casts_ = measure_(asked, settled_.standing.reference);
      std::set<Index> seen;
      for (const Cast& cast : casts_) seen.insert(cast.host);
      settled_.all_asked = std::all_of(asked.begin(), asked.end(), [&](Index host) { return seen.contains(host); });
      judge();
    }
    confirm();
    settled_.many = settled_.standing.many && !settled_.confirmed.slow.empty();
    const std::vector<Slow>& open = settled_.standing.open;
    settled_.confirmed.open.insert(settled_.confirmed.open.begin(), open.begin(), open.end());
    return std::move(settled_);
  }

 private:
  void judge() {
    settled_.capacities.clear();
    for (Index rail = 0; rail < fleet_.rails; ++rail)
      settled_.capacities.push_back(capacities_of(fleet_, samples_, casts_, rail));
    settled_.standing = standing_of(fleet_, settled_.capacities, levels_, absent_);
  }

  [[nodiscard]] std::ptrdiff_t count_present() const { return std::count(absent_.begin(), absent_.end(), false); }

  // Who has not reached a level that is known; where none is, all.
  [[nodiscard]] std::vector<Index> in_doubt() const {
    std::vector<Index> hosts;
    for (Index host = 0; host < fleet_.hosts.size(); ++host) {
      bool reached = true;
      for (Index rail = 0; rail < fleet_.rails; ++rail) {
        const Capacities& its = settled_.capacities[rail];
        const double least = levels_[host][rail].least;
        for (const double log : {its.send[host].log, its.receive[host].log})
          reached = reached && least > 0 && std::exp(log) >= least;
      }
      if (!reached && !absent_[host]) hosts.push_back(host);
    }
    return hosts;
  }

  // Of what no level says only where many are slow: few are for localise() to find.
  void confirm() {
    std::vector<Slow> asked;
    std::set<Index> hosts;
    bool by_level = true;
    for (const Slow& slow : settled_.standing.slow) {
      if (!slow.by_level && !settled_.standing.many) continue;
      asked.push_back(slow);
      hosts.insert(slow.host);
      by_level = by_level && slow.by_level;
    }
    if (asked.empty()) return;
    const std::vector<Index> controls = controls_of(fleet_, settled_.standing);
    hosts.insert(controls.begin(), controls.end());
    std::vector<Cast> again;
    const Index turns = by_level ? looks_by_level : looks_by_group;
    for (Index turn = 0; turn < turns; ++turn) {
      const std::vector<Cast> of = measure_({hosts.begin(), hosts.end()}, settled_.standing.reference);
      std::copy(of.begin(), of.end(), std::back_inserter(again));
    }
    settled_.confirmed = confirmed_of(fleet_, asked, again, settled_.capacities, controls);
  }

  const Fleet& fleet_;
  const Samples& samples_;
  const Levels& levels_;
  const std::vector<bool>& absent_;
  const MeasureCasts& measure_;
  std::vector<Cast> casts_;
  Settled settled_;
};

}  // namespace

Settled settle(const Fleet& fleet, const Samples& samples, const Levels& levels, const std::vector<bool>& absent,
               const MeasureCasts& measure) {
  return Settling(fleet, samples, levels, absent, measure).run();
}

}  // namespace railgauge::validate
