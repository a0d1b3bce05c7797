// The fields of each record by the names that JSON has for them, in one place for writing and reading. Units stand in the names.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "reports/validation/validation.hpp"

namespace railgauge::validation {

// Which words stand for the values of an enumeration, in the order of its values.
template <class Enumeration>
inline constexpr std::array<std::string_view, 0> words_of{};
template <>
inline constexpr std::array<std::string_view, 4> words_of<Outcome>{"passed", "failed", "inconclusive", "interrupted"};
template <>
inline constexpr std::array<std::string_view, 3> words_of<StageState>{"done", "skipped", "cut short"};
template <>
inline constexpr std::array<std::string_view, 5> words_of<HostState>{"good", "accused", "doubtful", "lost", "unmeasured"};
template <>
inline constexpr std::array<std::string_view, 10> words_of<Blame>{
    "gpu", "nvlink", "pcie", "nic", "cable/port", "leaf", "spine/congestion", "host configuration", "unstable", "inconclusive"};
template <>
inline constexpr std::array<std::string_view, 7> words_of<Symptom>{"bandwidth", "latency", "reach", "presence",
                                                                   "setting",   "data",    "loss"};
template <>
inline constexpr std::array<std::string_view, 3> words_of<topo::Severity>{"fault", "warning", "note"};

template <class Enumeration>
[[nodiscard]] constexpr std::string_view word_of(Enumeration value) noexcept {
  const auto place = static_cast<std::size_t>(value);
  return place < words_of<Enumeration>.size() ? words_of<Enumeration>[place] : std::string_view("?");
}

template <class Type, class Record>
concept record_of = std::is_same_v<std::remove_const_t<Type>, Record>;

// `field` is called as field("name", record.member) for each; the pairs are not among them (reports/validation/json.cpp).
void each_field(record_of<Stage> auto& it, const auto& field) {
  field("name", it.name);
  field("state", it.state);
  field("reason", it.reason);
  field("took_seconds", it.took);
  field("budget_seconds", it.budget);
  field("resumed", it.resumed);
  field("notes", it.notes);
}

void each_field(record_of<RailFigures> auto& it, const auto& field) {
  field("port", it.port);
  field("leaf", it.leaf);
  field("leaf_port", it.leaf_port);
  field("send_gigabytes_per_second", it.send);
  field("receive_gigabytes_per_second", it.receive);
  field("send_off_share", it.send_off);
  field("receive_off_share", it.receive_off);
  field("latency_seconds", it.latency);
}

void each_field(record_of<Host> auto& it, const auto& field) {
  field("name", it.name);
  field("model", it.model);
  field("ranks", it.ranks);
  field("state", it.state);
  field("reason", it.reason);
  field("rails", it.rails);
}

void each_field(record_of<Diagnosis> auto& it, const auto& field) {
  field("blame", it.blame);
  field("accused", it.faulty);
  field("stage", it.stage);
  field("from", it.from);
  field("to", it.to);
  field("host", it.host);
  field("way", it.direction);
  field("measure", it.measure);
  field("slower_share", it.slower);
  field("confidence_share", it.confidence);
  field("sentence", it.sentence);
  field("next", it.next);
  field("evidence", it.evidence);
  field("hosts", it.hosts);
}

void each_field(record_of<Figure> auto& it, const auto& field) {
  field("stage", it.stage);
  field("what", it.what);
  field("subject", it.subject);
  field("unit", it.unit);
  field("value", it.value);
  field("peers", it.peers);
  field("ceiling", it.ceiling);
  field("basis", it.basis);
  field("reference", it.reference);
  field("source", it.source);
  field("least", it.least);
  field("most", it.most);
  field("below", it.below);
}

void each_field(record_of<Difference> auto& it, const auto& field) {
  field("host", it.host);
  field("subject", it.subject);
  field("name", it.name);
  field("found", it.found);
  field("expected", it.expected);
  field("severity", it.severity);
  field("why", it.why);
  field("action", it.action);
}

void each_field(record_of<Unread> auto& it, const auto& field) {
  field("name", it.name);
  field("reason", it.reason);
  field("hosts", it.hosts);
}

void each_field(record_of<MapSwitch> auto& it, const auto& field) {
  field("name", it.name);
  field("tier", it.tier);
}

void each_field(record_of<MapLink> auto& it, const auto& field) {
  field("host", it.host);
  field("rail", it.rail);
  field("a", it.a);
  field("b", it.b);
  field("a_port", it.a_port);
  field("b_port", it.b_port);
  field("share", it.share);
  field("accused", it.faulty);
}

void each_field(record_of<Map> auto& it, const auto& field) {
  field("switches", it.switches);
  field("links", it.links);
}

void each_field(record_of<LevelCheck> auto& it, const auto& field) {
  field("checked", it.checked);
  field("verified", it.verified);
  field("relative", it.relative);
  field("source", it.source);
  field("reason", it.reason);
}

void each_field(record_of<Power> auto& it, const auto& field) {
  field("slowdown_share", it.slowdown);
  field("slow_hosts", it.slow_hosts);
  field("share_of_time", it.share_of_time);
}

void each_field(record_of<Validation> auto& it, const auto& field) {
  field("run", it.run);
  field("begun", it.begun);
  field("took_seconds", it.took);
  field("budget_seconds", it.budget);
  field("version_of_railgauge", it.version);
  field("transport", it.transport);
  field("launcher", it.launcher);
  field("number_of_ranks", it.ranks);
  field("number_of_rails", it.rails);
  field("outcome", it.outcome);
  field("sentence", it.sentence);
  field("stages", it.stages);
  field("hosts", it.hosts);
  field("verdicts", it.diagnoses);
  field("figures", it.figures);
  field("differences", it.differences);
  field("unread", it.unread);
  field("level", it.level);
  field("power", it.power);
  field("map", it.map);
}

}  // namespace railgauge::validation
