#include "base/page/page.hpp"

#include <string>

#include "tests/test.hpp"

using namespace railgauge;

TEST_CASE("a page holds what it was given, once, and asks for nothing") {
  page::Document document;
  document.title = "@heading@";
  document.heading = "a@b and @main@";
  document.lines = {"first", "second"};
  document.main = "<p>@skip@</p>";
  document.colours = "some-colours";
  document.policy = "'none'";
  document.style = "p { color: red }\n";
  document.data = "{}";
  document.program = "railgauge 1";
  const std::string text = page::text_of(document);
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  CHECK(has("<title>@heading@</title>"));
  CHECK(has("<h1>a@b and @main@</h1>\n<p>first</p>\n<p>second</p>\n"));
  CHECK(has("<main id=\"main\">\n<p>@skip@</p></main>"));
  CHECK(has("<body class=\"some-colours\">"));
  CHECK(has("default-src 'none'; script-src 'none';"));
  CHECK(has("p { color: red }\n</style>"));
  CHECK(has("Made by railgauge 1."));
  CHECK(text.ends_with("</html>\n"));
  CHECK(text.find("src=") == std::string::npos);
  document.colours = "";
  CHECK(page::text_of(document).find("<body>") != std::string::npos);
}
