// The summary for a terminal: golden files, one page of any fleet, and colours where they are wanted alone.
#include <algorithm>
#include <string>

#include "reports/validation/writers.hpp"
#include "tests/reports/results.hpp"
#include "tests/reports/validation/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::validation;
using railgauge::test::ContainsSubstring;
using railgauge::test::matches_golden;

namespace {

std::size_t lines_of(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace

TEST_CASE("the summary is as the golden files") {
  CHECK(matches_golden("validation_healthy.txt", to_text(test::healthy(), {})));
  CHECK(matches_golden("validation_cable.txt", to_text(test::faulty_cable(), {})));
  CHECK(matches_golden("validation_inconclusive.txt", to_text(test::inconclusive(), {})));
}

TEST_CASE("the outcome comes first, and the lines to run last") {
  const std::string text = to_text(test::faulty_cable(), {});
  CHECK(text.starts_with("failed: 1 of 8 hosts is at fault"));
  CHECK(text.ends_with("kubectl drain n3 --ignore-daemonsets --delete-emptydir-data\n"));
}

TEST_CASE("colours stand only where the terminal has them, and change no word") {
  const std::string plain = to_text(test::faulty_cable(), {});
  CHECK(plain.find('\x1b') == std::string::npos);
  Terminal terminal;
  terminal.colour = true;
  std::string painted = to_text(test::faulty_cable(), terminal);
  CHECK(painted != plain);
  for (std::size_t at = 0; (at = painted.find('\x1b', at)) != std::string::npos;)
    painted.erase(at, painted.find('m', at) + 1 - at);
  CHECK(painted == plain);
}

TEST_CASE("a fleet of 2,048 hosts of which much is wrong is one page") {
  Validation of = test::fleet({.hosts = 2048, .rails = 8, .rounds = 0, .hosts_a_leaf = 32, .spines = 16});
  of.outcome = Outcome::failed;
  const Diagnosis like = test::faulty_cable().diagnoses.front();
  for (std::size_t i = 0; i < 600; ++i) {
    of.hosts[3 * i].state = HostState::faulty;
    of.diagnoses.push_back(like);
    of.diagnoses.back().host = of.hosts[3 * i].name;
    of.diagnoses.back().hosts = {of.hosts[3 * i].name};
    of.differences.push_back(test::faulty_cable().differences.front());
    of.unread.push_back({"counters", "no right to read them", {of.hosts[i].name}});
    of.figures.push_back(of.figures.front());
  }
  const std::string text = to_text(of, {});
  CHECK(lines_of(text) < 160);
  CHECK_THAT(text, ContainsSubstring("and 592 more faulty parts"));
  CHECK_THAT(text, ContainsSubstring("1448 good, 600 faulty"));
  // A healthy one needs less than a screen.
  CHECK(lines_of(to_text(test::fleet({.hosts = 2048, .rails = 8, .rounds = 0}), {})) < 24);
}

TEST_CASE("what names hold is text, and short", "[long]") {
  const std::string trap = "\x1b[2J\x1b]0;x\x07 a\nb\r\xe2\x80\xae";
  const std::string text = to_text(test::named(test::faulty_cable(), trap), {});
  for (const char* piece : {"\x1b", "\x07", "\r", "\xe2\x80\xae", "a\nb"}) CHECK(text.find(piece) == std::string::npos);
  CHECK(to_text(test::named(test::faulty_cable(), std::string(10'000'000, 'y')), {}).size() < 200'000);
  const std::string none = to_text(test::without_numbers(test::faulty_cable()), {});
  CHECK(none.find("nan") == std::string::npos);
  CHECK(none.find(" inf") == std::string::npos);
}

TEST_CASE("nothing at all is written without a fault") {
  const std::string text = to_text({}, {});
  CHECK(text.starts_with("passed: "));
}

TEST_CASE("a time that is longer than asked for is above it") {
  Validation of = test::healthy();
  Figure& step = of.figures.front();
  step.least.reset();
  step.most = 20;
  step.value = 23;
  step.unit = "ms";
  step.below = true;
  const std::string text = to_text(of, {});
  CHECK_THAT(text, ContainsSubstring("at most 20.00"));
  CHECK_THAT(text, ContainsSubstring("ABOVE"));
  CHECK_THAT(to_html(of), ContainsSubstring("▲ above"));
  const Validation back = from_json(to_json(of), "step.json");
  CHECK(back.figures.front().most == 20);
}
