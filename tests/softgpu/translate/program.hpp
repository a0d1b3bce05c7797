// A PTX file, parsed.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace softgpu::translate {

struct Operand {
  enum class Kind : std::uint8_t { variable, integer, float32, float64, address, vector };
  // variable: a register with the number of its scope, a special register, a label, a parameter or a variable of shared memory.
  Kind kind = Kind::variable;
  std::string name;               // also of an address's base; empty: none
  std::uint64_t bits = 0;         // of numbers; of an address: what is added
  std::vector<Operand> elements;  // of a vector
  bool negated = false;           // !%p1
};

// A line of a source.
struct Line {
  std::uint32_t file = 0, line = 0, column = 0;
  auto operator<=>(const Line&) const = default;
};
// Where an instruction comes from: its line, then where the function was called that was inlined there, and so on.
using Location = std::vector<Line>;

struct Instruction {
  std::string label;                   // stands alone where this is not empty
  std::string name;                    // add
  std::vector<std::string> modifiers;  // s64, without points
  std::vector<Operand> operands;
  std::string predicate;  // of @%p1; empty: none
  bool unless = false;    // @!%p1
  Location location;
  std::uint32_t line = 0;  // in the PTX

  [[nodiscard]] std::string form() const {
    std::string text = name;
    for (const std::string& modifier : modifiers) text += "." + modifier;
    return text;
  }
};

struct Variable {
  std::uint32_t offset = 0, bytes = 0;
};

struct Entry {
  std::string name;
  std::vector<std::string> parameter_names;
  std::map<std::string, Variable, std::less<>> parameters, shared;
  std::map<std::string, unsigned, std::less<>> registers;  // with their bits; predicates have 1
  std::vector<Instruction> code;
  std::uint32_t parameter_bytes = 0, shared_bytes = 0, most_threads = 0;
};

struct Program {
  std::string path;
  std::vector<Entry> entries;
  std::map<std::uint32_t, std::string> files;  // by the number that Location has
};

// Throws Unknown (token.hpp).
[[nodiscard]] Program parse(std::string_view text, const std::string& path);

}  // namespace softgpu::translate
