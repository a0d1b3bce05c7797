// Whatever a name holds, it is text.
#include "reports/web/inert.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/test.hpp"

using namespace railgauge;

TEST_CASE("text is escaped for HTML") {
  CHECK(web::html("<script>alert(\"1\")</script> & 'x'") ==
        "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;");
  CHECK(web::html("a\x01\x1b[31m\nb") == "a  [31m b");
  CHECK(web::html("\xff\xfe") == "\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(web::html("\xe2\x82\xac") == "\xe2\x82\xac");
}

TEST_CASE("text in JSON cannot leave its script element, and comes back") {
  for (const std::string text : {"</script><script>alert(1)</script>", "<!--<script>", "]]>", "a\\\"b", "&lt;", "\xe2\x82\xac"}) {
    const std::string json = web::json_text(text);
    CHECK(json.find_first_of("<>&") == std::string::npos);
    CHECK(nlohmann::json::parse(json).get<std::string>() == text);
  }
}

TEST_CASE("what ends lines or turns the direction of writing becomes a blank") {
  for (const std::string mark : {"\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8f", "\n", "\x7f"}) {
    CHECK(web::shown("a" + mark + "b") == "a b");
    CHECK(web::json_text("a" + mark + "b") == "\"a b\"");
  }
  CHECK(web::shown("\xe2\x80\xa7") == "\xe2\x80\xa7");
}

TEST_CASE("names of any length are cut, between characters") {
  CHECK(web::shown(std::string(400, 'x')) == std::string(400, 'x'));
  CHECK(web::shown(std::string(10'000'000, 'x')) == std::string(400, 'x') + "... (10000000 bytes in all)");
  std::string euros;
  for (int i = 0; i < 1000; ++i) euros += "\xe2\x82\xac";
  const std::string cut = web::shown(euros);
  CHECK(cut.substr(0, 1200) == euros.substr(0, 1200));
  CHECK(cut.substr(1200) == "... (3000 bytes in all)");
}

TEST_CASE("numbers are JSON") {
  CHECK(web::json_number(1.0 / 3) == "0.33333");
  CHECK(web::json_number(0) == "0");
  CHECK(web::json_number(std::numeric_limits<double>::quiet_NaN()) == "null");
  CHECK(web::json_number(std::numeric_limits<double>::infinity()) == "null");
  CHECK(nlohmann::json::parse(web::json_number(1.23456789e-7)).get<double>() == 1.2346e-7);
}
