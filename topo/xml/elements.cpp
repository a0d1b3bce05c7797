// Builds the tree from the scanner's calls, with limits, so that no file makes it large.
#include "topo/xml/elements.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "topo/xml/xml.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t left_out = static_cast<std::size_t>(-1);

class Tree {
 public:
  Tree(std::string_view origin, const ElementLimits& limits, const std::function<bool(std::string_view, std::string_view)>& known)
      : origin_(origin), limits_(limits), known_(known) {}

  void element(const XmlAttribute& it) {
    limit(it, "the name of an element", it.element.size(), limits_.characters);
    if (++count_ > limits_.elements)
      fail(it, fmt::format("there are more than {} elements, which no such file has", limits_.elements));
    open_.resize(it.depth - 1);
    const std::size_t parent = open_.empty() ? left_out : open_.back();
    attributes_ = 0;
    const bool wanted = open_.empty() ? known_("", it.element) : parent != left_out && known_(elements[parent].name, it.element);
    open_.push_back(wanted ? elements.size() : left_out);
    if (!wanted) return;
    if (parent != left_out) elements[parent].children.push_back(elements.size());
    elements.push_back({it.element, {}, it.line, {}});
  }

  void attribute(const XmlAttribute& it) {
    limit(it, fmt::format("the name of an attribute of <{}>", it.element), it.name.size(), limits_.characters);
    limit(it, fmt::format("<{}>: the value of {}", it.element, it.name), it.value.size(), limits_.characters);
    if (++attributes_ > limits_.attributes)
      fail(it, fmt::format("<{}> has more than {} attributes", it.element, limits_.attributes));
    if (open_.back() != left_out && attributes_ <= limits_.kept)
      elements[open_.back()].attributes.emplace_back(it.name, it.value);
  }

  std::vector<Element> elements;

 private:
  [[noreturn]] void fail(const XmlAttribute& it, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", origin_, it.line, what));
  }
  void limit(const XmlAttribute& it, const std::string& what, std::size_t length, std::size_t most) const {
    if (length > most) fail(it, fmt::format("{} is longer than {} characters", what.substr(0, 100), most));
  }

  std::string_view origin_;
  const ElementLimits& limits_;
  const std::function<bool(std::string_view, std::string_view)>& known_;
  std::vector<std::size_t> open_;
  std::size_t count_ = 0, attributes_ = 0;
};

}  // namespace

std::vector<Element> read_elements(std::string_view text, std::string_view origin, const ElementLimits& limits,
                                   const std::function<bool(std::string_view, std::string_view)>& known) {
  Tree tree(origin, limits, known);
  check_xml(text, origin, [&](const XmlAttribute& it) { tree.element(it); }, [&](const XmlAttribute& it) { tree.attribute(it); });
  return std::move(tree.elements);
}

std::string_view value_of(const Element& element, std::string_view attribute) noexcept {
  for (const auto& [name, value] : element.attributes)
    if (name == attribute) return value;
  return {};
}

bool has_attribute(const Element& element, std::string_view attribute) noexcept {
  return std::any_of(element.attributes.begin(), element.attributes.end(), [&](const auto& it) { return it.first == attribute; });
}

std::string written(const Element& element) {
  std::string text;
  for (const auto& [name, value] : element.attributes) {
    const char quote = value.find('"') == std::string_view::npos ? '"' : '\'';
    text += fmt::format("{}{}={}{}{}", text.empty() ? "" : " ", name, quote, value, quote);
  }
  return text;
}

std::vector<std::pair<std::string_view, std::string_view>> parsed(std::string_view written) {
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  for (;;) {
    const std::size_t equal = written.find('=');
    if (equal == std::string_view::npos || equal + 1 >= written.size()) return attributes;
    const std::size_t end = written.find(written[equal + 1], equal + 2);
    if (end == std::string_view::npos) return attributes;
    attributes.emplace_back(written.substr(0, equal), written.substr(equal + 2, end - equal - 2));
    written.remove_prefix(std::min(end + 2, written.size()));
  }
}

std::string_view written_value(std::string_view written, std::string_view attribute) {
  for (const auto& [name, value] : parsed(written))
    if (name == attribute) return value;
  return {};
}

std::string_view first_element(std::string_view text) {
  constexpr std::size_t far_enough = 65536;
  text = text.substr(0, far_enough);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with('<')) return {};
    const std::string_view close = text.starts_with("<!--") ? "-->" : text.starts_with("<?") || text.starts_with("<!") ? ">" : "";
    if (close.empty()) return text.substr(1, text.find_first_of(" \t\r\n/>", 1) - 1);
    const std::size_t end = text.find(close);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + close.size());
  }
}

}  // namespace railgauge::topo
