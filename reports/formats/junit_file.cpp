#include "reports/formats/junit_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>

#include "base/output/escape.hpp"

namespace railgauge::junit {
namespace {

constexpr std::array elements = {"", "failure", "error", "skipped"};

// A consumer adds them up: what is no time is none.
std::string seconds_text(Seconds time) {
  return fmt::format("{:.6f}", std::isfinite(time.count()) ? std::max(0.0, time.count()) : 0.0);
}

// The lines of an output stay lines.
std::string lines_of(std::string_view text) {
  std::string lines;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    if (from != 0) lines += '\n';
    lines += xml_text(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

void count(pugi::xml_node node, const std::string& name, Seconds took, const std::vector<const Suite*>& suites) {
  std::array<unsigned long long, elements.size()> counts{};
  for (const Suite* const suite : suites)
    for (const Case& one : suite->cases) ++counts.at(static_cast<std::size_t>(one.result));
  node.append_attribute("name") = xml_text(name).c_str();
  node.append_attribute("tests") = counts[0] + counts[1] + counts[2] + counts[3];
  for (const Result result : {Result::failure, Result::error, Result::skipped}) {
    const auto at = static_cast<std::size_t>(result);
    node.append_attribute(result == Result::skipped ? "skipped" : fmt::format("{}s", elements.at(at)).c_str()) = counts.at(at);
  }
  node.append_attribute("time") = seconds_text(took).c_str();
}

void write(pugi::xml_node suite, const Case& one) {
  pugi::xml_node test = suite.append_child("testcase");
  test.append_attribute("classname") = xml_text(one.group).c_str();
  test.append_attribute("name") = xml_text(one.name).c_str();
  test.append_attribute("time") = seconds_text(one.took).c_str();
  if (one.result != Result::passed) {
    pugi::xml_node complaint = test.append_child(elements.at(static_cast<std::size_t>(one.result)));
    complaint.append_attribute("message") = xml_text(one.message).c_str();
    if (one.result != Result::skipped) complaint.append_attribute("type") = xml_text(one.type).c_str();
  }
  if (!one.output.empty()) test.append_child("system-out").text().set(lines_of(one.output).c_str());
}

}  // namespace

std::string text_of(const std::string& name, Seconds took, const std::vector<Suite>& suites) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  std::vector<const Suite*> every;
  for (const Suite& suite : suites) every.push_back(&suite);
  pugi::xml_node all = document.append_child("testsuites");
  count(all, name, took, every);
  for (const Suite& suite : suites) {
    pugi::xml_node node = all.append_child("testsuite");
    count(node, suite.name, suite.took, {&suite});
    if (!suite.host.empty()) node.append_attribute("hostname") = xml_text(suite.host).c_str();
    for (const Case& one : suite.cases) write(node, one);
  }
  std::ostringstream text;
  document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
  return text.str();
}

}  // namespace railgauge::junit
