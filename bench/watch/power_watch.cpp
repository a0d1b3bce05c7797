// Differences of counters, gathered over ranks.
#include "bench/watch/power_watch.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "bench/group/gather_json.hpp"
#include "reports/power/power.hpp"
#include "reports/power/power_record.hpp"
#include "topo/evidence/host_power.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

// For all clocks of a host. Where the kernel waits at each core, readings would take longer than small points.
constexpr Seconds longest_look{0.02};

// The cores that this rank may run on, as pairs of first and last.
Json my_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  Json ranges = Json::array();
  if (sched_getaffinity(0, sizeof set, &set) != 0) return ranges;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &set)) continue;
    const int first = core;
    while (core + 1 < CPU_SETSIZE && CPU_ISSET(core + 1, &set)) ++core;
    ranges.push_back({first, core});
  }
  return ranges;
}

template <class Reading, class Same>
const Reading* find(const std::vector<Reading>& readings, Same same) {
  const auto found = std::find_if(readings.begin(), readings.end(), same);
  return found == readings.end() ? nullptr : &*found;
}

// Empty where the counter went back for another reason than that it was full: it is unknown what it has counted.
std::optional<std::uint64_t> used(const topo::EnergyCounter& before, const topo::EnergyCounter& after) {
  if (after.microjoules >= before.microjoules) return after.microjoules - before.microjoules;
  if (after.range < before.microjoules) return std::nullopt;
  return after.range - before.microjoules + after.microjoules;
}

template <class Count>
std::optional<Count> growth(const std::optional<Count>& before, const std::optional<Count>& after) {
  if (!before || !after || *after < *before) return std::nullopt;
  return *after - *before;
}

void add_energy(Power& into, const std::string& node, const topo::PowerReading& before, const topo::PowerReading& after) {
  const auto absent = [&](const std::string& source, const char* reason) {
    add_absence(into.absent, node, "energy of " + source, reason);
  };
  for (const topo::EnergyCounter& now : after.energy) {
    const auto* const then = find(before.energy, [&](const auto& it) { return it.source == now.source; });
    constexpr double microjoules = 1e-6;  // in joules
    if (then == nullptr)
      absent(now.source, "its counter was there after a point and not before it");
    else if (const auto joules = used(*then, now))
      into.energy.push_back({node, now.source, static_cast<double>(*joules) * microjoules});
    else
      absent(now.source, "its counter went back during a point");
  }
  for (const topo::EnergyCounter& then : before.energy)
    if (find(after.energy, [&](const auto& it) { return it.source == then.source; }) == nullptr)
      absent(then.source, "its counter was there before a point and not after it");
}

void add_clocks(Power& into, const std::string& node, const topo::PowerReading& before, const topo::PowerReading& after) {
  for (const topo::ClockReading& now : after.clocks) {
    const auto* then = find(before.clocks, [&](const auto& it) { return it.source == now.source && it.clock == now.clock; });
    if (then == nullptr) then = &now;
    into.clocks.push_back(
        {node, now.source, now.clock, std::min(then->least, now.least), std::max(then->most, now.most), now.limit});
  }
}

void add_throttles(Power& into, const std::string& node, const topo::PowerReading& before, const topo::PowerReading& after) {
  into.tells_throttling = !after.throttling.empty();
  for (const topo::ThrottleReading& now : after.throttling) {
    const auto* const then =
        find(before.throttling, [&](const auto& it) { return it.source == now.source && it.cause == now.cause; });
    if (then == nullptr) continue;
    Throttle throttle{node, now.source, now.cause, now.suspect, std::nullopt, growth(then->events, now.events), then->on, now.on};
    if (const auto time = growth(then->time, now.time)) throttle.time = Seconds(*time);
    if (throttle.before || throttle.after || throttle.events.value_or(0) > 0 || throttle.time.value_or(Seconds(0)) > Seconds(0))
      into.throttles.push_back(std::move(throttle));
  }
}

}  // namespace

Power power_between(const std::string& node, const topo::PowerReading& before, const topo::PowerReading& after) {
  Power power;
  add_energy(power, node, before, after);
  add_clocks(power, node, before, after);
  add_throttles(power, node, before, after);
  for (const topo::Absence& absence : after.absent) add_absence(power.absent, node, absence.what, absence.reason);
  return power;
}

void join(Power& into, Power one) {
  const auto append = [](auto& to, auto& from) { std::move(from.begin(), from.end(), std::back_inserter(to)); };
  into.tells_throttling = into.tells_throttling || one.tells_throttling;
  append(into.energy, one.energy);
  append(into.clocks, one.clocks);
  append(into.throttles, one.throttles);
  for (const Absence& absence : one.absent)
    for (const std::string& node : absence.nodes) add_absence(into.absent, node, absence.what, absence.reason);
}

PowerWatch::PowerWatch(Group& group, PowerSources sources) : group_(group), sources_(std::move(sources)) {
  const std::vector<std::string>& nodes = group.nodes();
  const auto me = static_cast<std::size_t>(group.rank());
  bool first_of_host = true, first_of_gpu = !sources_.gpu.empty();
  std::set<int> cores;
  const std::vector<Json> all = gather_json(group, {{"gpu", sources_.gpu}, {"cores", my_cores()}});
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (nodes[rank] != nodes[me]) continue;
    first_of_host = first_of_host && rank >= me;
    first_of_gpu = first_of_gpu && (rank >= me || all[rank].at("gpu") != sources_.gpu);
    for (const Json& range : all[rank].at("cores"))
      for (int core = range.at(0).get<int>(); core <= range.at(1).get<int>(); ++core) cores.insert(core);
  }
  topo::PowerReading look;
  cores_.assign(cores.begin(), cores.end());
  if (first_of_host) look_at_host(look);
  if (first_of_gpu) {
    gpu_ = std::make_unique<topo::GpuPower>(sources_.nvml, sources_.gpu);
    const std::size_t before = look.energy.size() + look.clocks.size() + look.throttling.size();
    gpu_->read(look);
    if (look.energy.size() + look.clocks.size() + look.throttling.size() == before) gpu_.reset();
  }
  const bool reads = energy_ || clocks_ || throttling_ || gpu_ != nullptr;
  Power mine;
  for (const topo::Absence& absence : look.absent) add_absence(mine.absent, nodes[me], absence.what, absence.reason);
  Power known;
  for (const Json& theirs : gather_json(group, {{"reads", reads}, {"power", power_record(mine)}})) {
    any_ = any_ || theirs.at("reads").get<bool>();
    join(known, power_of(theirs.at("power")));
  }
  absent_ = std::move(known.absent);
}

void PowerWatch::look_at_host(topo::PowerReading& into) {
  topo::read_energy(into, sources_.root);
  energy_ = !into.energy.empty();
  topo::read_core_throttling(into, cores_, sources_.root);
  throttling_ = !into.throttling.empty();
  const Seconds begin = sources_.clock.now();
  topo::read_core_clocks(into, cores_, sources_.root);
  const Seconds took = sources_.clock.now() - begin;
  clocks_ = !into.clocks.empty() && took <= longest_look;
  if (!into.clocks.empty() && !clocks_)
    into.absent.push_back(
        {"clocks of the cores", fmt::format("a reading takes {} for {} cores, and {} is the most that is spent on it",
                                            format_seconds(took), cores_.size(), format_seconds(longest_look))});
}

topo::PowerReading PowerWatch::read() const {
  topo::PowerReading reading;
  if (energy_) topo::read_energy(reading, sources_.root);
  if (clocks_) topo::read_core_clocks(reading, cores_, sources_.root);
  if (throttling_) topo::read_core_throttling(reading, cores_, sources_.root);
  if (gpu_) gpu_->read(reading);
  return reading;
}

void PowerWatch::begin() {
  before_ = read();
  begun_ = sources_.clock.now();
}

void PowerWatch::stop() {
  span_ = sources_.clock.now() - begun_;
  after_ = read();
}

Power PowerWatch::tell(double gigabytes) {
  Power all;
  all.absent = absent_;
  all.span = span_;
  all.gigabytes = gigabytes;
  if (!any_) return all;
  const Power mine = power_between(group_.nodes()[static_cast<std::size_t>(group_.rank())], before_, after_);
  for (const Json& theirs : gather_json(group_, power_record(mine))) join(all, power_of(theirs));
  return all;
}

}  // namespace railgauge
