// Medians of pairs that are alike, and the cells that follow.
#include "reports/validation/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "reports/validation/words.hpp"
#include "reports/web/inert.hpp"

namespace railgauge::validation {
namespace {

constexpr std::size_t most_groups = 128;     // rows of a matrix of groups
constexpr std::size_t most_cells = 150'000;  // of all matrices of a page

double median_of(std::vector<double>& values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

// The leaf of a host on a rail; empty where it is not known.
const std::string& leaf_of(const Host& host, std::uint32_t rail) {
  static const std::string none;
  return rail < host.rails.size() ? host.rails[rail].leaf : none;
}

bool is_possible(const Validation& validation, const PairFigure& pair) {
  return pair.from < validation.hosts.size() && pair.to < validation.hosts.size() && pair.from != pair.to &&
         std::isfinite(pair.gigabytes_per_second) && pair.gigabytes_per_second >= 0;
}

// Hosts that stand in one row together: those of a leaf where that makes few enough rows, else equal parts of the fleet.
struct Groups {
  std::vector<std::string> names;
  std::vector<std::uint32_t> of;  // by host
  std::size_t largest = 0;
};

Groups groups_of(const Validation& validation) {
  const std::vector<Host>& hosts = validation.hosts;
  Groups groups;
  groups.of.resize(hosts.size());
  if (hosts.size() <= most_matrix_hosts) {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      groups.names.push_back(web::shown(hosts[i].name));
      groups.of[i] = static_cast<std::uint32_t>(i);
    }
    return groups;
  }
  std::map<std::string, std::uint32_t> leaves;
  bool known = true;
  for (const Host& host : hosts) {
    known = known && !leaf_of(host, 0).empty();
    leaves.try_emplace(leaf_of(host, 0), 0);
  }
  std::vector<std::vector<std::string>> members;
  if (known && leaves.size() > 1 && leaves.size() <= most_groups) {
    leaves.clear();
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto [place, added] = leaves.try_emplace(leaf_of(hosts[i], 0), static_cast<std::uint32_t>(members.size()));
      if (added) {
        members.emplace_back();
        groups.names.push_back(web::shown(place->first));
      }
      groups.of[i] = place->second;
      members[place->second].push_back(hosts[i].name);
    }
  } else {
    const std::size_t size = (hosts.size() + most_groups - 1) / most_groups;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (i % size == 0) members.emplace_back();
      groups.of[i] = static_cast<std::uint32_t>(members.size() - 1);
      members.back().push_back(hosts[i].name);
    }
    for (const auto& names : members) groups.names.push_back(names_of(names));
  }
  for (const auto& names : members) groups.largest = std::max(groups.largest, names.size());
  return groups;
}

}  // namespace

std::vector<double> shares_of(const Validation& validation) {
  // Models by number, so that a key is small.
  std::map<std::string, std::size_t> models;
  std::vector<std::size_t> model_of;
  for (const Host& host : validation.hosts) model_of.push_back(models.try_emplace(host.model, models.size()).first->second);
  const auto key_of = [&](const PairFigure& pair) {
    const auto [low, high] = std::minmax(model_of[pair.from], model_of[pair.to]);
    const std::string &from = leaf_of(validation.hosts[pair.from], pair.rail),
                      &to = leaf_of(validation.hosts[pair.to], pair.rail);
    return std::tuple(pair.rail, low, high, !from.empty() && from == to);
  };
  std::map<std::tuple<std::uint32_t, std::size_t, std::size_t, bool>, std::vector<double>> alike;
  for (const PairFigure& pair : validation.pairs)
    if (is_possible(validation, pair) && !pair.confirming && pair.gigabytes_per_second > 0)
      alike[key_of(pair)].push_back(pair.gigabytes_per_second);
  std::map<std::tuple<std::uint32_t, std::size_t, std::size_t, bool>, double> usual;
  for (auto& [key, values] : alike) usual[key] = median_of(values);
  std::vector<double> shares;
  for (const PairFigure& pair : validation.pairs) {
    shares.push_back(std::numeric_limits<double>::quiet_NaN());
    if (!is_possible(validation, pair)) continue;
    if (const auto found = usual.find(key_of(pair)); found != usual.end())
      shares.back() = pair.gigabytes_per_second / found->second;
  }
  return shares;
}

ShareMatrices share_matrices(const Validation& validation, const std::vector<double>& shares) {
  Groups groups = groups_of(validation);
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<double>> rounds;  // by rail, from, to
  for (std::size_t i = 0; i < validation.pairs.size(); ++i)
    if (const PairFigure& pair = validation.pairs[i]; std::isfinite(shares[i]))
      rounds[{pair.rail, pair.from, pair.to}].push_back(shares[i]);
  using Cells = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;
  Cells all;
  std::map<std::uint32_t, Cells> rails;
  for (auto& [key, values] : rounds) {
    const auto [rail, from, to] = key;
    const double share = median_of(values);
    for (Cells* cells : {&all, &rails[rail]}) {
      const auto [place, added] = cells->try_emplace({groups.of[from], groups.of[to]}, share);
      if (!added) place->second = std::min(place->second, share);
    }
  }
  ShareMatrices matrices{std::move(groups.names), groups.largest, {}};
  std::size_t room = most_cells;
  const auto add = [&](std::string name, const Cells& cells) {
    if (cells.empty() || cells.size() > room) return;
    room -= cells.size();
    ShareMatrix& matrix = matrices.matrices.emplace_back();
    matrix.name = std::move(name);
    for (const auto& [at, share] : cells) matrix.cells.push_back({at.first, at.second, share});
  };
  add(rails.size() > 1 ? "all rails, the lowest of each pair" : "every pair", all);
  if (rails.size() > 1)
    for (const auto& [rail, cells] : rails) add(fmt::format("rail {}", rail), cells);
  return matrices;
}

}  // namespace railgauge::validation
