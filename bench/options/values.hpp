// What the value of an option may be: checks that say what is expected, and from which help, manual pages, completions and the
// grammar for tests are made.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge::options {

enum class Kind : std::uint8_t { text, whole, number, flag, time, share, choice, size };

// The kind of an option, and its bounds or choices.
struct Value {
  Kind kind = Kind::text;
  std::string least, most;           // of whole and number; empty: as its type has them
  std::vector<std::string> choices;  // of choice, and names that a text may be
};

// Checks for CLI::Option::check. A value that does not pass is refused with one sentence by sentence_of().
[[nodiscard]] CLI::Validator whole(std::uint64_t least, std::uint64_t most);
[[nodiscard]] CLI::Validator a_time();  // 250ms, 10s, 2m: more than 0
[[nodiscard]] CLI::Validator a_size();  // 256K, 1M: at least a byte
// Whole numbers, which the number that is given need not be.
[[nodiscard]] CLI::Validator number_above(std::uint64_t least, std::uint64_t most);
[[nodiscard]] CLI::Validator above_one();  // up to 1e9: a factor between sizes
[[nodiscard]] CLI::Validator a_share();    // 1% or 0.01
// Refuses nothing: names that completions offer.
[[nodiscard]] CLI::Validator suggest(const std::vector<std::string>& names);
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& choices);

[[nodiscard]] Value value_of(CLI::Option& option);
// "a whole number from 1 to 4096".
[[nodiscard]] std::string expected(CLI::Option& option);
// The word for it in help: N, TIME, SHARE, FILE, ...; empty for a flag.
[[nodiscard]] std::string value_word(const CLI::Option& option);
// As the command line takes it: 8:64M; empty where there is none.
[[nodiscard]] std::string default_of(const CLI::Option& option);
// The same for help and manual pages; empty too where the description already tells a default.
[[nodiscard]] std::string untold_default(const CLI::Option& option);
// "--ranks", else "-o", else the name of the positional.
[[nodiscard]] std::string name_of(const CLI::Option& option);

// What someone typed, as it can stand in a sentence: short, no control characters, '' where it is empty.
[[nodiscard]] std::string typed(std::string_view text);

}  // namespace railgauge::options
