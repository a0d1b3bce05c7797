// A scanner of XML's outer form: tags, attributes, comments.
#include "topo/xml/xml.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t deepest = 200;
constexpr std::size_t most_attributes = 200;  // of an element; each is compared with those before it
constexpr std::string_view blanks = " \t\r\n";

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':'; }
bool in_name(char c) { return starts_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

class Scanner {
 public:
  Scanner(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

  void run(const std::function<void(const XmlAttribute&)>& element, const std::function<void(const XmlAttribute&)>& attribute) {
    if (const std::size_t nul = text_.find('\0'); nul != std::string_view::npos) fail(nul, "this is no text: it has a zero byte");
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (at_ < text_.size()) {
      if (text_[at_] != '<')
        characters();
      else if (skip("<?", "?>") || skip("<!--", "-->") || skip("<![CDATA[", "]]>") || doctype())
        continue;
      else if (text_.substr(at_, 2) == "</")
        closing();
      else
        opening(element, attribute);
    }
    if (!open_.empty())
      fail(at_, fmt::format("the file ends inside <{}>, which began in line {}", open_.back().name, open_.back().line));
    if (!rooted_) fail(at_, "there is no XML element in it");
  }

 private:
  struct Element {
    std::string_view name;
    std::size_t line;
  };

  // Counts only forward, so that the whole scan stays linear.
  std::size_t line(std::size_t at) {
    for (; counted_ < at && counted_ < text_.size(); ++counted_)
      if (text_[counted_] == '\n') ++line_;
    return line_;
  }

  [[noreturn]] void fail(std::size_t at, const std::string& what) {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", origin_, line(at), what));
  }

  void characters() {
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    if (open_.empty()) {
      const std::size_t odd = text_.find_first_not_of(blanks, at_);
      if (odd < end) fail(odd, rooted_ ? "text after the last element" : "this is no XML: text before the first element");
    }
    at_ = end;
  }

  bool skip(std::string_view begin, std::string_view end) {
    if (text_.substr(at_, begin.size()) != begin) return false;
    const std::size_t found = text_.find(end, at_ + begin.size());
    if (found == std::string_view::npos) fail(at_, fmt::format("{} is never closed by {}", begin, end));
    at_ = found + end.size();
    return true;
  }

  bool doctype() {
    if (text_.substr(at_, 2) != "<!") return false;
    const std::size_t end = text_.find('>', at_);
    if (end == std::string_view::npos) fail(at_, "<! is never closed");
    if (text_.substr(at_, end - at_).find('[') != std::string_view::npos)
      fail(at_, "the document type declares things of its own; a topology has no need to");
    at_ = end + 1;
    return true;
  }

  std::string_view name(std::string_view where) {
    const std::size_t begin = at_;
    if (at_ < text_.size() && starts_name(text_[at_]))
      while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    if (begin == at_) fail(at_, at_ < text_.size() ? fmt::format("a name was expected {}", where) : "the file ends inside a tag");
    return text_.substr(begin, at_ - begin);
  }

  void blanks_here() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }

  void closing() {
    const std::size_t begin = at_;
    at_ += 2;
    const std::string_view closed = name("after </");
    blanks_here();
    if (at_ >= text_.size()) fail(at_, "the file ends inside a tag");
    if (text_[at_] != '>') fail(at_, fmt::format("</{} has more than a name", closed));
    ++at_;
    if (open_.empty()) fail(begin, fmt::format("</{}> closes nothing", closed));
    if (open_.back().name != closed)
      fail(begin, fmt::format("</{}> closes <{}> of line {}", closed, open_.back().name, open_.back().line));
    open_.pop_back();
  }

  void opening(const std::function<void(const XmlAttribute&)>& element,
               const std::function<void(const XmlAttribute&)>& attribute) {
    if (open_.empty() && rooted_) fail(at_, "there are two outermost elements");
    rooted_ = true;
    const std::size_t depth = open_.size() + 1;
    if (depth > deepest) fail(at_, fmt::format("elements are nested more than {} deep", deepest));
    const std::size_t begin = line(at_);
    ++at_;
    const std::string_view tag = name("after <");
    element({tag, {}, {}, begin, depth});
    std::vector<std::string_view> seen;
    for (;;) {
      const std::size_t before = at_;
      blanks_here();
      if (at_ >= text_.size()) fail(at_, fmt::format("the file ends inside the tag <{}>", tag));
      if (text_[at_] == '>') {
        ++at_;
        open_.push_back({tag, begin});
        return;
      }
      if (text_.substr(at_, 2) == "/>") {
        at_ += 2;
        return;
      }
      if (before == at_) fail(at_, fmt::format("a blank was expected in the tag <{}>", tag));
      const std::string_view key = name(fmt::format("in the tag <{}>", tag));
      for (const std::string_view other : seen)
        if (other == key) fail(at_, fmt::format("<{}> has the attribute {} twice", tag, key));
      seen.push_back(key);
      if (seen.size() > most_attributes) fail(at_, fmt::format("<{}> has more than {} attributes", tag, most_attributes));
      const std::string_view value = quoted(tag, key);
      attribute({tag, key, value, line(at_), depth});
    }
  }

  std::string_view quoted(std::string_view tag, std::string_view key) {
    blanks_here();
    if (at_ < text_.size() && text_[at_] != '=') fail(at_, fmt::format("<{}>: the attribute {} has no value", tag, key));
    ++at_;
    blanks_here();
    if (at_ >= text_.size()) fail(text_.size(), fmt::format("the file ends inside the tag <{}>", tag));
    const char quote = text_[at_];
    if (quote != '"' && quote != '\'') fail(at_, fmt::format("<{}>: the value of {} is not quoted", tag, key));
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail(text_.size(), fmt::format("<{}>: the value of {} never ends", tag, key));
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    if (value.find('<') != std::string_view::npos) fail(at_, fmt::format("<{}>: the value of {} contains <", tag, key));
    at_ = end + 1;
    return value;
  }

  std::string_view text_, origin_;
  std::size_t at_ = 0, counted_ = 0, line_ = 1;
  bool rooted_ = false;
  std::vector<Element> open_;
};

}  // namespace

void check_xml(std::string_view text, std::string_view origin, const std::function<void(const XmlAttribute&)>& element,
               const std::function<void(const XmlAttribute&)>& attribute) {
  Scanner(text, origin).run(element, attribute);
}

}  // namespace railgauge::topo
