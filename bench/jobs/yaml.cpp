// Writes YAML.
#include "bench/jobs/yaml.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace railgauge::jobs {
namespace {

// Words that some readers take for something else than a string, in small letters.
constexpr std::array<std::string_view, 10> other_words{"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan"};

bool plain(const std::string& text) {
  const auto letter = [](char each) { return std::isalpha(static_cast<unsigned char>(each)) != 0; };
  if (text.empty() || (!letter(text.front()) && text.front() != '/')) return false;
  if (!std::all_of(text.begin(), text.end(), [&](char each) {
        return letter(each) || (each >= '0' && each <= '9') || std::string_view("/_.-").find(each) != std::string_view::npos;
      }))
    return false;
  std::string small;
  for (const char each : text) small += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return std::find(other_words.begin(), other_words.end(), small) == other_words.end();
}

std::string scalar(const Document& value) {
  if (value.is_string() && plain(value.get<std::string>())) return value.get<std::string>();
  return value.dump();  // what JSON writes is YAML: numbers, and strings in quotes
}

// `text` ends where the value is to stand: after a key's colon, or after the dash of an entry.
void add(std::string& text, const Document& value, std::size_t indent, bool after_dash) {
  if (!value.is_structured() || value.empty()) {
    text += " " + scalar(value) + "\n";
    return;
  }
  bool first = true;
  const auto begin_line = [&] {
    if (first && after_dash)
      text += ' ';
    else
      text += (first ? "\n" : "") + std::string(indent, ' ');
    first = false;
  };
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      begin_line();
      text += scalar(Document(key)) + ":";
      add(text, inner, indent + 2, false);
    }
    return;
  }
  for (const Document& inner : value) {
    begin_line();
    text += '-';
    add(text, inner, indent + 2, true);
  }
}

}  // namespace

std::string to_yaml(const Document& document) {
  std::string text;
  add(text, document, 0, false);
  return text.substr(text.find_first_not_of("\n "));
}

}  // namespace railgauge::jobs
