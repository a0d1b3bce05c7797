// What NCCL's parser takes, read anew and strictly, so that what is exported is judged by another reader than the one that
// imports.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace railgauge::test {

struct NcclElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<NcclElement> children;

  [[nodiscard]] bool has(const std::string& attribute) const {
    return std::any_of(attributes.begin(), attributes.end(), [&](const auto& it) { return it.first == attribute; });
  }
  [[nodiscard]] std::string value(const std::string& attribute) const {
    for (const auto& it : attributes)
      if (it.first == attribute) return it.second;
    return {};
  }
};

class NcclGrammar {
 public:
  // Strict is what we write: one space between attributes, no comment, nothing but line ends and spaces between tags. Otherwise
  // what NCCL also takes: comments, several spaces.
  NcclGrammar(const std::string& text, bool strict) : text_(text), strict_(strict) {}

  NcclElement read() {
    between();
    NcclElement root = element();
    between();
    if (at_ != text_.size()) fail("something behind the root");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at byte " + std::to_string(at_) + ": " + text_.substr(at_, 40));
  }
  char next() {
    if (at_ >= text_.size()) fail("the file ends");
    return text_[at_++];
  }
  [[nodiscard]] bool starts(const char* word) const { return text_.compare(at_, std::string(word).size(), word) == 0; }

  void between() {
    for (;;) {
      while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || (!strict_ && text_[at_] == '\r'))) ++at_;
      if (strict_ || !starts("<!--")) return;
      at_ = text_.find("-->", at_) + 3;
    }
  }

  std::string word() {
    std::string name;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  std::string("_-.:").find(text_[at_]) != std::string::npos))
      name += text_[at_++];
    if (name.empty()) fail("a name was expected");
    if (name.size() > 255) fail("a name is too long");
    return name;
  }

  NcclElement element() {
    if (next() != '<') fail("a tag was expected");
    NcclElement it;
    it.name = word();
    for (;;) {
      std::size_t spaces = 0;
      for (; text_[at_] == ' '; ++at_) ++spaces;
      if (starts("/>")) {
        if (strict_ && spaces != 0) fail("a space before />");
        at_ += 2;
        return it;
      }
      if (starts(">")) {
        ++at_;
        break;
      }
      if (spaces == 0 || (strict_ && spaces != 1)) fail("one space was expected");
      const std::string name = word();
      if (next() != '=') fail("= was expected");
      const char quote = next();
      if (quote != '"' && quote != '\'') fail("a quote was expected");
      const std::size_t end = text_.find(quote, at_);
      if (end == std::string::npos || end - at_ > 255) fail("a value is too long");
      it.attributes.emplace_back(name, text_.substr(at_, end - at_));
      if (it.attributes.back().second.find_first_of("\t\n\r<") != std::string::npos) fail("a value has an odd character");
      if (strict_ && quote == '\'' && it.attributes.back().second.find('"') == std::string::npos) fail("needless single quotes");
      at_ = end + 1;
      if (it.attributes.size() > 16 && strict_) fail("more than 16 attributes");
    }
    for (between(); !starts("</"); between()) it.children.push_back(element());
    if (it.children.size() > 640) fail("more than 640 children");
    at_ += 2;
    if (word() != it.name || next() != '>') fail("the wrong closing tag");
    return it;
  }

  const std::string& text_;
  bool strict_;
  std::size_t at_ = 0;
};

inline std::size_t count(const NcclElement& it, const std::string& name) {  // "" is any
  std::size_t number = name.empty() || it.name == name ? 1 : 0;
  for (const NcclElement& child : it.children) number += count(child, name);
  return number;
}

// Equal for equal elements, nesting and attributes, whatever their order.
inline std::string canonical(const NcclElement& it) {
  std::vector<std::string> attributes, children;
  for (std::size_t i = 0; i < it.attributes.size() && i < 16; ++i)
    attributes.push_back(it.attributes[i].first + "='" + it.attributes[i].second + "'");
  for (const NcclElement& child : it.children) children.push_back(canonical(child));
  std::sort(attributes.begin(), attributes.end());
  std::sort(children.begin(), children.end());
  std::string text = "(" + it.name;
  for (const std::string& attribute : attributes) text += " " + attribute;
  for (const std::string& child : children) text += "\n" + child;
  return text + ")";
}

// "" or what NCCL's builder would miss in what we made ourselves.
inline std::string missing(const NcclElement& it) {
  const std::map<std::string, std::vector<std::string>> required = {{"system", {"version"}},
                                                                    {"cpu", {"numaid"}},
                                                                    {"pci", {"busid", "class", "link_speed", "link_width"}},
                                                                    {"net", {"name", "dev"}},
                                                                    {"nvlink", {"target", "count", "tclass"}},
                                                                    {"xgmi", {"target", "count", "tclass"}},
                                                                    {"c2c", {"bw", "count"}}};
  if (const auto row = required.find(it.name); row != required.end())
    for (const std::string& name : row->second)
      if (!it.has(name)) return "<" + it.name + "> has no " + name;
  if (it.name == "gpu" && it.has("rank"))
    for (const char* name : {"sm", "dev", "gdr"})
      if (!it.has(name)) return std::string("<gpu> has a rank but no ") + name;
  if (it.name == "cpu" && it.value("vendor") == "GenuineIntel" && !(it.has("familyid") && it.has("modelid")))
    return "<cpu> of Intel without family and model";
  for (const NcclElement& child : it.children)
    if (std::string what = missing(child); !what.empty()) return what;
  return {};
}

// "" or the limit of NCCL's parser that `text` breaks.
inline std::string against_nccl(const std::string& text) {
  try {
    if (text.find('\t') != std::string::npos) return "a tab";
    if (text.find("<?") != std::string::npos) return "a prolog";
    if (text.empty() || text.back() != '\n') return "no newline at the end";
    const NcclElement root = NcclGrammar(text, true).read();
    if (root.name != "system") return "the root is " + root.name;
    if (root.value("version") != "1" && root.value("version") != "2") return "version " + root.value("version");
    std::size_t ranks = 0;
    for (std::size_t at = text.find(" rank=\""); at != std::string::npos; at = text.find(" rank=\"", at + 1)) ++ranks;
    if (count(root, "") > 256 * std::max<std::size_t>(ranks, 1)) return "too many elements";
  } catch (const std::exception& error) { return error.what(); }
  return {};
}

}  // namespace railgauge::test
