// Reading back what --as json wrote: equal again, and one sentence for whatever is wrong.
#include "topo/read/json_reader.hpp"
#include "topo/read/sources.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>

#include "tests/test.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "topo/diff/diff.hpp"
#include "topo/read/build.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

Graph read(const std::string& text) { return build(Evidence{{"railgauge", "m.json", text}}); }

std::string said(const std::string& text) {
  return sentence([&] { (void)read(text); });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("not in the graph: " + from);
  return text.replace(at, from.size(), to);
}

// A machine and a link, with every field.
std::string small() {
  Graph graph = rail_fabric(1, 1, 1);
  Link& link = graph.links.back();
  link.active_at_b = {1, 2.5};
  link.a_counters["symbol_error"] = 7;
  link.attributes["note"] = std::vector<std::string>{"a", "b"};
  return to_json(graph);
}

}  // namespace

TEST_CASE("json reader: every machine and any graph comes back byte for byte", "[long]") {
  for (const std::string name : {"laptop.json", "odd.json", "gpu_node.json"}) {
    INFO(name);
    const std::string text = contents(machine_file(name));
    CHECK(is_railgauge_json(text));
    CHECK(to_json(build(read_evidence(machine_file(name)))) == text);
  }
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const Graph graph = any_graph(random);
    const std::string text = to_json(graph);
    INFO("round " << round << "\n" << text);
    const Graph again = read(text);
    CHECK(to_json(again) == text);
    CHECK(diff(graph, again, {true}).count() == 0);
  }
  CHECK(to_json(read(small())) == small());
}

TEST_CASE("json reader: keeps what JSON could lose") {
  const Graph graph = read(small());
  const Link& link = graph.links.back();
  CHECK(link.a_port == 2);
  CHECK(link.b_port == 1);
  CHECK(link.active_at_b.width == 1);
  CHECK(link.active_at_b.speed == 2.5);
  CHECK(link.active.speed == 106.25);
  CHECK(link.state == LinkState::active);
  CHECK(link.a_counters.at("symbol_error") == 7);
  CHECK(link.provenance == Provenance{"test"});
  CHECK(list_of(link.attributes, "note").size() == 2);
}

TEST_CASE("json reader: what breaks the schema is one sentence that says where") {
  const std::string whole = small();
  struct Row {
    const char *from, *to, *sentence;
  };
  for (const Row& row : {
           Row{"railgauge.topology/1", "railgauge.topology/2", "m.json: schema: expected \"railgauge.topology/1\""},
           Row{"\"kind\":\"machine\"", "\"kind\":\"computer\"",
               "m.json: nodes[2].kind: expected a kind of node, and \"computer\""},
           Row{"\"kind\":\"infiniband\"", "\"kind\":7", "m.json: links[1].kind: expected a text, and 7 stands there"},
           Row{"\"count\":1", "\"count\":0", "m.json: links[0].count: expected a whole number from 1 to"},
           Row{"\"count\":1", "\"count\":-1", "m.json: links[0].count: expected a whole number"},
           Row{"\"count\":1", "\"count\":1e400", "m.json: the JSON has a number that is too large"},
           Row{"\"count\":1", "\"count\":99999999999999999999", "m.json: links[0].count: expected a whole number"},
           Row{"\"a_port\":1", "\"port\":1", "m.json: links[1] has a field \"port\", which railgauge.topology/1 does not know"},
           Row{"\"state\":\"active\"", "\"state\":\"sleepy\"", "m.json: links[1].state: expected a state of a link"},
           Row{"\"symbol_error\":7", "\"symbol_error\":\"7\"", "a_counters.symbol_error: expected a whole number"},
           Row{"\"speed\":2.5", "\"speed\":\"fast\"", "links[2].active_at_b.speed: expected a number from 0 to 1e+09"},
           Row{"\"parent\":\"h0\"", "\"parent\":\"h9\"", "m.json: nodes[3].parent: no node before it has the key \"h9\""},
           Row{"\"key\":\"h0\"", "\"key\":\"0xb000000000000001\"", "m.json: nodes[2].key: the key stands twice"},
           Row{"\"a\":\"0x", "\"a\":\"0y", "m.json: links[0].a: no node before it has the key"},
           Row{"\"attributes\":{}", "\"attributes\":[]", "nodes[0].attributes: expected an object"},
           Row{"\"provenance\":[", "\"provenance\":[[", "this is no JSON from here on"},
           Row{"\"name\":\"leaf0\",", "", "m.json: nodes[0] lacks \"name\""},
       }) {
    INFO(row.from << " to " << row.to);
    CHECK_THAT(said(replaced(whole, row.from, row.to)), ContainsSubstring(row.sentence));
  }
  CHECK(said("{\"schema\": \"railgauge.topology/1\", \"nodes\": [], \"links\": []}") == "m.json: there is no node in it");
  CHECK(said("[]") == "m.json: the file: expected an object, and [] stands there");
  CHECK(said("{\"schema\": \"railgauge.topology/1\", \"nodes\": 5, \"links\": []}") ==
        "m.json: nodes: expected a list, and 5 stands there");
}

TEST_CASE("json reader: cut off anywhere it is one sentence with its line") {
  const std::string whole = small();
  for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
    const std::string sentence = said(whole.substr(0, length));
    INFO("length " << length << ": " << sentence);
    const auto lines = 1 + std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n');
    CHECK(sentence.find("m.json:" + std::to_string(lines) + ": ") == 0);
  }
}

TEST_CASE("json reader: damage, depth and size are one sentence or a graph") {
  const std::string whole = small();
  std::mt19937 random(12);
  const std::string odd = "{}[]\",:0-9eE.ntf\\\n\x7f\xff\0";
  for (int round = 0; round < 1500; ++round) {
    std::string text = whole;
    for (auto hits = 1 + random() % 3; hits > 0; --hits) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = odd[random() % odd.size()];
      else
        text.erase(at, 1 + random() % 30);
    }
    const std::string sentence = said(text);
    INFO("round " << round << ": " << sentence);
    CHECK((sentence == "no error" || sentence.starts_with("m.json")));
    CHECK(sentence.size() < 300);
  }
  CHECK_THAT(said(std::string(1000000, '[')), ContainsSubstring("deeper"));
  CHECK_THAT(said("{\"schema\": \"railgauge.topology/1\", \"x\": " + std::string(100000, '[') + std::string(100000, ']') + "}"),
             ContainsSubstring("deeper"));
  CHECK(said("{\"schema\": \"railgauge.topology/1\", \"" + std::string(1000000, 'k') + "\": 1}").size() < 300);
}

// Where each element costs a look at all before it, it takes longer than the test may.
TEST_CASE("json reader: the time that a long list takes grows with its length", "[long]") {
  std::string text = "{\"schema\": \"railgauge.topology/1\", \"links\": [], \"nodes\": [{}";
  for (int i = 0; i < 700000; ++i) text += ",{}";
  CHECK_THAT(said(text + "]}"), ContainsSubstring("m.json: nodes[0]"));
}

TEST_CASE("json reader: only railgauge's own JSON is taken for it") {
  CHECK(is_railgauge_json("  {\n  \"schema\": \"railgauge.topology/1\""));
  CHECK(is_railgauge_json("{\"schema\": \"railgauge.topology/9\""));  // so that the sentence names the version
  for (const std::string text :
       {"", "[]", "{", "{\"nodes\": []}", "<topology/>", "schema railgauge.topology/1", "{\"schema\": \"railgauge.result/1\"}"})
    CHECK_FALSE(is_railgauge_json(text));
}
