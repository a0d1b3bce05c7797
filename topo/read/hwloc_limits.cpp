// Checks hwloc XML before anything is made of it: its form, its version, and numbers that no machine has.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "topo/read/hwloc.hpp"
#include "topo/xml/xml.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t longest_set = 1U << 16U;  // characters of a cpuset: 200,000 processors

struct Limit {
  std::string_view attribute;
  std::uint64_t most;
};
constexpr std::uint64_t any_64 = UINT64_MAX;
constexpr std::uint64_t any_32 = UINT32_MAX;
// 4294967295 is hwloc's word for an unknown os_index.
constexpr auto limits = std::to_array<Limit>({
    {"os_index", any_32},
    {"gp_index", any_64},
    {"arity", 1U << 20U},
    {"depth", 1U << 10U},
    {"osdev_type", 1U << 10U},
    {"cache_type", 2},
    {"cache_size", std::uint64_t{1} << 48U},
    {"cache_linesize", 1U << 20U},
    {"local_memory", std::uint64_t{1} << 60U},
    {"size", std::uint64_t{1} << 60U},
    {"count", std::uint64_t{1} << 60U},
    {"nbobjs", 1024},
    {"relative_depth", 1U << 10U},
    {"length", 1U << 24U},
    {"initiator_obj_gp_index", any_64},
    {"target_obj_gp_index", any_64},
});

[[noreturn]] void fail(std::string_view origin, std::size_t line, const std::string& what) {
  throw Error(Fault::usage, fmt::format("{}:{}: {}", origin, line, what));
}

// A long value is cut: the sentence must stay one that a person reads.
std::string shortened(std::string_view value) {
  return value.size() <= 40 ? std::string(value) : fmt::format("{}...", value.substr(0, 40));
}

void check_number(const XmlAttribute& it, std::uint64_t most, std::string_view origin) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(it.value.data(), it.value.data() + it.value.size(), number);
  if (error == std::errc::invalid_argument || end != it.value.data() + it.value.size()) {
    if (it.value == "-1") return;  // how hwloc 1 wrote unknown numbers
    fail(origin, it.line, fmt::format("{}=\"{}\" of <{}> is no whole number", it.name, shortened(it.value), it.element));
  }
  if (error == std::errc::result_out_of_range || number > most)
    fail(origin, it.line,
         fmt::format("{}=\"{}\" of <{}> is beyond any machine (at most {})", it.name, shortened(it.value), it.element, most));
}

// "0x3,,0xffffffff": words of 32 bits, empty for 0 but for the first. "0xf...f" in front is hwloc's word for an endless set:
// right only for the memory of a machine without NUMA, in hwloc 1.
bool is_set(std::string_view value, bool nodes) {
  constexpr std::string_view endless = "0xf...f";
  if (nodes && value == endless) return true;
  if (nodes && value.starts_with("0xf...f,")) value.remove_prefix(endless.size() + 1);
  for (bool first = true;; first = false) {
    const std::size_t comma = value.find(',');
    const std::string_view word = value.substr(0, comma);
    if (!(word.empty() && !first) && (!word.starts_with("0x") || word.size() < 3 || word.size() > 10)) return false;
    if (!word.empty() && word.find_first_not_of("0123456789abcdefABCDEF", 2) != std::string_view::npos) return false;
    if (comma == std::string_view::npos) return true;
    value.remove_prefix(comma + 1);
  }
}

void check_attribute(const XmlAttribute& it, std::string_view origin) {
  if (it.element == "info") return;  // free text
  for (const Limit& limit : limits)
    if (limit.attribute == it.name) {
      check_number(it, limit.most, origin);
      return;
    }
  if (it.name.ends_with("cpuset") || it.name.ends_with("nodeset")) {
    if (it.value.size() > longest_set)
      fail(origin, it.line, fmt::format("{} of <{}> is beyond any machine", it.name, it.element));
    if (!is_set(it.value, it.name.ends_with("nodeset")))
      fail(origin, it.line,
           fmt::format("{}=\"{}\" of <{}> is no set that a machine has", it.name, shortened(it.value), it.element));
  }
  if (it.name == "pci_link_speed") {
    const double speed = std::strtod(std::string(it.value).c_str(), nullptr);
    if (!std::isfinite(speed) || speed < 0 || speed > 1e5)
      fail(origin, it.line, fmt::format("{}=\"{}\" of <{}> is no speed in GB/s", it.name, shortened(it.value), it.element));
  }
}

// An object that holds processors or memory must say which.
class Sets {
 public:
  explicit Sets(std::string_view origin) : origin_(origin) {}

  void element(const XmlAttribute& it) {
    finish();
    object_ = it.element == "object";
    line_ = it.line;
    seen_ = {};
    located_ = true;
  }

  void attribute(const XmlAttribute& it) {
    if (it.depth == 1 && it.name == "version") version_2_ = !it.value.starts_with("1.");
    if (!object_) return;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == it.name) seen_[i] = true;
    constexpr auto without = std::to_array<std::string_view>({"Bridge", "PCIDev", "OSDev", "Misc"});
    if (it.name == "type" && std::find(without.begin(), without.end(), it.value) != without.end()) located_ = false;
  }

  // Checks the element before this moment.
  void finish() const {
    if (!object_ || !located_) return;
    const std::size_t needed = version_2_ ? names.size() : 2;
    for (std::size_t i = 0; i < needed; ++i)
      if (!seen_[i]) fail(origin_, line_, fmt::format("this object has no {}", names[i]));
  }

 private:
  static constexpr std::array<std::string_view, 4> names{"cpuset", "complete_cpuset", "nodeset", "complete_nodeset"};
  std::string_view origin_;
  std::size_t line_ = 0;
  std::array<bool, 4> seen_{};
  bool object_ = false, located_ = true, version_2_ = false;
};

void check_version(const XmlAttribute& it, std::string_view origin) {
  if (it.depth != 1 || it.name != "version") return;
  for (const std::string_view known : {"1.", "2.", "3."})
    if (it.value.starts_with(known)) return;
  fail(origin, it.line, fmt::format("hwloc XML of version {}, but versions 1, 2 and 3 can be read", shortened(it.value)));
}

}  // namespace

bool is_hwloc(std::string_view text) {
  constexpr std::size_t far_enough = 4096;  // a prolog and a comment
  const std::string_view head = text.substr(0, far_enough);
  return head.find("<topology") != std::string_view::npos || head.find("<!DOCTYPE topology") != std::string_view::npos ||
         head.find("<root") != std::string_view::npos;
}

void check_hwloc_xml(std::string_view text, std::string_view origin) {
  bool machine = false;
  Sets sets(origin);
  check_xml(
      text, origin,
      [&](const XmlAttribute& it) {
        if (it.depth == 1 && it.element != "topology" && it.element != "root")
          fail(origin, it.line, fmt::format("<{}> is not the outermost element of hwloc XML", it.element));
        machine = machine || it.element == "object";
        sets.element(it);
      },
      [&](const XmlAttribute& it) {
        check_version(it, origin);
        check_attribute(it, origin);
        sets.attribute(it);
      });
  sets.finish();
  if (!machine) throw Error(Fault::usage, fmt::format("{}: there is no machine in it: no <object>", origin));
}

}  // namespace railgauge::topo
