// The tables of words agree with their enumerations, and each name finds its own row.
#include "base/words.hpp"

#include <set>
#include <string>

#include "tests/test.hpp"

using namespace railgauge;

TEST_CASE("each word finds itself") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < types().size(); ++i) {
    const TypeRow& known = types()[i];
    CAPTURE(std::string(known.name));
    CHECK(static_cast<std::size_t>(known.type) == i);
    CHECK(name(known.type) == known.name);
    CHECK(bytes_of(known.type) == known.bytes);
    CHECK(find_type(known.name) == known.type);
    CHECK(names.insert(std::string(known.name)).second);
  }
  for (const OpRow& known : ops()) {
    CAPTURE(std::string(known.name));
    CHECK(name(known.op) == known.name);
    CHECK(find_op(known.name) == known.op);
    CHECK(names.insert(std::string(known.name)).second);
  }
  for (std::size_t i = 0; i < collectives().size(); ++i) {
    const CollectiveRow& known = collectives()[i];
    CAPTURE(std::string(known.name));
    CHECK(static_cast<std::size_t>(known.collective) == i);
    CHECK(name(known.collective) == known.name);
    CHECK(&row(known.collective) == &known);
    CHECK(find_collective(known.name) == known.collective);
    CHECK(names.insert(std::string(known.name)).second);
  }
}

TEST_CASE("unknown words find nothing") {
  for (const std::string text : {"", "float", "FLOAT32", "float32 ", "all-reduce", "\xff"}) {
    CAPTURE(text);
    CHECK(!find_type(text));
    CHECK(!find_op(text));
    CHECK(!find_collective(text));
  }
}
