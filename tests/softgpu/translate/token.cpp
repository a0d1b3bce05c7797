#include "tests/softgpu/translate/token.hpp"

#include <fmt/format.h>

#include <charconv>

namespace softgpu::translate {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_word(char c) { return is_letter(c) || is_digit(c); }

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::vector<Token> read() {
    std::vector<Token> tokens;
    while (skip_blanks()) tokens.push_back(next());
    tokens.push_back({Token::Kind::end, "the end of the file", 0, line_});
    return tokens;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Unknown(fmt::format("{}:{}: {}", name_, line_, what)); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  bool skip_blanks() {
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_);
        if (end == std::string_view::npos) fail("a comment does not end");
        for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
      } else if (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
        line_ += peek() == '\n';
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }

  Token next() {
    const char c = peek();
    if (is_letter(c)) return {Token::Kind::word, take_word(), 0, line_};
    if (c == '.' && is_letter(peek(1))) {
      ++at_;
      std::string word = "." + take_word();
      while (peek() == ':' && peek(1) == ':') {  // .L1::evict_last
        at_ += 2;
        word += "::" + take_word();
      }
      return {Token::Kind::modifier, word, 0, line_};
    }
    if (is_digit(c)) return number();
    if (c == '"') {
      const std::size_t end = text_.find('"', at_ + 1);
      if (end == std::string_view::npos) fail("a text does not end");
      Token token{Token::Kind::text, std::string(text_.substr(at_ + 1, end - at_ - 1)), 0, line_};
      at_ = end + 1;
      return token;
    }
    if (std::string_view("{}[](),;:<>=+-@!|").find(c) == std::string_view::npos) fail(fmt::format("unknown character '{}'", c));
    ++at_;
    return {Token::Kind::sign, std::string(1, c), 0, line_};
  }

  std::string take_word() {
    const std::size_t from = at_;
    while (is_of_word(peek())) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }

  Token number() {
    const std::size_t from = at_;
    int base = 10;
    Token::Kind kind = Token::Kind::integer;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) base = 16;
    if (peek() == '0' && (peek(1) == 'f' || peek(1) == 'F')) base = 16, kind = Token::Kind::float32;
    if (peek() == '0' && (peek(1) == 'd' || peek(1) == 'D')) base = 16, kind = Token::Kind::float64;
    if (base == 16) at_ += 2;
    Token token{kind, {}, 0, line_};
    const auto [end, code] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), token.bits, base);
    if (code != std::errc()) fail("a number that is none");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (kind == Token::Kind::integer && base == 10 && peek() == '.' && is_digit(peek(1))) {
      token.kind = Token::Kind::version;
      ++at_;
      while (is_digit(peek())) ++at_;
    } else if (peek() == 'U') {
      ++at_;
    }
    token.text = text_.substr(from, at_ - from);
    if (is_of_word(peek())) fail(fmt::format("unknown number {}{}", token.text, peek()));
    return token;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text, const std::string& name) { return Reader(text, name).read(); }

}  // namespace softgpu::translate
