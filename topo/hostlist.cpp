// Expands brackets from left to right, and finds ranges in sorted names.
#include "topo/hostlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t longest_name = 255;
constexpr std::size_t most_digits = 18;  // fits into 64 bits

bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[noreturn]] void refuse(std::string_view where, std::string_view text, std::string_view what) {
  throw Error(Fault::usage, fmt::format("{}: '{}' is no list of names: {}", where, text.substr(0, 60), what));
}

struct Range {
  std::uint64_t first, last;
  std::size_t width;
};

// "001-128,200"
std::vector<Range> ranges_of(std::string_view inside, std::string_view where) {
  std::vector<Range> ranges;
  for (std::string_view rest = inside;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t dash = item.find('-');
    const std::string_view low = item.substr(0, dash);
    const std::string_view high = dash == std::string_view::npos ? low : item.substr(dash + 1);
    Range range{0, 0, low.size()};
    for (const auto& [digits, value] : {std::pair{low, &range.first}, std::pair{high, &range.last}})
      if (digits.empty() || digits.size() > most_digits || !std::all_of(digits.begin(), digits.end(), is_digit))
        refuse(where, inside, "between brackets stand numbers and ranges, as [1-4,7]");
      else
        std::from_chars(digits.data(), digits.data() + digits.size(), *value);
    if (range.last < range.first) refuse(where, item, "this range runs backwards");
    ranges.push_back(range);
    if (comma == std::string_view::npos) return ranges;
    rest.remove_prefix(comma + 1);
  }
}

// Names of one item, brackets included: every number of the first brackets with every one of the next.
void expand_item(std::string_view item, std::string_view where, std::size_t& room, std::vector<std::string>& names) {
  std::vector<std::string> made{""};
  for (std::string_view rest = item; !rest.empty();) {
    const std::size_t open = rest.find('[');
    for (std::string& name : made) name += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find(']', open);
    if (close == std::string_view::npos) refuse(where, item, "a bracket does not close");
    std::vector<std::string> longer;
    for (const std::string& name : made)
      for (const Range& range : ranges_of(rest.substr(open + 1, close - open - 1), where)) {
        if (range.last - range.first >= room - longer.size())
          refuse(where, item, fmt::format("it stands for more names than the {} that are read", most_names));
        for (std::uint64_t number = range.first; number <= range.last; ++number)
          longer.push_back(fmt::format("{}{:0{}}", name, number, range.width));
        if (longer.back().size() > longest_name) refuse(where, item, "its names are longer than any host's");
      }
    made = std::move(longer);
    rest.remove_prefix(close + 1);
  }
  if (made.size() > room) refuse(where, item, fmt::format("there are more names than the {} that are read", most_names));
  room -= made.size();
  for (std::string& name : made) {
    if (name.empty() || name.size() > longest_name) refuse(where, item, "a name has 1 to 255 characters");
    names.push_back(std::move(name));
  }
}

struct Split {
  std::string_view before, number, after;
};

// At the last number that fits into 64 bits.
Split split(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && !is_digit(name[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1]) && end - begin < most_digits) --begin;
  return {name.substr(0, begin), name.substr(begin, end - begin), name.substr(end)};
}

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view text, std::string_view where, std::size_t& room) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '[' && ++depth > 1) refuse(where, text, "brackets stand within brackets");
    if (c == ']' && --depth < 0) refuse(where, text, "a bracket closes that never opened");
    if (c != ',' || (depth != 0 && i < text.size())) continue;
    if (i > begin) expand_item(text.substr(begin, i - begin), where, room, names);  // a comma too many is no name
    begin = i + 1;
  }
  return names;
}

std::string compress_hostlist(const std::vector<std::string>& names) {
  // Numbers of one length may have leading zeros; those without are one group whatever their length.
  std::map<std::pair<std::string_view, std::string_view>, std::set<std::pair<std::uint64_t, std::size_t>>> groups;
  std::set<std::string_view> plain;
  for (const std::string& name : names) {
    const Split part = split(name);
    if (part.number.empty()) {
      plain.insert(name);
      continue;
    }
    std::uint64_t number = 0;
    std::from_chars(part.number.data(), part.number.data() + part.number.size(), number);
    groups[{part.before, part.after}].emplace(number, part.number.size());
  }
  std::string text;
  for (const std::string_view name : plain) text += fmt::format("{}{}", text.empty() ? "" : ",", name);
  for (const auto& [around, numbers] : groups) {
    std::string list;
    bool several = false;
    for (auto at = numbers.begin(); at != numbers.end();) {
      const auto [first, width] = *at;
      std::uint64_t last = first;
      // The next number as the range would write it. "9" goes on with "10", "009" with "010", "010" with "11" never.
      for (++at; at != numbers.end() && at->first == last + 1 && at->second == fmt::formatted_size("{:0{}}", at->first, width);
           ++at)
        ++last;
      list += fmt::format("{}{:0{}}", list.empty() ? "" : ",", first, width);
      if (last > first) list += fmt::format("-{:0{}}", last, width);
      several = several || last > first || at != numbers.end();
    }
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ",", around.first, several ? "[" + list + "]" : list, around.second);
  }
  return text;
}

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const auto number = [](std::string_view text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const std::size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(begin, at - begin);
    };
    const std::string_view left = number(a, i);
    const std::string_view right = number(b, j);
    if (left.size() != right.size()) return left.size() < right.size();
    if (left != right) return left < right;
  }
  if ((i < a.size()) != (j < b.size())) return j < b.size();
  return a < b;
}

}  // namespace railgauge::topo
