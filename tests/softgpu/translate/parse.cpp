#include <fmt/format.h>

#include <algorithm>

#include "tests/softgpu/translate/program.hpp"
#include "tests/softgpu/translate/token.hpp"

namespace softgpu::translate {
namespace {

// A type's bits; 1 for predicates.
unsigned bits_of(std::string_view type) {
  if (type == ".pred") return 1;
  for (const unsigned bits : {8U, 16U, 32U, 64U})
    for (const char kind : {'b', 'u', 's', 'f'})
      if (type == fmt::format(".{}{}", kind, bits)) return bits;
  return 0;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& path) : tokens_(tokens_of(text, path)) { program_.path = path; }

  Program parse() {
    while (here().kind != Token::Kind::end) directive();
    return std::move(program_);
  }

 private:
  [[nodiscard]] const Token& here(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& take() {
    const Token& token = here();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  [[noreturn]] void fail(const Token& token, const std::string& what) const {
    throw Unknown(fmt::format("{}:{}: {}", program_.path, token.line, what));
  }
  [[nodiscard]] bool is(std::string_view text, std::size_t ahead = 0) const {
    return here(ahead).text == text && here(ahead).kind != Token::Kind::text;
  }
  bool take_if(std::string_view text) {
    if (!is(text)) return false;
    take();
    return true;
  }
  void expect(std::string_view text) {
    if (!take_if(text)) fail(here(), fmt::format("{} where {} should stand", here().text, text));
  }
  const Token& expect(Token::Kind kind, std::string_view what) {
    if (here().kind != kind) fail(here(), fmt::format("{} where {} should stand", here().text, what));
    return take();
  }
  std::uint32_t number() { return static_cast<std::uint32_t>(expect(Token::Kind::integer, "a number").bits); }
  std::string word() { return expect(Token::Kind::word, "a name").text; }

  void directive() {
    const Token& token = take();
    if (token.text == ".version") {
      take();
    } else if (token.text == ".target") {
      do take();
      while (take_if(","));
    } else if (token.text == ".address_size") {
      if (number() != 64) fail(token, "addresses of other than 64 bits");
    } else if (token.text == ".file") {
      const std::uint32_t file = number();
      program_.files[file] = expect(Token::Kind::text, "a path").text;
      while (take_if(",")) take();
    } else if (token.text == ".section") {
      take();
      while (!take_if("{")) take();
      while (!take_if("}")) take();
    } else if (token.text == ".entry") {
      entry();
    } else if (token.text != ".visible" && token.text != ".weak") {
      fail(token, "unknown directive " + token.text);
    }
  }

  // A declaration behind its state space: .align 8 .b8 name[88]. Those of the entry's shared memory and of parameters are added.
  void variable(bool is_parameter) {
    std::uint32_t align = 0, bytes = 0;
    for (;;) {
      const Token& token = expect(Token::Kind::modifier, "a type");
      if (token.text == ".align")
        align = number();
      else if (token.text == ".ptr" || token.text == ".global")
        continue;
      else if (bits_of(token.text) >= 8) {
        bytes = bits_of(token.text) / 8;
        break;
      } else {
        fail(token, "unknown type " + token.text);
      }
    }
    while (here().kind == Token::Kind::modifier) {  // .ptr .global .align 8, of a parameter
      if (take().text == ".align") number();
    }
    align = std::max(align, bytes);
    const std::string name = word();
    while (take_if("[")) {
      bytes *= number();
      expect("]");
    }
    if (!is_parameter) expect(";");
    std::uint32_t& end = is_parameter ? entry_.parameter_bytes : entry_.shared_bytes;
    end = (end + align - 1) / align * align;
    (is_parameter ? entry_.parameters : entry_.shared)[name] = {end, bytes};
    if (is_parameter) entry_.parameter_names.push_back(name);
    end += bytes;
  }

  void entry() {
    entry_ = {};
    entry_.name = word();
    if (take_if("(")) {
      while (!take_if(")")) {
        expect(".param");
        variable(true);
        take_if(",");
      }
    }
    while (!take_if("{")) {
      const Token& token = take();
      if (token.text == ".maxntid" || token.text == ".reqntid") {
        entry_.most_threads = number();
        while (take_if(",")) entry_.most_threads *= number();
      } else if (token.text == ".minnctapersm" || token.text == ".maxnreg") {
        number();
      } else {
        fail(token, "unknown directive " + token.text + " of an entry");
      }
    }
    scopes_ = {{}};
    location_ = {};
    callers_.clear();
    block();
    program_.entries.push_back(std::move(entry_));
  }

  // What stands between braces.
  void block() {
    while (!take_if("}")) {
      const Token& token = here();
      if (take_if("{")) {
        scopes_.emplace_back();
        block();
        scopes_.pop_back();
      } else if (token.kind == Token::Kind::modifier) {
        statement_directive();
      } else if (token.kind == Token::Kind::word && is(":", 1)) {
        Instruction label;
        label.label = take().text;
        label.line = token.line;
        take();
        entry_.code.push_back(std::move(label));
      } else {
        instruction();
      }
    }
  }

  void statement_directive() {
    const Token& token = take();
    if (token.text == ".reg") {
      registers();
    } else if (token.text == ".shared") {
      variable(false);
    } else if (token.text == ".pragma") {
      expect(Token::Kind::text, "a text");
      expect(";");
    } else if (token.text == ".loc") {
      location();
    } else {
      fail(token, "unknown directive " + token.text);
    }
  }

  void registers() {
    const Token& type = expect(Token::Kind::modifier, "a type");
    const unsigned bits = bits_of(type.text);
    if (bits == 0) fail(type, "unknown type " + type.text);
    do {
      const std::string name = word();
      if (take_if("<")) {
        const std::uint32_t count = number();
        expect(">");
        for (std::uint32_t i = 0; i < count; ++i) add_register(name + std::to_string(i), bits);
      } else {
        add_register(name, bits);
      }
    } while (take_if(","));
    expect(";");
  }
  // Those of inner scopes are told from others by the number of the scope.
  void add_register(const std::string& name, unsigned bits) {
    const std::string full = scopes_.size() == 1 ? name : fmt::format("{}__{}", name, ++inner_);
    scopes_.back()[name] = full;
    entry_.registers[full] = bits;
  }
  [[nodiscard]] std::string full_name(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(name); found != scope->end()) return found->second;
    return name;
  }

  Line line() {
    Line made;
    made.file = number();
    made.line = number();
    made.column = number();
    return made;
  }

  void location() {
    const Line here_now = line();
    Line caller;
    while (take_if(",")) {
      const std::string what = word();
      if (what == "function_name") {
        word();
        if (take_if("+")) number();
      } else if (what == "inlined_at") {
        caller = line();
      } else {
        fail(here(), "unknown attribute " + what + " of .loc");
      }
    }
    callers_[here_now] = caller;
    if (here_now.line == 0) return;  // code of the compiler's own
    // The lines of the callers came before.
    constexpr std::size_t deepest = 64;
    location_.clear();
    for (Line next = here_now; next.line != 0 && location_.size() < deepest; next = callers_[next]) location_.push_back(next);
  }

  void instruction() {
    Instruction made;
    made.location = location_;
    if (take_if("@")) {
      made.unless = take_if("!");
      made.predicate = full_name(word());
    }
    made.line = here().line;
    made.name = word();
    while (here().kind == Token::Kind::modifier) made.modifiers.push_back(take().text.substr(1));
    while (!take_if(";")) {
      made.operands.push_back(operand());
      if (!is(";")) expect(",");
    }
    entry_.code.push_back(std::move(made));
  }

  Operand operand() {
    Operand made;
    if (take_if("{")) {
      made.kind = Operand::Kind::vector;
      do made.elements.push_back(operand());
      while (take_if(","));
      expect("}");
      return made;
    }
    if (take_if("[")) {
      made.kind = Operand::Kind::address;
      if (here().kind == Token::Kind::word) made.name = full_name(take().text);
      while (!take_if("]")) {
        const bool plus = take_if("+"), minus = take_if("-");
        if (!plus && !minus && !made.name.empty()) fail(here(), here().text + " in an address");
        const std::uint64_t bits = expect(Token::Kind::integer, "a number").bits;
        made.bits += minus ? 0 - bits : bits;
      }
      return made;
    }
    made.negated = take_if("!");
    const bool minus = take_if("-");
    const Token& token = take();
    switch (token.kind) {
      case Token::Kind::word:
        made.name = full_name(token.text);
        while (here().kind == Token::Kind::modifier) made.name += take().text;  // %tid.x
        break;
      case Token::Kind::integer:
        made.kind = Operand::Kind::integer;
        made.bits = minus ? 0 - token.bits : token.bits;
        return made;
      case Token::Kind::float32:
      case Token::Kind::float64:
        made.kind = token.kind == Token::Kind::float32 ? Operand::Kind::float32 : Operand::Kind::float64;
        made.bits = token.bits;
        break;
      default:
        fail(token, "unknown operand " + token.text);
    }
    if (minus) fail(token, "unknown operand -" + token.text);
    return made;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Program program_;
  Entry entry_;
  std::vector<std::map<std::string, std::string, std::less<>>> scopes_;  // of registers: the name in it, and the full one
  unsigned inner_ = 0;
  Location location_;
  std::map<Line, Line> callers_;  // of the entry, as last seen
};

}  // namespace

Program parse(std::string_view text, const std::string& path) { return Parser(text, path).parse(); }

}  // namespace softgpu::translate
