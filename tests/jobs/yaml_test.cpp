// What is written as YAML is what another reader reads.
#include "bench/jobs/yaml.hpp"

#include <yaml-cpp/yaml.h>

#include <random>

#include "tests/test.hpp"

namespace railgauge::jobs {
namespace {

// A document of random shape. Lists and objects are not empty: a job has no such.
Document drawn(std::mt19937& draw, int depth) {
  static const std::vector<std::string> texts{"plain", "a b",   "8",   "1e5",  "true", "No",  "null", "~",  "",   "- x", "k: v",
                                              "#c",    "\"q\"", "'q'", "x\ny", "\t",   "{a}", "[a]",  "&a", "*a", "!t",  "0x1f",
                                              "r/x:1", "a,b",   "é",   "/p",   ".5",   "=",   "@a",   "%d", "|",  ">",   "a: "};
  switch (depth == 0 ? draw() % 3 : draw() % 5) {
    case 0:
      return static_cast<int>(draw() % 100'000) - 50'000;
    case 1:
      return draw() % 2 == 0;
    case 2:
      return texts[draw() % texts.size()];
    case 3: {
      Document list = Document::array();
      for (std::size_t count = 1 + draw() % 3; count > 0; --count) list.push_back(drawn(draw, depth - 1));
      return list;
    }
    default: {
      Document object = Document::object();
      for (std::size_t count = 1 + draw() % 3; count > 0; --count)
        object[texts[draw() % texts.size()] + std::to_string(count)] = drawn(draw, depth - 1);
      return object;
    }
  }
}

void require_same(const YAML::Node& read, const Document& written) {
  if (written.is_object()) {
    REQUIRE(read.IsMap());
    REQUIRE(read.size() == written.size());
    for (const auto& [key, value] : written.items()) {
      CAPTURE(key);
      REQUIRE(read[key]);
      require_same(read[key], value);
    }
  } else if (written.is_array()) {
    REQUIRE(read.IsSequence());
    REQUIRE(read.size() == written.size());
    for (std::size_t i = 0; i < written.size(); ++i) require_same(read[i], written[i]);
  } else {
    REQUIRE(read.IsScalar());
    CHECK(read.Scalar() == (written.is_string() ? written.get<std::string>() : written.dump()));
    // A plain scalar has the tag "?", and may be read as a number; one in quotes has "!".
    if (!written.is_string()) CHECK(read.Tag() == "?");
  }
}

}  // namespace

TEST_CASE("yaml: documents come back as they were") {
  std::mt19937 draw(20261123);
  for (int i = 0; i < 2000; ++i) {
    Document document = Document::object();
    document["root"] = drawn(draw, 4);
    const std::string text = to_yaml(document);
    CAPTURE(text);
    require_same(YAML::Load(text), document);
  }
}

TEST_CASE("yaml: strings that look like something else stand in quotes") {
  for (const char* text : {"8", "1e5", "true", "No", "Y", "null", "", "-x", "a: b", "0x10", "NaN", "a#b", "r/x:1", ".5"}) {
    Document document;
    document["k"] = text;
    CHECK(to_yaml(document) == "k: " + Document(text).dump() + "\n");
  }
  for (const char* text : {"plain", "/dev/shm", "Memory", "railgauge-0.railgauge", "spec.nodeName"}) {
    Document document;
    document["k"] = text;
    CHECK(to_yaml(document) == std::string("k: ") + text + "\n");
  }
}

}  // namespace railgauge::jobs
