// Fuses the locals of a round into as few passes over memory as they allow.
#include "bench/plan/work.hpp"

namespace railgauge {
namespace {

double factor_of(const Scaled& scaled, std::int32_t owner) {
  return scaled.premultiply && owner >= 0 ? premulsum_factor(owner) : 1.0;
}

void add_source(Work& work, ConstBytes source, double factor, const Scaled& scaled) {
  work.sources.push_back(source);
  if (scaled.premultiply) work.factors.push_back(factor);
}

}  // namespace

std::vector<Work> make_work(const ResolvedRound& round, std::size_t round_index, const Scaled& scaled, std::byte* memory,
                            std::size_t unit, const Elsewhere& elsewhere) {
  std::vector<Work> works;
  const auto bytes_at = [&](const Range& range) { return Bytes(memory + range.begin * unit, range.size() * unit); };
  for (const ResolvedLocal& local : round.locals) {
    const Bytes target = bytes_at(local.target);
    const std::byte* other = elsewhere ? elsewhere(local.source) : nullptr;
    const ConstBytes source =
        other != nullptr ? ConstBytes(other, local.source.size() * unit) : ConstBytes(bytes_at(local.source));
    Scaling scaling;
    if (!scaled.rounds.empty()) scaling = scaled.rounds[round_index][local.index];
    if (local.kind == Local::Kind::copy) {
      Work copy;
      copy.sources.push_back(source);
      copy.targets.push_back(target);
      works.push_back(std::move(copy));
      continue;
    }
    Work* last = works.empty() ? nullptr : &works.back();
    const bool same_target =
        last != nullptr && last->targets.front().data() == target.data() && last->targets.front().size() == target.size();
    if (same_target && !overlap(local.source, local.target) && last->divisor == 1) {
      if (!last->reduces) {  // the copy becomes the first operand
        last->reduces = true;
        if (scaled.premultiply) last->factors.assign(1, factor_of(scaled, scaling.target_of));
      }
      add_source(*last, source, factor_of(scaled, scaling.source_of), scaled);
    } else {
      Work reduction;
      reduction.reduces = true;
      add_source(reduction, target, factor_of(scaled, scaling.target_of), scaled);
      add_source(reduction, source, factor_of(scaled, scaling.source_of), scaled);
      reduction.targets.push_back(target);
      works.push_back(std::move(reduction));
    }
    if (scaled.divide && scaling.last) works.back().divisor = static_cast<std::uint32_t>(scaled.ranks);
  }
  return works;
}

}  // namespace railgauge
