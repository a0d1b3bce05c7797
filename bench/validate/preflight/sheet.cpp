// Facts as lines of JSON, for the process that listens (read.cpp).
#include "bench/validate/preflight/sheet.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "topo/evidence/files.hpp"
#include "topo/evidence/sysfs.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo::preflight {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto units = std::to_array<std::pair<std::string_view, unsigned>>(
    {{"EiB", 60}, {"PiB", 50}, {"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}});

// Values of drivers and files may hold anything; a fact is one line of at most a page.
std::string clean(std::string_view text) {
  constexpr std::size_t most = 2048;
  std::string all(text.substr(0, most));
  for (char& c : all)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  const std::size_t begin = all.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : all.substr(begin, all.find_last_not_of(' ') - begin + 1);
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

void Sheet::add(const std::string& subject, const std::string& name, const std::string& value, Condition condition) {
  const std::string text = clean(value);
  if (text.empty()) return unread(subject, name, "it was read, and is empty");
  teller_.say(dumped({{"fact", {clean(subject), name, text, "", static_cast<unsigned>(condition)}}}));
}

void Sheet::unread(const std::string& subject, const std::string& name, const std::string& reason) {
  const std::string text = clean(reason);
  teller_.say(dumped({{"fact", {clean(subject), name, "", text.empty() ? "no reason was given" : text, 0}}}));
}

void Sheet::remark(const Remark& it) {
  teller_.say(dumped({{"remark",
                       {clean(it.rule), clean(it.subject), static_cast<unsigned>(it.severity), clean(it.found),
                        clean(it.expected), clean(it.why), clean(it.action), static_cast<unsigned>(it.area)}}}));
}

void Sheet::fingerprint(const std::string& text) { teller_.say(dumped({{"fingerprint", text}})); }

void Sheet::line(const std::string& subject, const std::string& name, const std::filesystem::path& file) {
  const std::string value = sysfs_line(file);
  if (!value.empty()) return add(subject, name, value);
  const std::error_code error = sysfs_error(file);
  unread(subject, name, fmt::format("{}: {}", file.string(), error ? error.message() : "it is empty"));
}

std::optional<std::string> Sheet::whole(const std::string& subject, const std::string& name, const std::filesystem::path& file) {
  try {
    return read_file(file);
  } catch (const Error& error) {
    unread(subject, name, error.what());
    return std::nullopt;
  }
}

std::string bytes_text(std::uint64_t bytes) {
  for (const auto& [unit, shift] : units)
    if (bytes >> shift != 0)
      return fmt::format("{:.4g} {}", std::ldexp(static_cast<double>(bytes), -static_cast<int>(shift)), unit);
  return fmt::format("{} bytes", bytes);
}

std::optional<std::uint64_t> bytes_of(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const std::string_view unit = text.substr(blank + 1);
  // By hand, since g++ 12's from_chars for doubles is slow to accept what fmt writes with an exponent.
  double value = 0, digit = 1;
  bool point = false;
  for (const char c : text.substr(0, blank)) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    if (point) digit /= 10;
    value = point ? value + (c - '0') * digit : value * 10 + (c - '0');
  }
  if (unit == "bytes") return static_cast<std::uint64_t>(value);
  for (const auto& [name, shift] : units)
    if (unit == name && value < 1U << 14U) return static_cast<std::uint64_t>(std::ldexp(value, static_cast<int>(shift)));
  return std::nullopt;
}

std::string after(std::string_view text, std::string_view name) {
  Lines lines(text);
  while (lines.next()) {
    std::string_view line = lines.line();
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    while (!line.empty() && Scan::is_blank(line.front())) line.remove_prefix(1);
    if (!line.starts_with(':')) continue;
    line.remove_prefix(1);
    while (!line.empty() && Scan::is_blank(line.front())) line.remove_prefix(1);
    return std::string(line);
  }
  return {};
}

}  // namespace railgauge::topo::preflight
