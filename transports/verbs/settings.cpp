// Reads the settings of the verbs transport.
#include "transports/verbs/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/error.hpp"

namespace railgauge::verbs {
namespace {

struct Number {
  std::string_view name;
  std::uint32_t Options::* value;
  std::uint32_t least, most;
};
constexpr std::array numbers{
    Number{"mtu", &Options::mtu, 256, 4096},
    Number{"queue_pairs", &Options::queue_pairs, 1, 64},
    Number{"depth", &Options::depth, 8, 16384},
    Number{"inline", &Options::inline_bytes, 0, 4096},
    Number{"timeout", &Options::timeout, 0, 31},
    Number{"retries", &Options::retries, 0, 7},
    Number{"service_level", &Options::service_level, 0, 15},
    Number{"traffic_class", &Options::traffic_class, 0, 255},
    Number{"pkey", &Options::pkey, 0, 65535},
    Number{"post_list", &Options::post_list, 1, 1024},
    Number{"signal_every", &Options::signal_every, 0, 16384},
};

struct Switch {
  std::string_view name;
  bool Options::* value;
  std::string_view off, on;
};
constexpr std::array switches{Switch{"connect", &Options::cm, "tree", "rdma_cm"},
                              Switch{"fault", &Options::wrong_key, "none", "key"}};

std::uint32_t read_number(std::string_view name, const std::string& text, std::uint32_t least, std::uint32_t most) {
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stopped != end || number < least || number > most)
    throw Error(Fault::usage, fmt::format("verbs.{} is a number from {} to {}, not \"{}\"", name, least, most, text));
  return number;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    if (comma == at) throw Error(Fault::usage, fmt::format("verbs.ports is a list such as mlx5_0:1,mlx5_1:1, not \"{}\"", text));
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

std::string known_names() {
  std::string names = "ports, gid, events";
  for (const Number& number : numbers) names += fmt::format(", {}", number.name);
  for (const Switch& one : switches) names += fmt::format(", {}", one.name);
  return names;
}

}  // namespace

Options read_options(const Settings& settings) {
  Options options;
  for (const auto& [name, value] : settings) {
    const auto number = std::find_if(numbers.begin(), numbers.end(), [&](const Number& known) { return known.name == name; });
    const auto flag = std::find_if(switches.begin(), switches.end(), [&](const Switch& known) { return known.name == name; });
    if (number != numbers.end()) {
      options.*number->value = read_number(name, value, number->least, number->most);
    } else if (flag != switches.end()) {
      if (value != flag->on && value != flag->off)
        throw Error(Fault::usage, fmt::format("verbs.{} is {} or {}, not \"{}\"", name, flag->off, flag->on, value));
      options.*flag->value = value == flag->on;
    } else if (name == "events") {
      if (value != "auto" && value != "on" && value != "off")
        throw Error(Fault::usage, fmt::format("verbs.events is auto, on or off, not \"{}\"", value));
      options.events = value == "on";
      options.polling = value == "off";
    } else if (name == "gid") {
      options.gid = static_cast<int>(read_number(name, value, 0, 255));
    } else if (name == "ports") {
      options.ports = split(value);
    } else {
      throw Error(Fault::usage, fmt::format("the verbs transport has no setting \"{}\": it has {}", name, known_names()));
    }
  }
  if (options.mtu != 0 && (options.mtu & (options.mtu - 1)) != 0)
    throw Error(Fault::usage, fmt::format("verbs.mtu is 256, 512, 1024, 2048 or 4096, not {}", options.mtu));
  if (options.post_list > options.depth || options.signal_every > options.depth)
    throw Error(Fault::usage,
                fmt::format("verbs.post_list and verbs.signal_every are no more than verbs.depth, which is {}", options.depth));
  return options;
}

}  // namespace railgauge::verbs
