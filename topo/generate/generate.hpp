// Generated machines and fabrics: a kind with its parameters makes a graph, as a buyer or planner thinks of it before it is
// there.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "topo/graph.hpp"

namespace railgauge::topo {

inline constexpr std::string_view generated_source = "generated";  // provenance of all nodes and links

// By name of the parameter: "hosts" is "128".
using GenerateValues = std::map<std::string, std::string, std::less<>>;

struct GenerateParameter {
  std::string_view name;
  std::string_view summary;      // for help, with its unit
  std::string_view usual;        // without it: its value, or in words where that depends on others
  unsigned least = 0, most = 0;  // of a whole number; zeros of any other text
  bool computed = false;         // `usual` is words
};

struct GenerateKind {
  std::string_view name;
  std::string_view summary;
  std::span<const GenerateParameter> parameters;
  Graph (*make)(const GenerateValues&);  // throws Error(usage)
};

[[nodiscard]] std::span<const GenerateKind> generate_kinds() noexcept;  // static storage

// Time and memory are linear in the graph. Throws Error(usage): no such kind or parameter, a value that is none, or parameters
// that do not fit together.
[[nodiscard]] Graph generate(std::string_view kind, const GenerateValues& values);

// A kind and its values as one word, "rail:hosts=128,radix=64": what is read in place of a file.
[[nodiscard]] bool is_generate_word(std::string_view text) noexcept;  // whether a kind begins it; blanks around it do not count
[[nodiscard]] Graph generate(std::string_view word);                  // throws Error(usage) as above
[[nodiscard]] std::string generate_word(std::string_view kind, const GenerateValues& values);

}  // namespace railgauge::topo
