// The scanner of XML: what it accepts, and the sentence and line for what it does not.
#include "topo/xml/xml.hpp"

#include <string>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

std::string check(const std::string& text) {
  const auto ignore = [](const topo::XmlAttribute&) {};
  return sentence([&] { topo::check_xml(text, "m.xml", ignore, ignore); });
}

}  // namespace

TEST_CASE("well-formed XML passes") {
  for (const std::string text :
       {"<a/>", "<?xml version=\"1.0\"?>\n<!DOCTYPE a SYSTEM \"a.dtd\">\n<!-- <b> -->\n<a>\n</a>\n",
        "<a b='1' c = \"2\"\n d='\"'/>", "<a>text &amp; <![CDATA[<x>]]><b></b ></a>\r\n", "\xEF\xBB\xBF<a></a>"}) {
    INFO(text);
    CHECK(check(text) == "no error");
  }
}

TEST_CASE("attributes are given with element and value and line and depth") {
  std::string seen;
  topo::check_xml(
      "<a x='1'>\n<b y='2'\n z='3'/></a>", "m.xml", [&](const auto& it) { seen += "<" + std::string(it.element); },
      [&](const auto& it) {
        seen += " " + std::string(it.name) + "=" + std::string(it.value) + "@" + std::to_string(it.line) + "/" +
                std::to_string(it.depth);
      });
  CHECK(seen == "<a x=1@1/1<b y=2@2/2 z=3@3/2");
}

TEST_CASE("each fault of form has its sentence and line") {
  struct Row {
    std::string text, said;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"", "m.xml:1: there is no XML element in it"},
           {"hello", "m.xml:1: this is no XML: text before the first element"},
           {"\n<a>\n<b>\n</a>", "m.xml:4: </a> closes <b> of line 3"},
           {"<a>\n<b/>\n", "m.xml:3: the file ends inside <a>, which began in line 1"},
           {"<a></a>\n</a>", "m.xml:2: </a> closes nothing"},
           {"<a/>\n<b/>", "m.xml:2: there are two outermost elements"},
           {"<a/> x", "m.xml:1: text after the last element"},
           {"<a\nb=1/>", "m.xml:2: <a>: the value of b is not quoted"},
           {"<a b/>", "m.xml:1: <a>: the attribute b has no value"},
           {"<a b='1'c='2'/>", "m.xml:1: a blank was expected in the tag <a>"},
           {"<a b='1' b='2'/>", "m.xml:1: <a> has the attribute b twice"},
           {"<a b='<'/>", "m.xml:1: <a>: the value of b contains <"},
           {"<a b='1", "m.xml:1: <a>: the value of b never ends"},
           {"<a b=", "m.xml:1: the file ends inside the tag <a>"},
           {"<a b", "m.xml:1: the file ends inside the tag <a>"},
           {"<a ", "m.xml:1: the file ends inside the tag <a>"},
           {"<", "m.xml:1: the file ends inside a tag"},
           {"<1/>", "m.xml:1: a name was expected after <"},
           {"<a></a", "m.xml:1: the file ends inside a tag"},
           {"<a></a b>", "m.xml:1: </a has more than a name"},
           {"<!-- x", "m.xml:1: <!-- is never closed by -->"},
           {"<!DOCTYPE a", "m.xml:1: <! is never closed"},
           {"<!DOCTYPE a [<!ENTITY b 'bbbb'>]><a>&b;</a>",
            "m.xml:1: the document type declares things of its own; a topology has no need to"},
           {std::string("<a>\n\0</a>", 9), "m.xml:2: this is no text: it has a zero byte"},
       }) {
    INFO(row.text);
    CHECK(check(row.text) == row.said);
  }
}

TEST_CASE("elements nest 200 deep and no deeper") {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += "<a>";
    for (std::size_t i = 0; i < depth; ++i) text += "</a>";
    return text;
  };
  CHECK(check(nested(200)) == "no error");
  CHECK(check(nested(201)) == "m.xml:1: elements are nested more than 200 deep");
  CHECK(check(nested(100000)) == "m.xml:1: elements are nested more than 200 deep");
}

TEST_CASE("an element has 200 attributes and no more") {
  const auto with = [](std::size_t count) {
    std::string text = "<a";
    for (std::size_t i = 0; i < count; ++i) text += " b" + std::to_string(i) + "=''";
    return text + "/>";
  };
  CHECK(check(with(200)) == "no error");
  CHECK(check(with(300000)) == "m.xml:1: <a> has more than 200 attributes");
}
