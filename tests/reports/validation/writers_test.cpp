// Which format a name stands for, and that files appear whole or not at all.
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "reports/validation/writers.hpp"
#include "tests/reports/results.hpp"
#include "tests/reports/validation/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::validation;
using railgauge::test::ContainsSubstring;
using railgauge::test::Folder;
using railgauge::test::read_file;

namespace {

template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("the name says the format, or the option does") {
  const Folder folder;
  const Validation of = test::faulty_cable();
  write_file(of, folder.file("a.json"));
  write_file(of, folder.file("a.html"));
  write_file(of, folder.file("a.xml"));
  write_file(of, folder.file("a.prom"));
  write_file(of, folder.file("a.txt"));
  write_file(of, folder.file("a"), "junit");
  CHECK(read_file(folder.file("a.json")) == to_json(of));
  CHECK(read_file(folder.file("a.html")) == to_html(of));
  CHECK(read_file(folder.file("a.xml")) == to_junit(of));
  CHECK(read_file(folder.file("a.prom")) == to_openmetrics(of));
  CHECK(read_file(folder.file("a.txt")) == to_text(of, {}));
  CHECK(read_file(folder.file("a")) == to_junit(of));
  CHECK(folder.names().size() == 6);
}

TEST_CASE("what cannot be written is refused before anything is measured, and by the same sentence") {
  const Folder folder;
  std::ofstream(folder.file("there.json")) << "mine";
  const auto both = [&](const std::string& path, const char* format, const char* sentence) {
    CHECK_THAT(refusal([&] { expect_writable(path, format); }), ContainsSubstring(sentence));
    CHECK_THAT(refusal([&] { write_file(test::healthy(), path, format); }), ContainsSubstring(sentence));
  };
  both(folder.file("there.json"), "", "exists and is never overwritten");
  both(folder.file("no/where.json"), "", "No such file or directory");
  both(folder.file("a.pdf"), "",
       "does not say which format to write: end it in .json, .html, .xml, .prom, .txt, or give --format");
  both(folder.file("a.json"), "html", "--format says html, and the name");
  both(folder.file("a"), "yaml", "there is no format yaml: choose one of json, html, junit, openmetrics, text");
  CHECK_NOTHROW(expect_writable("-"));
  CHECK_NOTHROW(expect_writable(folder.file("b.json")));
  CHECK(folder.names() == std::vector<std::string>{"there.json"});
  CHECK(read_file(folder.file("there.json")) == "mine");
}
