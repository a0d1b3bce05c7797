// Reads the settings of the memory transport by a table of names.
#include "transports/memory/settings.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string>

#include "base/error.hpp"

namespace railgauge::memory {
namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view expected) {
  throw Error(Fault::usage, fmt::format("memory.{}={}: expected {}", name, value, expected));
}

std::uint64_t whole_number(std::string_view name, std::string_view value, std::uint64_t largest) {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (fault != std::errc{} || end != value.data() + value.size() || number > largest)
    refuse(name, value, fmt::format("a whole number from 0 to {}", largest));
  return number;
}

constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

void read_mapped(MemorySettings& settings, std::string_view value) {
  if (value != "on" && value != "off") refuse("mapped", value, "on or off");
  settings.mapped = value == "on";
}

void read_latency(MemorySettings& settings, std::string_view value) {
  settings.link.latency = parse_seconds(value);
  if (settings.link.latency > Seconds(3600)) refuse("latency", value, "at most 1h");
}

void read_bandwidth(MemorySettings& settings, std::string_view value) {
  struct Prefix {
    std::string_view name;
    double factor;
  };
  constexpr Prefix prefixes[] = {{"", 1}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
  constexpr std::string_view expected = "bytes a second from 1 to 1000T, such as 100M or 10G (10e9)";
  double number = 0;
  const char* last = value.data() + value.size();
  const auto [end, fault] = std::from_chars(value.data(), last, number, std::chars_format::fixed);
  if (fault != std::errc{}) refuse("bandwidth", value, expected);
  const std::string_view rest(end, static_cast<std::size_t>(last - end));
  for (const Prefix& prefix : prefixes)
    if (rest == prefix.name) settings.link.bytes_per_second = number * prefix.factor;
  if (!(settings.link.bytes_per_second >= 1 && settings.link.bytes_per_second <= 1e15)) refuse("bandwidth", value, expected);
}

void read_fault(MemorySettings& settings, std::string_view value) {
  struct Row {
    std::string_view name;
    FaultKind kind;
  };
  constexpr Row rows[] = {
      {"drop", FaultKind::drop}, {"corrupt", FaultKind::corrupt}, {"stall", FaultKind::stall}, {"die", FaultKind::die}};
  for (const Row& row : rows)
    if (value == row.name) settings.fault.kind = row.kind;
  if (settings.fault.kind == FaultKind::none) refuse("fault", value, "drop, corrupt, stall or die");
}

void read_rank(MemorySettings& settings, std::string_view value) {
  settings.fault.rank = static_cast<int>(whole_number("rank", value, std::numeric_limits<int>::max()));
}
void read_round(MemorySettings& settings, std::string_view value) {
  settings.fault.round = whole_number("round", value, any_number);
}
void read_transfer(MemorySettings& settings, std::string_view value) {
  settings.fault.transfer = whole_number("transfer", value, any_number);
}
void read_seed(MemorySettings& settings, std::string_view value) {
  settings.fault.seed = whole_number("seed", value, any_number);
}

struct MemorySettingRow {
  std::string_view name;
  void (*read)(MemorySettings&, std::string_view);
};
constexpr MemorySettingRow rows[] = {{"mapped", read_mapped},     {"latency", read_latency}, {"bandwidth", read_bandwidth},
                                     {"fault", read_fault},       {"rank", read_rank},       {"round", read_round},
                                     {"transfer", read_transfer}, {"seed", read_seed}};

// What belongs to a fault, and which, must not be given in vain.
void check(const MemorySettings& settings, const Settings& given) {
  const FaultKind kind = settings.fault.kind;
  for (const char* name : {"rank", "round", "transfer", "seed"})
    if (given.contains(name) && kind == FaultKind::none)
      throw Error(Fault::usage, fmt::format("memory.{} says where a fault is injected: set memory.fault too", name));
  if (kind == FaultKind::die && settings.fault.transfer)
    throw Error(Fault::usage, "memory.fault=die happens at a round: set memory.round, not memory.transfer");
  if (kind != FaultKind::die && settings.fault.round)
    throw Error(Fault::usage, "memory.round belongs to memory.fault=die: other faults meet a transfer, set memory.transfer");
  if (settings.shaped() && given.contains("mapped") && settings.mapped)
    throw Error(Fault::usage,
                "memory.mapped=on lets peers read past every message: latency, bandwidth and faults need mapped=off");
}

}  // namespace

MemorySettings parse_settings(const Settings& settings) {
  MemorySettings result;
  for (const auto& [name, value] : settings) {
    const MemorySettingRow* found = nullptr;
    std::string names;
    for (const MemorySettingRow& row : rows) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
      if (row.name == name) found = &row;
    }
    if (found == nullptr)
      throw Error(Fault::usage, fmt::format("the memory transport has no setting '{}'; it has {}", name, names));
    found->read(result, value);
  }
  check(result, settings);
  if (result.shaped()) result.mapped = false;
  return result;
}

}  // namespace railgauge::memory
