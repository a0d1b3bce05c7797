// Which node of one graph is which of another: by names that nothing else has, then by keys, then by where they are.
#include <unordered_map>

#include "topo/diff/diff.hpp"
#include "topo/diff/plan.hpp"
#include "topo/identity.hpp"

namespace railgauge::topo {
namespace {

// Texts to nodes; a text that several nodes have leads to none.
class Unique {
 public:
  void add(std::string text, std::size_t node) {
    if (const auto [at, fresh] = places_.try_emplace(std::move(text), node); !fresh) at->second = View::none;
  }
  [[nodiscard]] std::size_t find(const std::string& text) const {
    const auto found = places_.find(text);
    return found == places_.end() ? View::none : found->second;
  }

 private:
  std::unordered_map<std::string, std::size_t> places_;
};

// The name that goes with the device wherever it is put; empty when it has none.
std::string own_name(const Node& node) {
  if (const std::string_view uuid = text_of(node.attributes, "uuid"); names_a_device(uuid)) return std::string(uuid);
  if (std::string guid = guid_key(text_of(node.attributes, "node_guid")); !guid.empty()) return guid;
  // Fabrics know a device by its GUID alone. A port's key is the GUID of its NIC and a number, and the NIC is what is matched.
  return guid_key(node.key) == node.key ? node.key : std::string();
}

std::string where(const View& view, std::size_t node, std::size_t parent) {
  return std::to_string(static_cast<unsigned>(view.node(node).kind)) + ' ' +
         (parent == View::none ? "-" : std::to_string(parent)) + ' ' + view.label(node);
}

class Matching {
 public:
  Matching(const View& from, const View& to)
      : from_(from), to_(to), there_(from.graph().nodes.size(), View::none), back_(to.graph().nodes.size(), View::none) {}

  std::vector<std::size_t> run() {
    by_own_name();
    if (is_plan(from_.graph()) && !is_plan(to_.graph()))
      match_plan(from_, to_, [&](std::size_t planned, std::size_t built) { pair(planned, built); });
    else if (is_plan(to_.graph()) && !is_plan(from_.graph()))
      match_plan(to_, from_, [&](std::size_t planned, std::size_t built) { pair(built, planned); });
    by_key();
    by_place();
    return std::move(there_);
  }

 private:
  void pair(std::size_t from, std::size_t to) {
    if (to == View::none || there_[from] != View::none || back_[to] != View::none) return;
    if (from_.node(from).kind != to_.node(to).kind) return;
    there_[from] = to;
    back_[to] = from;
  }

  void by_own_name() {
    Unique theirs;
    Unique ours;
    for (std::size_t i = 0; i < back_.size(); ++i)
      if (std::string name = own_name(to_.node(i)); !name.empty()) theirs.add(std::move(name), i);
    for (std::size_t i = 0; i < there_.size(); ++i)
      if (std::string name = own_name(from_.node(i)); !name.empty()) ours.add(std::move(name), i);
    for (std::size_t i = 0; i < there_.size(); ++i)
      if (const std::string name = own_name(from_.node(i)); !name.empty() && ours.find(name) == i) pair(i, theirs.find(name));
  }

  void by_key() {
    for (std::size_t i = 0; i < there_.size(); ++i) pair(i, to_.place(from_.node(i).key));
  }

  // From the roots down, level by level: which node a parent is decides which its children can be.
  void by_place() {
    std::vector<std::vector<std::size_t>> levels;
    std::vector<std::size_t> depths(there_.size());
    for (std::size_t i = 0; i < there_.size(); ++i) {
      const std::size_t parent = from_.parent(i);
      depths[i] = parent == View::none ? 0 : depths[parent] + 1;
      if (there_[i] != View::none) continue;
      if (levels.size() <= depths[i]) levels.resize(depths[i] + 1);
      levels[depths[i]].push_back(i);
    }
    std::unordered_map<std::size_t, std::vector<std::size_t>> left;  // by parent in `to`, what is without a partner
    for (std::size_t i = 0; i < back_.size(); ++i)
      if (back_[i] == View::none) left[to_.parent(i)].push_back(i);
    for (const std::vector<std::size_t>& level : levels) {
      Unique theirs;
      Unique ours;
      std::unordered_map<std::size_t, bool> taken;  // parents whose children stand in `theirs`
      const auto parent_of = [&](std::size_t node) {
        const std::size_t parent = from_.parent(node);
        return parent == View::none ? View::none : there_[parent];
      };
      for (const std::size_t node : level) {
        const std::size_t parent = parent_of(node);
        if (parent == View::none && from_.parent(node) != View::none) continue;  // in what has vanished
        ours.add(where(from_, node, parent), node);
        if (!taken.try_emplace(parent, true).second) continue;
        if (const auto found = left.find(parent); found != left.end())
          for (const std::size_t it : found->second) theirs.add(where(to_, it, parent), it);
      }
      for (const std::size_t node : level) {
        const std::size_t parent = parent_of(node);
        if (parent == View::none && from_.parent(node) != View::none) continue;
        const std::string it = where(from_, node, parent);
        if (ours.find(it) == node) pair(node, theirs.find(it));
      }
    }
  }

  const View& from_;
  const View& to_;
  std::vector<std::size_t> there_, back_;
};

}  // namespace

std::vector<std::size_t> match(const View& from, const View& to) { return Matching(from, to).run(); }

}  // namespace railgauge::topo
