// The text is looked at before nodes are made of it.
#include "topo/read/yaml_text.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <sstream>
#include <string>

#include "base/error.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t largest_yaml = 16U << 20U;  // bytes; hostlists of 100,000 nodes are 1000 times smaller
constexpr int deepest = 32;

// Sees the file before nodes are made of it: aliases can stand for more than any memory holds, and depth costs the stack.
class Guard : public YAML::EventHandler {
 public:
  explicit Guard(const Reading& from) : from_(from) {}
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, "an alias (*) is not followed"); }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    enter(mark);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override { enter(mark); }
  void OnMapEnd() override { --depth_; }

 private:
  void enter(const YAML::Mark& mark) {
    if (++depth_ > deepest) refuse(mark, fmt::format("this lies deeper than {} lists", deepest));
  }
  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", from_.origin, mark.line + 1, what));
  }
  const Reading& from_;
  int depth_ = 0;
};

}  // namespace

YAML::Node parse_yaml(const Reading& reading, std::string_view file, std::string_view content) {
  if (reading.text.size() > largest_yaml)
    throw Error(Fault::usage, fmt::format("{}: this is larger than any {}", reading.origin, file));
  try {
    std::istringstream stream(reading.text);
    YAML::Parser parser(stream);
    Guard guard(reading);
    (void)parser.HandleNextDocument(guard);
    // Not in a loop: there are texts that the parser never comes to the end of.
    if (parser) throw Error(Fault::usage, fmt::format("{}: something stands behind the {}", reading.origin, content));
    return YAML::Load(reading.text);
  } catch (const YAML::Exception& fault) {
    throw Error(Fault::usage, fmt::format("{}:{}: this is no YAML: {}", reading.origin, fault.mark.line + 1, fault.msg));
  }
}

}  // namespace railgauge::topo
