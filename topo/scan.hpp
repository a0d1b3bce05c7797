// Scanners for lines and for the words, numbers and quoted texts of a line, for readers of line-by-line formats.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace railgauge::topo {

// Takes tokens from the front of a line; a token that does not match stays. Refers to the text, which must outlive it.
class Scan {
 public:
  explicit Scan(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool done() const { return rest_.empty(); }

  Scan& blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    return *this;
  }

  bool take(std::string_view what) {
    if (!rest_.starts_with(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }

  // Takes the blanks and the next word; gives the word, empty at the end.
  std::string_view word() {
    blanks();
    std::size_t size = 0;
    while (size < rest_.size() && !is_blank(rest_[size])) ++size;
    const std::string_view found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return found;
  }

  // Takes a number of up to 64 bits; with base 16 hexadecimal digits without "0x". Nothing when there is none or it is too large.
  std::optional<std::uint64_t> number(int base = 10) {
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (fault != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  // Takes the text from `open` to the next `close`; gives the text between them.
  std::optional<std::string_view> between(char open, char close) {
    if (rest_.empty() || rest_.front() != open) return std::nullopt;
    const std::size_t end = rest_.find(close, 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view found = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return found;
  }

  // Takes "[17]"; gives the number, up to 65535.
  std::optional<unsigned> bracketed() {
    const std::string_view before = rest_;
    if (const auto inside = between('[', ']')) {
      Scan digits(*inside);
      if (const auto value = digits.number(); value && digits.done() && *value <= 0xffff) return static_cast<unsigned>(*value);
    }
    rest_ = before;
    return std::nullopt;
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

 private:
  std::string_view rest_;
};

// The lines of a text, without line ends and trailing blanks, numbered from 1. Refers to the text.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    while (!line_.empty() && Scan::is_blank(line_.back())) line_.remove_suffix(1);
    ++number_;
    return true;
  }
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::string_view rest_, line_;
  std::size_t number_ = 0;
};

}  // namespace railgauge::topo
