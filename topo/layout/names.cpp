// Words of names end at a separator, which belongs to the word before it.
#include "topo/layout/names.hpp"

#include <algorithm>
#include <cstddef>

#include "topo/layout/measure.hpp"

namespace railgauge::topo {
namespace {

std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '-' && name[i] != '_' && name[i] != '.' && name[i] != ' ' && name[i] != '/' && name[i] != ':') continue;
    words.push_back(name.substr(begin, i + 1 - begin));
    begin = i + 1;
  }
  if (begin < name.size()) words.push_back(name.substr(begin));
  return words;
}

}  // namespace

CommonParts::CommonParts(const std::vector<std::string>& names) {
  if (names.size() < 2) return;
  for (const std::string_view word : words_of(names.front())) words_.emplace_back(word);
  for (const std::string& name : names) {
    const std::vector<std::string_view> its = words_of(name);
    words_.resize(std::min(words_.size(), its.size()));
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (words_[i] != its[i]) words_[i].clear();
  }
}

std::string CommonParts::fitted(std::string_view name, double width, double size, bool bold) const {
  if (text_width(name, size, bold) <= width) return topo::fitted(name, width, size, bold);
  const std::vector<std::string_view> its = words_of(name);
  // The longest stretch of shared words, and where it begins in the name.
  std::size_t place = 0;
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i < std::min(words_.size(), its.size()); place += its[i++].size()) {
    if (words_[i].empty() || words_[i] != its[i]) {
      from = place + its[i].size();
    } else if (place + its[i].size() - from > length) {
      begin = from;
      length = place + its[i].size() - from;
    }
  }
  if (length < 2 || length == name.size()) return fitted_name(name, width, size, bold);
  return fitted_name(std::string(name.substr(0, begin)) + "\u2026" + std::string(name.substr(begin + length)), width, size, bold);
}

}  // namespace railgauge::topo
