// PTX as words, numbers and signs.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace softgpu::translate {

// What is wrong with a PTX file, and where: "file.ptx:12: ...".
struct Unknown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Token {
  // word: %r1, bra, $L__BB0_1; modifier: .s64, begins with a point; end: of the file.
  enum class Kind : std::uint8_t { word, modifier, integer, float32, float64, version, text, sign, end };
  Kind kind = Kind::end;
  std::string text;        // as it stands; a text without its quotes
  std::uint64_t bits = 0;  // of numbers
  std::uint32_t line = 0;
};

// `name` is for what is said of errors. Throws Unknown.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view text, const std::string& name);

}  // namespace softgpu::translate
