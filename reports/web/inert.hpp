// Text and numbers of strangers, made so that nothing in them is more than text or a number to a browser.
#pragma once

#include <string>
#include <string_view>

namespace railgauge::web {

// For people: one line of valid UTF-8 without control characters and without marks that turn the direction of writing; of more
// than 400 characters the first ones, with how many bytes there were.
[[nodiscard]] std::string shown(std::string_view text);

// shown(), for text and for attributes of HTML.
[[nodiscard]] std::string html(std::string_view text);

// Of a sentence whose parts were shown() already, or are our own: the same, of any length.
[[nodiscard]] std::string html_of_sentence(std::string_view text);

// shown(), as a string of JSON with its quotes, that can stand in a script element: it holds no '<', '>' or '&'.
[[nodiscard]] std::string json_text(std::string_view text);

// Five digits; null for what is no number.
[[nodiscard]] std::string json_number(double value);

}  // namespace railgauge::web
