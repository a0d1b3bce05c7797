// From railgauge's JSON to the graph, each field checked against docs/topology.schema.json.
#include "topo/read/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "topo/read/json_text.hpp"

namespace railgauge::topo {
namespace {

using Json = nlohmann::json;

constexpr std::string_view schema = "railgauge.topology/1";
constexpr int deepest = 6;                     // the schema needs 5
constexpr std::size_t most_values = 30000000;  // each takes 16 bytes of memory and more; 16,000 hosts on eight rails have half
constexpr double fastest = 1e9;                // GB/s, or gigabits per second and lane

// One JSON object and where it stands, for sentences.
class Object {
 public:
  Object(const Json& json, std::string path, const std::string& origin) : json_(json), path_(std::move(path)), origin_(origin) {
    if (!json_.is_object()) refuse(path_.empty() ? "the file" : path_, "an object", json_);
  }

  [[noreturn]] void refuse(const std::string& where, std::string_view expected, const Json& stands) const {
    std::string text = stands.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    fail(fmt::format("{}: expected {}, and {} stands there", where, expected, text));
  }
  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(Fault::usage, fmt::format("{}: {}", origin_, sentence));
  }
  [[nodiscard]] std::string at(std::string_view name) const {
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  }

  // nullptr when the field is missing.
  [[nodiscard]] const Json* find(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }
  [[nodiscard]] const Json& get(const char* name) const {
    if (const Json* found = find(name)) return *found;
    fail(fmt::format("{} lacks \"{}\"", path_.empty() ? "the file" : path_, name));
  }
  void allow(std::span<const std::string_view> names) const {
    for (const auto& field : json_.items())
      if (std::find(names.begin(), names.end(), field.key()) == names.end())
        fail(fmt::format("{} has a field {}, which {} does not know", path_.empty() ? "the file" : path_,
                         Json(field.key().substr(0, 60)).dump(-1, ' ', true, Json::error_handler_t::replace), schema));
  }

  [[nodiscard]] std::string text(const char* name) const {
    const Json& json = get(name);
    if (!json.is_string() || json.get_ref<const std::string&>().empty()) refuse(at(name), "a text", json);
    return json.get<std::string>();
  }
  [[nodiscard]] std::uint64_t whole(const char* name, std::uint64_t least, std::uint64_t most) const {
    const Json& json = get(name);
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() < least || json.get<std::uint64_t>() > most)
      refuse(at(name), fmt::format("a whole number from {} to {}", least, most), json);
    return json.get<std::uint64_t>();
  }
  [[nodiscard]] double number(const char* name) const {
    const Json& json = get(name);
    const double value = json.is_number() ? json.get<double>() : -1;
    if (!(value >= 0 && value <= fastest)) refuse(at(name), fmt::format("a number from 0 to {:g}", fastest), json);
    return value;
  }
  [[nodiscard]] std::vector<std::string> texts(const char* name) const {
    const Json& json = get(name);
    if (!is_texts(json)) refuse(at(name), "a list of texts", json);
    return json.get<std::vector<std::string>>();
  }

  static bool is_texts(const Json& json) {
    return json.is_array() && !json.empty() &&
           std::all_of(json.begin(), json.end(), [](const Json& it) { return it.is_string(); });
  }
  [[nodiscard]] Object object(const char* name) const { return {get(name), at(name), origin_}; }
  [[nodiscard]] const Json& json() const { return json_; }

 private:
  const Json& json_;
  std::string path_;
  const std::string& origin_;
};

constexpr unsigned most_lanes = 1U << 20U;
constexpr unsigned most_ports = std::numeric_limits<unsigned>::max();

template <class Rows>
auto word_of(const Object& object, const char* name, const Rows& rows, std::string_view what) {
  const std::string text = object.text(name);
  for (const auto& row : rows)
    if (row.name == text) return row;
  object.refuse(object.at(name), what, object.get(name));
}

Attributes attributes_of(const Object& object) {
  Attributes attributes;
  for (const auto& [name, json] : object.json().items()) {
    if (json.is_number_unsigned())
      attributes[name] = json.template get<std::uint64_t>();
    else if (json.is_string())
      attributes[name] = json.template get<std::string>();
    else if (Object::is_texts(json))
      attributes[name] = json.template get<std::vector<std::string>>();
    else
      object.refuse(object.at(name), "a whole number, a text or a list of texts", json);
  }
  return attributes;
}

Rate rate_of(const Object& object) {
  constexpr std::string_view known[] = {"width", "speed"};
  object.allow(known);
  return {static_cast<unsigned>(object.whole("width", 0, most_lanes)), object.number("speed")};
}

Counters counters_of(const Object& object) {
  Counters counters;
  for (const auto& [name, json] : object.json().items()) {
    if (!json.is_number_unsigned()) object.refuse(object.at(name), "a whole number", json);
    counters[name] = json.template get<std::uint64_t>();
  }
  return counters;
}

Node node_of(const Object& object) {
  constexpr std::string_view known[] = {"key", "kind", "name", "parent", "attributes", "provenance"};
  object.allow(known);
  Node node;
  node.key = object.text("key");
  node.kind = word_of(object, "kind", kinds(), "a kind of node").kind;
  node.name = object.text("name");
  if (!object.get("parent").is_null()) node.parent = object.text("parent");
  node.attributes = attributes_of(object.object("attributes"));
  node.provenance = object.texts("provenance");
  return node;
}

Link link_of(const Object& object) {
  constexpr std::string_view known[] = {"a",
                                        "b",
                                        "kind",
                                        "count",
                                        "line_gigabytes_per_second",
                                        "nominal_gigabytes_per_second",
                                        "usable_gigabytes_per_second",
                                        "capable",
                                        "active",
                                        "active_at_b",
                                        "a_port",
                                        "b_port",
                                        "state",
                                        "a_counters",
                                        "b_counters",
                                        "attributes",
                                        "provenance"};
  object.allow(known);
  Link link;
  link.a = object.text("a");
  link.b = object.text("b");
  link.kind = word_of(object, "kind", link_kinds(), "a kind of link").kind;
  link.count = static_cast<unsigned>(object.whole("count", 1, most_ports));
  link.bandwidth = {object.number("line_gigabytes_per_second"), object.number("nominal_gigabytes_per_second"),
                    object.number("usable_gigabytes_per_second")};
  link.capable = rate_of(object.object("capable"));
  link.active = rate_of(object.object("active"));
  if (object.find("active_at_b")) link.active_at_b = rate_of(object.object("active_at_b"));
  if (object.find("a_port")) link.a_port = static_cast<unsigned>(object.whole("a_port", 1, most_ports));
  if (object.find("b_port")) link.b_port = static_cast<unsigned>(object.whole("b_port", 1, most_ports));
  if (object.find("state")) link.state = word_of(object, "state", link_states(), "a state of a link").state;
  if (object.find("a_counters")) link.a_counters = counters_of(object.object("a_counters"));
  if (object.find("b_counters")) link.b_counters = counters_of(object.object("b_counters"));
  link.attributes = attributes_of(object.object("attributes"));
  link.provenance = object.texts("provenance");
  return link;
}

}  // namespace

bool is_railgauge_json(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || text[begin] != '{') return false;
  return text.substr(begin, 200).find("\"railgauge.topology/") != std::string_view::npos;
}

Graph read_json(const Reading& reading) {
  const Json json = parse_json(reading, deepest, most_values);
  const Object file(json, "", reading.origin);
  constexpr std::string_view known[] = {"schema", "nodes", "links"};
  if (const std::string found = file.text("schema"); found != schema)
    file.refuse("schema", fmt::format("\"{}\"", schema), file.get("schema"));
  file.allow(known);
  for (const char* name : {"nodes", "links"})
    if (!file.get(name).is_array()) file.refuse(name, "a list", file.get(name));
  if (file.get("nodes").empty()) file.fail("there is no node in it");

  Graph graph;
  std::unordered_set<std::string> keys;
  const auto needs = [&](const Object& object, const char* field, const std::string& key) {
    if (!keys.contains(key))
      object.fail(fmt::format("{}: no node before it has the key \"{}\"", object.at(field), key.substr(0, 60)));
  };
  for (std::size_t i = 0; i < json["nodes"].size(); ++i) {
    const Object object(json["nodes"][i], fmt::format("nodes[{}]", i), reading.origin);
    Node node = node_of(object);
    if (!node.parent.empty()) needs(object, "parent", node.parent);
    if (!keys.insert(node.key).second) object.fail(fmt::format("{}: the key stands twice", object.at("key")));
    graph.nodes.push_back(std::move(node));
  }
  for (std::size_t i = 0; i < json["links"].size(); ++i) {
    const Object object(json["links"][i], fmt::format("links[{}]", i), reading.origin);
    Link link = link_of(object);
    needs(object, "a", link.a);
    needs(object, "b", link.b);
    graph.links.push_back(std::move(link));
  }
  return graph;
}

}  // namespace railgauge::topo
