// Compares matched nodes, then links: what has both ends in place, what has one, and the rest.
#include "topo/diff/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "topo/diff/fields.hpp"
#include "topo/diff/plan.hpp"

namespace railgauge::topo {
namespace {

using namespace fields;

// Both ends as (node, port), the smaller first, so that it does not matter which end a source names first.
using Plug = std::pair<std::size_t, unsigned>;
using Ends = std::tuple<LinkKind, Plug, Plug>;

bool is_plugged(LinkKind kind) {
  return kind == LinkKind::infiniband || kind == LinkKind::ethernet || kind == LinkKind::tree || kind == LinkKind::nvlink;
}

class Comparison {
 public:
  Comparison(const Graph& from, const Graph& to, const DiffOptions& options)
      : from_(from),
        to_(to),
        options_(options),
        planned_(is_plan(from) != is_plan(to)),
        there_(match(from_, to_)),
        back_(to.nodes.size(), View::none) {
    for (std::size_t i = 0; i < there_.size(); ++i)
      if (there_[i] != View::none) back_[there_[i]] = i;
  }

  Difference run() {
    if (std::all_of(there_.begin(), there_.end(), [](std::size_t node) { return node == View::none; }))
      throw Error(Fault::not_comparable,
                  "the two have no node in common: they are of different machines or fabrics, or were "
                  "read by tools that do not name the same things");
    sources();
    nodes();
    links();
    return std::move(difference_);
  }

 private:
  void sources() {
    for (const auto& [view, names] : {std::pair(&from_, &from_sources_), {&to_, &to_sources_}})
      for (const Node& node : view->graph().nodes) names->insert(node.provenance.begin(), node.provenance.end());
    if (from_sources_ != to_sources_ && !planned_)
      difference_.caution =
          fmt::format("The first was read from {}, the second from {}: fields that only one of them tells are not compared.",
                      fmt::join(from_sources_, ", "), fmt::join(to_sources_, ", "));
  }

  // A port of a NIC without a cable, which no source of the other graph lists.
  [[nodiscard]] static bool unlisted(const View& view, std::size_t node, const std::set<std::string>& others) {
    if (view.node(node).kind != Kind::port) return false;
    const auto links = view.links(node);
    const bool cable =
        std::any_of(links.begin(), links.end(), [&](std::size_t link) { return view.link(link).kind != LinkKind::internal; });
    const Provenance& sources = view.node(node).provenance;
    return !cable && std::none_of(sources.begin(), sources.end(), [&](const auto& it) { return others.contains(it); });
  }

  void nodes() {
    for (std::size_t i = 0; i < there_.size(); ++i) {
      const std::size_t parent = from_.parent(i);
      if (there_[i] == View::none && unlisted(from_, i, to_sources_)) continue;
      if (there_[i] != View::none)
        changed(i, there_[i]);
      else if (is_planned(from_.node(i).kind))
        difference_.nodes_vanished.push_back(
            {from_.node_port(i), from_.node(i).kind, parent != View::none && there_[parent] == View::none});
    }
    for (std::size_t i = 0; i < back_.size(); ++i)
      if (const std::size_t parent = to_.parent(i);
          back_[i] == View::none && is_planned(to_.node(i).kind) && !unlisted(to_, i, from_sources_))
        difference_.nodes_appeared.push_back(
            {to_.node_port(i), to_.node(i).kind, parent != View::none && back_[parent] == View::none});
  }

  // A plan has no ports without a cable, no chassis and no names but its own.
  [[nodiscard]] bool is_planned(Kind kind) const { return !planned_ || kind == Kind::machine || kind == Kind::fabric_switch; }

  void changed(std::size_t from, std::size_t to) {
    if (planned_) return;
    const Node& a = from_.node(from);
    const Node& b = to_.node(to);
    Changes changes;
    compare("key", a.key, b.key, changes);
    compare("name", a.name, b.name, changes);
    const std::size_t holder = from_.parent(from);
    if ((holder == View::none ? View::none : there_[holder]) != to_.parent(to)) compare("part of", a.parent, b.parent, changes);
    compare(a.attributes, b.attributes, fields_of(a.provenance, b.provenance), changes);
    if (!changes.empty()) difference_.nodes_changed.push_back({to_.node_port(to), std::move(changes)});
  }

  // Of a link of `from`, in places of `to`; places of what has vanished lie behind all of `to`'s, so that they meet nobody.
  [[nodiscard]] Plug plug_there(std::size_t node, unsigned port) const {
    return {there_[node] == View::none ? back_.size() + node : there_[node], port};
  }
  [[nodiscard]] static Ends ends(LinkKind kind, Plug a, Plug b) { return {kind, std::min(a, b), std::max(a, b)}; }

  [[nodiscard]] bool whole(const View& view, std::size_t link) const {
    if (view.a(link) == View::none || view.b(link) == View::none) return false;
    if (!planned_) return true;
    const LinkKind kind = view.link(link).kind;
    const auto inside = [&](std::size_t node) { return view.node(node).kind == Kind::accelerator; };  // SHARP's, in the switch
    return (kind == LinkKind::infiniband || kind == LinkKind::ethernet) && !inside(view.a(link)) && !inside(view.b(link));
  }

  void links() {
    std::map<Ends, std::vector<std::size_t>> theirs;  // the last is the next to be taken
    for (std::size_t i = to_.graph().links.size(); i-- > 0;)
      if (const Link& link = to_.link(i); whole(to_, i))
        theirs[ends(link.kind, {to_.a(i), link.a_port}, {to_.b(i), link.b_port})].push_back(i);
    std::vector<std::size_t> gone;
    for (std::size_t i = 0; i < from_.graph().links.size(); ++i) {
      if (!whole(from_, i)) continue;
      const Link& link = from_.link(i);
      const auto found = theirs.find(ends(link.kind, plug_there(from_.a(i), link.a_port), plug_there(from_.b(i), link.b_port)));
      if (found == theirs.end() || found->second.empty()) {
        gone.push_back(i);
        continue;
      }
      changed_link(i, found->second.back());
      found->second.pop_back();
    }
    std::vector<std::size_t> fresh;
    for (const auto& [key, left] : theirs) fresh.insert(fresh.end(), left.begin(), left.end());
    std::sort(fresh.begin(), fresh.end());
    moves(gone, fresh);
    once(gone, fresh);
  }

  // A PCIe link that only GPUs use: its speed says whether they work.
  [[nodiscard]] bool may_sleep(std::size_t link) const {
    if (from_.link(link).kind != LinkKind::pcie) return false;
    std::vector<std::size_t> open{from_.b(link)};
    bool gpus = false;
    while (!open.empty()) {
      const std::size_t node = open.back();
      open.pop_back();
      const Kind kind = from_.node(node).kind;
      if (kind == Kind::nic || kind == Kind::storage || kind == Kind::accelerator) return false;
      gpus = gpus || kind == Kind::gpu;
      open.insert(open.end(), from_.children(node).begin(), from_.children(node).end());
    }
    return gpus;
  }

  void changed_link(std::size_t from, std::size_t to) {
    const Link& a = from_.link(from);
    const Link& b = to_.link(to);
    Changes changes;
    const Fields fields = fields_of(a.provenance, b.provenance);
    compare("count", a.count, b.count, changes);
    compare("capable", a.capable, b.capable, true, fields, changes);
    // Which end is called a is chance where both are switches; then each end's own view changes places with it.
    const bool turned = plug_there(from_.a(from), a.a_port) != Plug{to_.a(to), b.a_port};
    const auto known = [](const Rate& rate) { return rate.width != 0 || rate.speed != 0; };
    const bool ends_exchanged = turned && (known(b.active_at_b) || known(a.active_at_b));
    const Rate at_a = ends_exchanged && known(b.active_at_b) ? b.active_at_b : b.active;
    const Rate at_b = ends_exchanged && known(b.active_at_b) ? b.active : b.active_at_b;
    bool steady = true;
    if (!options_.passing && (a.active.speed != at_a.speed || a.state != b.state || differ(a.bandwidth, b.bandwidth)))
      steady = !may_sleep(from);
    compare("active", a.active, at_a, steady, fields, changes);
    compare("active at the other end", a.active_at_b, at_b, steady, fields, changes);
    if (steady) {
      if (fields.one_source || (a.state != LinkState::unknown && b.state != LinkState::unknown))
        compare("state", std::string(row(a.state).name), std::string(row(b.state).name), changes);
      bandwidths(a, b, fields, changes);
    }
    compare(a.attributes, b.attributes, fields, changes);
    if (options_.passing) {
      counters(a.a_counters, turned ? b.b_counters : b.a_counters, "", changes);
      counters(a.b_counters, turned ? b.a_counters : b.b_counters, " at the other end", changes);
    }
    if (planned_)
      std::erase_if(changes, [](const Change& it) { return it.from.empty() || it.to.empty() || it.attribute == "state"; });
    if (!changes.empty())
      difference_.links_changed.push_back({to_end(to, !turned), to_end(to, turned), b.kind, std::move(changes)});
  }

  // Of two sources that both tell the rate the bandwidths follow from it.
  static void bandwidths(const Link& a, const Link& b, const Fields& fields, Changes& changes) {
    if (!fields.one_source && a.active.speed > 0 && b.active.speed > 0) return;
    for (const auto& [name, part] :
         {std::pair{"line bandwidth", &Bandwidth::line}, std::pair{"nominal bandwidth", &Bandwidth::nominal},
          std::pair{"usable bandwidth", &Bandwidth::usable}})
      if (comparable(a.bandwidth.*part, b.bandwidth.*part, fields)) compare(name, a.bandwidth.*part, b.bandwidth.*part, changes);
  }

  [[nodiscard]] Fields fields_of(const Provenance& from, const Provenance& to) const {
    return {options_.passing, std::is_permutation(from.begin(), from.end(), to.begin(), to.end())};
  }

  static bool differ(const Bandwidth& a, const Bandwidth& b) {
    return a.line != b.line || a.nominal != b.nominal || a.usable != b.usable;
  }

  static void counters(const Counters& from, const Counters& to, const std::string& where, Changes& changes) {
    Attributes a(from.begin(), from.end());
    Attributes b(to.begin(), to.end());
    Changes found;
    compare(a, b, Fields{true, true}, found);
    for (Change& change : found) {
      change.attribute += where;
      changes.push_back(std::move(change));
    }
  }

  [[nodiscard]] NodePort from_end(std::size_t link, bool a) const {
    return a ? from_.node_port(from_.a(link), from_.link(link).a_port) : from_.node_port(from_.b(link), from_.link(link).b_port);
  }
  [[nodiscard]] NodePort to_end(std::size_t link, bool a) const {
    return a ? to_.node_port(to_.a(link), to_.link(link).a_port) : to_.node_port(to_.b(link), to_.link(link).b_port);
  }

  // Whether one plug of a link tells it from all others: a numbered port, the port of a NIC, or the device at a PCIe link's end.
  [[nodiscard]] static bool tells(const View& view, std::size_t link, bool a) {
    const Link& it = view.link(link);
    if (it.kind == LinkKind::pcie) return !a;
    if (!is_plugged(it.kind)) return false;
    return (a ? it.a_port : it.b_port) != 0 || view.node(a ? view.a(link) : view.b(link)).kind == Kind::port;
  }

  struct Move {
    std::size_t from, to;  // links
    bool from_a, to_a;     // whether the end that stayed is `a`
  };

  // Takes from `gone` and `fresh` what is one cable with one end in place. Hosts' ends first: cables are pulled at switches.
  void moves(std::vector<std::size_t>& gone, std::vector<std::size_t>& fresh) {
    std::map<std::pair<LinkKind, Plug>, std::pair<std::size_t, bool>> plugs;
    for (const std::size_t link : fresh)
      for (const bool a : {true, false})
        if (tells(to_, link, a)) {
          const Link& it = to_.link(link);
          plugs.try_emplace({it.kind, a ? Plug{to_.a(link), it.a_port} : Plug{to_.b(link), it.b_port}}, link, a);
        }
    std::vector<Move> moved;
    std::set<std::size_t> from_taken;
    std::set<std::size_t> to_taken;
    for (const bool hosts : {true, false})
      for (const bool a : {true, false})
        for (const std::size_t link : gone) {
          const std::size_t node = a ? from_.a(link) : from_.b(link);
          const bool host = from_.node(node).kind != Kind::fabric_switch && from_.node(node).kind != Kind::nvswitch;
          if (host != hosts || !tells(from_, link, a) || there_[node] == View::none || from_taken.contains(link)) continue;
          const Link& it = from_.link(link);
          const auto found = plugs.find({it.kind, plug_there(node, a ? it.a_port : it.b_port)});
          if (found == plugs.end() || !to_taken.insert(found->second.first).second) continue;
          from_taken.insert(link);
          moved.push_back({link, found->second.first, a, found->second.second});
        }
    std::erase_if(gone, [&](std::size_t link) { return from_taken.contains(link); });
    std::erase_if(fresh, [&](std::size_t link) { return to_taken.contains(link); });
    std::sort(moved.begin(), moved.end(), [](const Move& x, const Move& y) { return x.from < y.from; });
    swaps(moved);
  }

  // The plug that a move left, and the one that it went to, both in places of `to`.
  [[nodiscard]] Plug left(const Move& move) const {
    const Link& it = from_.link(move.from);
    return move.from_a ? plug_there(from_.b(move.from), it.b_port) : plug_there(from_.a(move.from), it.a_port);
  }
  [[nodiscard]] Plug reached(const Move& move) const {
    const Link& it = to_.link(move.to);
    return move.to_a ? Plug{to_.b(move.to), it.b_port} : Plug{to_.a(move.to), it.a_port};
  }
  [[nodiscard]] LinkMoved told(const Move& move) const {
    return {from_end(move.from, move.from_a), from_end(move.from, !move.from_a), to_end(move.to, !move.to_a),
            from_.link(move.from).kind};
  }

  void swaps(const std::vector<Move>& moved) {
    std::map<Plug, std::size_t> leaving;  // by the plug that it left
    for (std::size_t i = 0; i < moved.size(); ++i)
      if (is_plugged(from_.link(moved[i].from).kind)) leaving.try_emplace(left(moved[i]), i);
    std::vector<bool> done(moved.size());
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (done[i]) continue;
      const auto found = leaving.find(reached(moved[i]));
      const std::size_t other = found == leaving.end() ? i : found->second;
      if (other > i && !done[other] && reached(moved[other]) == left(moved[i])) {
        difference_.links_swapped.push_back({told(moved[i]), told(moved[other])});
        done[other] = true;
      } else {
        difference_.links_moved.push_back(told(moved[i]));
      }
    }
  }

  // Whether the node, or of a plan what holds it, is in one graph only, where it is told already.
  [[nodiscard]] bool alone(const View& view, std::size_t node, const std::vector<std::size_t>& others) const {
    const std::size_t holder = planned_ && view.node(node).kind != Kind::fabric_switch ? view.machine(node) : node;
    return holder != View::none && others[holder] == View::none;
  }

  void once(const std::vector<std::size_t>& gone, const std::vector<std::size_t>& fresh) {
    const auto inside = [](const View& view, std::size_t link, const std::vector<std::size_t>& partners,
                           const std::set<std::string>& others) {
      const std::size_t port = view.b(link);
      return view.link(link).kind == LinkKind::internal && partners[port] == View::none && unlisted(view, port, others);
    };
    for (const std::size_t link : gone)
      if (!inside(from_, link, there_, to_sources_))
        difference_.links_vanished.push_back({from_end(link, true), from_end(link, false), from_.link(link).kind,
                                              alone(from_, from_.a(link), there_) || alone(from_, from_.b(link), there_)});
    for (const std::size_t link : fresh)
      if (!inside(to_, link, back_, from_sources_))
        difference_.links_appeared.push_back({to_end(link, true), to_end(link, false), to_.link(link).kind,
                                              alone(to_, to_.a(link), back_) || alone(to_, to_.b(link), back_)});
  }

  View from_, to_;
  DiffOptions options_;
  bool planned_;  // one of the two is a cable plan, the other is not
  std::vector<std::size_t> there_, back_;
  std::set<std::string> from_sources_, to_sources_;
  Difference difference_;
};

template <class List>
std::size_t without_parts(const List& list) {
  return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), [](const auto& it) { return !it.part; }));
}

}  // namespace

std::size_t Difference::count() const {
  return without_parts(nodes_vanished) + without_parts(nodes_appeared) + nodes_changed.size() + without_parts(links_vanished) +
         without_parts(links_appeared) + links_changed.size() + links_moved.size() + links_swapped.size();
}

Difference diff(const Graph& from, const Graph& to, const DiffOptions& options) { return Comparison(from, to, options).run(); }

}  // namespace railgauge::topo
