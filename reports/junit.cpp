// JUnit XML, as Jenkins, GitLab and the actions of GitHub read it: a suite a command, a case a point. Wrong data is a failure,
// and so is less than the share of expected that was asked for; a point that did not come through is an error; one that did not
// converge passes, and says so in its output.
#include <fmt/format.h>

#include <cmath>
#include <pugixml.hpp>
#include <sstream>
#include <string>

#include "reports/escape.hpp"
#include "reports/form.hpp"
#include "reports/formats.hpp"
#include "reports/remark.hpp"
#include "reports/result_text.hpp"
#include "reports/standing.hpp"
#include "reports/text.hpp"

namespace railgauge {
namespace {

// All of the time that was measured.
double seconds_of(const Result& result) {
  double sum = 0;
  for (const Seconds sample : result.samples)
    if (std::isfinite(sample.count())) sum += sample.count();
  return sum * static_cast<double>(result.summary.batch);
}

std::string output_of(const Result& result) {
  const Summary& summary = result.summary;
  if (summary.samples == 0) return {};
  std::string text = fmt::format("median {} ± {}, p99 {}, {} samples", time_text(summary.median), interval_text(summary),
                                 time_text(summary.p99), summary.samples);
  if (summary.busbw != 0)
    text += fmt::format(", algbw {} GB/s, busbw {} GB/s", format_gigabytes(summary.algbw), format_gigabytes(summary.busbw));
  if (result.expected)
    text += fmt::format(", {} of the {} GB/s that the links allow", share_text(summary.busbw, result.expected->busbw),
                        format_gigabytes(result.expected->busbw));
  if (result.status == Status::not_converged) text += "\nnot converged: " + printable(result.reason);
  if (standing_of(result) == Standing::unknown) text += "\n" + standing_sentence(result);
  if (const std::string remark = remark_of(result); !remark.empty()) text += "\n" + printable(remark);
  return text;
}

class Junit final : public Form {
 public:
  std::string head(const Run& run) override {
    id_ = run.id;
    return {};
  }

  // All of it at the end: the counts stand in the first line.
  std::string add(const Result& result) override {
    const std::optional<Standing> standing = standing_of(result);
    tally_.add(result.status, standing);
    const double seconds = seconds_of(result);
    seconds_ += seconds;
    if (host_.empty()) host_ = result.host.name;
    pugi::xml_node test = cases_.append_child("testcase");
    test.append_attribute("classname") = ("railgauge." + xml_text(heading_of(result.point))).c_str();
    test.append_attribute("name") = xml_text(point_name(result.point)).c_str();
    test.append_attribute("time") = fmt::format("{:.6f}", seconds).c_str();
    const std::string reason = xml_text(result.reason);
    const auto say = [&](const char* element, const char* type, const std::string& message) {
      pugi::xml_node node = test.append_child(element);
      node.append_attribute("message") = message.c_str();
      if (type != nullptr) node.append_attribute("type") = type;
    };
    if (result.status == Status::wrong) say("failure", "wrong data", reason);
    if (result.status == Status::failed) say("error", "failed", reason);
    if (result.status == Status::skipped) say("skipped", nullptr, reason);
    if (standing == Standing::below) say("failure", "below expectation", xml_text(standing_sentence(result)));
    if (const std::string output = output_of(result); !output.empty()) test.append_child("system-out").text().set(output.c_str());
    return {};
  }

  std::string tail() override {
    pugi::xml_document document;
    pugi::xml_node declaration = document.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    pugi::xml_node all = document.append_child("testsuites");
    all.append_attribute("name") = "railgauge";
    count(all);
    pugi::xml_node suite = all.append_child("testsuite");
    suite.append_attribute("name") = ("railgauge " + xml_text(id_)).c_str();
    count(suite);
    suite.append_attribute("hostname") = xml_text(host_).c_str();
    for (const pugi::xml_node test : cases_.children()) suite.append_copy(test);
    std::ostringstream text;
    document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
    return text.str();
  }

 private:
  void count(pugi::xml_node node) const {
    node.append_attribute("tests") = static_cast<unsigned long long>(tally_.all());
    const std::size_t failures = tally_.of(Status::wrong) + tally_.of(Standing::below);
    node.append_attribute("failures") = static_cast<unsigned long long>(failures);
    node.append_attribute("errors") = static_cast<unsigned long long>(tally_.of(Status::failed));
    node.append_attribute("skipped") = static_cast<unsigned long long>(tally_.of(Status::skipped));
    node.append_attribute("time") = fmt::format("{:.6f}", seconds_).c_str();
  }

  pugi::xml_document cases_;
  std::string id_, host_;
  Tally tally_;
  double seconds_ = 0;
};

}  // namespace

std::unique_ptr<Writer> make_junit(const std::string& path) { return make_form_writer(path, std::make_unique<Junit>()); }

}  // namespace railgauge
