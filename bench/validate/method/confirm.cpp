// Contrasts (squares.cpp) are repeated with other hosts until the likelihood ratio of "slow" and "good" decides (A. Wald,
// Sequential tests of statistical hypotheses, Annals of Mathematical Statistics 16, 1945), each counting so little that one
// disturbance decides nothing.
#include "bench/validate/method/confirm.hpp"

#include <algorithm>
#include <cmath>

#include "base/statistics/median.hpp"
#include "bench/validate/method/unsteady.hpp"

namespace railgauge::validate {
Confirmation::Confirmation(const Fleet& fleet, const Model& model, const Suspicion& suspicion, const ConfirmOptions& options)
    : fleet_(fleet), model_(model), suspicion_(suspicion), options_(options), kinds_(fleet), draws_(options.seed) {
  for (const Suspect& suspect : suspicion.suspects) {
    Finding finding;
    finding.suspect = suspect;
    finding.component = suspect.component;
    finding.rail = suspect.rail;
    findings_.push_back(std::move(finding));
    trials_.emplace_back();
  }
}

std::optional<Round> Confirmation::next() {
  if (running_.empty()) begin();
  Round round;
  for (const Running& it : running_)
    for (const Contrast::Term& term : it.square.terms)
      if (term.turn == turn_) round.pairs.push_back({term.from, term.to});
  if (round.pairs.empty()) return std::nullopt;
  return round;
}

void Confirmation::begin() {
  turn_ = 0;
  std::vector<bool> busy(fleet_.hosts.size(), false);
  const std::vector<bool> nobody(fleet_.hosts.size(), false);
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    while (!trials_[i].decided) {
      const bool alone = running_.empty();
      std::optional<Contrast> square = square_for(i, busy);
      if (square) {
        for (const Contrast::Term& term : square->terms) busy[term.from] = busy[term.to] = true;
        running_.push_back({i, std::move(*square), 0, 0});
        break;
      }
      // Others have what it needs: its turn comes. What cannot be compared at all is not decided by waiting.
      if (!alone && square_for(i, nobody)) break;
      trials_[i].doubtful = true;
      findings_[i].reason = fleet_.hosts.size() <= options_.least_partners
                                ? "so few hosts cannot be told apart: validate it together with 3 others or more"
                                : "there are too few hosts that are proven good and reach it";
      move_on(i);
    }
  }
}

void Confirmation::add(std::span<const Measurement> measurements) {
  bool more = false;
  const std::vector<Measurement> medians = medians_of(measurements);
  for (Running& it : running_) {
    if (of_sets(it.trial)) {
      look(it, measurements);
      continue;
    }
    for (const Contrast::Term& term : it.square.terms) {
      if (term.turn > turn_) more = true;
      if (term.turn != turn_) continue;
      if (at_times(it.trial)) {
        watch(it, term, measurements);
        continue;
      }
      double sum = 0;
      std::size_t count = 0;
      for (const Measurement& one : medians) {
        const bool there = one.from == term.from && one.to == term.to, back = one.from == term.to && one.to == term.from;
        if (!there && !(back && it.square.back)) continue;
        if (it.square.rail != npos && one.rail != it.square.rail) continue;
        if (!(one.gigabytes_per_second > 0) || !std::isfinite(one.gigabytes_per_second)) continue;
        sum += std::log(one.gigabytes_per_second) - model_.kinds[kinds_.of(one.from, one.to, one.rail)] - model_.rails[one.rail];
        ++count;
      }
      if (count == 0) continue;
      it.sum += term.weight * sum / static_cast<double>(count);
      ++it.measured;
    }
  }
  if (more) {
    turn_ = 1;
    return;
  }
  for (const Running& it : running_) evaluate(it);
  running_.clear();
}

void Confirmation::evaluate(const Running& running) {
  Trial& trial = trials_[running.trial];
  Finding& finding = findings_[running.trial];
  ++trial.tries;
  if (of_sets(running.trial)) {
    evaluate_sets(running.trial);
    return;
  }
  if (at_times(running.trial)) {
    evaluate_watched(running);
    decide(running.trial);
    return;
  }
  if (running.measured == running.square.terms.size()) {
    const double slower = -running.sum, error = running.square.error;
    // What is asked: as slow as it looked, though looks exaggerate, or as good as all.
    constexpr double exaggerated = 0.75;
    const double looked = -std::log1p(-std::min(0.99, finding.suspect.slower));
    const double effect = std::max(least_of(finding.component), exaggerated * looked);
    constexpr double most_deviation = 2, most_step = 2.5;
    const double off = std::clamp((slower - effect / 2) / error, -most_deviation, most_deviation);
    finding.log_odds += std::clamp(effect / error * off, -most_step, most_step);
    ++finding.squares;
    trial.seen.push_back(slower);
    note_partners(running);
    finding.slower = -std::expm1(-median(trial.seen));
  }
  decide(running.trial);
}

void Confirmation::note_partners(const Running& running) {
  Trial& trial = trials_[running.trial];
  Finding& finding = findings_[running.trial];
  const std::vector<Contrast::Term>& terms = running.square.terms;
  const bool host = at_host(finding.component);  // of a cable or switch only the first pair passes it
  for (const Contrast::Term& term : std::span(terms).first(host || at_times(running.trial) ? terms.size() : 1))
    if (term.weight > 0) {
      const Index partner = host && term.from == finding.component.at ? term.to : term.from;
      if (std::find(trial.partners.begin(), trial.partners.end(), partner) == trial.partners.end())
        trial.partners.push_back(partner);
    }
  finding.partners = static_cast<Index>(trial.partners.size());
}

double Confirmation::least_of(const Component& component) const {
  return std::max(options_.least.of(component.kind), at_host(component) ? suspicion_.differing : 0);
}

// What is low in few of its rounds takes many of them.
Index Confirmation::most_tries(std::size_t i) const {
  if (!at_times(i) || !at_host(findings_[i].component)) return options_.most_squares;
  constexpr double looks = 5;
  constexpr Index most = 150;
  const auto needed = static_cast<Index>(looks / std::max(looks / most, findings_[i].suspect.often));
  return std::max(options_.most_squares, needed);
}

void Confirmation::decide(std::size_t i) {
  Trial& trial = trials_[i];
  Finding& finding = findings_[i];
  const bool slow = finding.log_odds >= std::log((1 - options_.miss) / options_.error);
  // What is slow at times asks for so many measurements that it is cleared sooner.
  constexpr double miss_at_times = 0.01;
  const double miss = at_times(i) ? miss_at_times : options_.miss;
  const Index most = most_tries(i);
  const bool seldom = at_times(i) && trial.tries >= most && (finding.log_odds <= 0 || finding.often < finding.suspect.often / 2);
  const double cleared = std::log(miss / (1 - options_.error));
  const bool patient = at_times(i) && at_host(finding.component) && trial.tries < options_.least_squares_at_times;
  // A long good spell weighs no more than what would have cleared it.
  if (patient) finding.log_odds = std::max(finding.log_odds, cleared);
  const bool good = seldom || (!patient && finding.log_odds <= cleared);
  // Slow for certain, but by less than counts: measured on for a while, in case it is more.
  const bool enough = finding.slower >= least_of(finding.component);
  constexpr Index settled = 8;  // squares
  if (good || (slow && !enough && finding.squares >= settled)) {
    finding.outcome = Outcome::cleared;
    move_on(i);
  } else if (slow && enough && finding.partners >= options_.least_partners) {
    finding.outcome = Outcome::faulty;
    trial.decided = true;
  } else if (trial.tries >= most) {
    trial.doubtful = true;
    finding.reason = finding.squares < trial.tries                ? "hosts that were to be compared with it did not answer"
                     : finding.partners < options_.least_partners ? "it could be compared with too few hosts that are proven good"
                                                                  : "measured again it was slow at times and at times not";
    move_on(i);
  }
}

// To what else may explain the same measurements, or to the end.
void Confirmation::move_on(std::size_t i) {
  Trial& trial = trials_[i];
  Finding& finding = findings_[i];
  if (trial.hypothesis < finding.suspect.rivals.size()) {
    const Rival& rival = finding.suspect.rivals[trial.hypothesis];
    const bool doubtful = trial.doubtful;
    const std::size_t hypothesis = trial.hypothesis + 1;
    trial = {};
    trial.hypothesis = hypothesis;
    trial.doubtful = doubtful;
    finding.component = rival.component;
    finding.rail = rival.rail;
    finding.log_odds = finding.slower = 0;
    finding.often = 1;
    finding.squares = finding.partners = 0;
    return;
  }
  trial.decided = true;
  finding.outcome = trial.doubtful ? Outcome::inconclusive : Outcome::cleared;
  if (!trial.doubtful) finding.reason.clear();
  if (!finding.suspect.rivals.empty()) {
    finding.component = finding.suspect.component;
    finding.rail = finding.suspect.rail;
  }
}

}  // namespace railgauge::validate
