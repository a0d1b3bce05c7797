// The thresholds that decide whether a link is as it should be.
#include "topo/judge.hpp"

namespace railgauge::topo {
namespace {

double product(const Rate& rate) { return rate.width * rate.speed; }

}  // namespace

bool below(double value, double other) noexcept { return value > 0 && other > 0 && value < 0.98 * other; }

bool without_traffic(const Link& link) noexcept {
  return link.state == LinkState::down || link.state == LinkState::disabled || link.state == LinkState::init ||
         link.state == LinkState::armed;
}

bool may_be_split(const Link& link) noexcept {
  return link.kind == LinkKind::infiniband && link.active.width == 2 && link.active.speed >= 50;
}

Rate capable_rate(const Link& link) noexcept {
  Rate rate = link.capable;
  if (rate.width == 0 && link.kind == LinkKind::infiniband) rate.width = 4;
  return rate;
}

bool degraded(const Link& link) noexcept {
  const Rate capable = capable_rate(link);
  for (const Rate& rate : {link.active, link.active_at_b}) {
    // Cables of InfiniBand wider than 4x are rare: the ports can, and there is no such cable.
    const bool wide = link.kind == LinkKind::infiniband && rate.width >= 4;
    if (below(rate.width, capable.width) && !wide && !may_be_split(link)) return true;
    if (link.state != LinkState::low && below(rate.speed, capable.speed)) return true;
  }
  return false;
}

bool ends_disagree(const Link& link) noexcept {
  const bool width = link.active_at_b.width != 0 && link.active.width != 0 && link.active_at_b.width != link.active.width;
  return width || below(link.active_at_b.speed, link.active.speed) || below(link.active.speed, link.active_at_b.speed);
}

void UsualRate::add(const Link& link) {
  if (product(link.active) <= 0) return;
  ++often_[{link.active.width, link.active.speed}];
  ++all_;
}

Rate UsualRate::rate() const {
  if (all_ >= 4)
    for (const auto& [rate, count] : often_)
      if (count * 4 >= all_ * 3) return {rate.first, rate.second};
  return {};
}

bool UsualRate::is_slower(const Link& link) const {
  const bool half = may_be_split(link) && link.capable.width == 2;
  return !half && below(product(link.active), product(rate()));
}

}  // namespace railgauge::topo
