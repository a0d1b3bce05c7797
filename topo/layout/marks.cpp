// Finds the places of the ends of findings.
#include "topo/layout/marks.hpp"

namespace railgauge::topo::layout {

Marks::Marks(const View& view, const std::vector<Finding>& findings) : view_(view) {
  for (const Finding& finding : findings) mark(finding);
}

std::span<const Finding* const> Marks::of(std::size_t node) const {
  const auto found = of_.find(node);
  return found == of_.end() ? std::span<const Finding* const>() : std::span<const Finding* const>(found->second);
}

void Marks::mark(const Finding& finding) {
  const std::size_t a = view_.place(finding.a.key);
  const std::size_t b = finding.b.key.empty() ? View::none : view_.place(finding.b.key);
  const bool counts = finding.severity != Severity::note;
  for (const std::size_t end : {a, b})
    for (std::size_t it = end; it != View::none; it = view_.parent(it)) {
      std::vector<const Finding*>& list = of_[it];
      if (list.empty() || list.back() != &finding) list.push_back(&finding);
      if (counts && (it == end || view_.node(it).kind == Kind::nic)) nodes_.insert(it);
    }
  if (counts && a != View::none && finding.b.key.empty()) alone_.insert(a);
  if (a == View::none || b == View::none || !counts) return;
  if (finding.absent) {
    absent_.push_back({a, b, &finding});
    return;
  }
  if (finding.link != View::none) {
    links_.insert(finding.link);
    return;
  }
  for (const std::size_t at : view_.links(a)) {
    const Link& link = view_.link(at);
    if (view_.other_end(at, a) != b) continue;
    const unsigned a_port = view_.a(at) == a ? link.a_port : link.b_port;
    const unsigned b_port = view_.a(at) == a ? link.b_port : link.a_port;
    const bool same = (finding.a.port == 0 || a_port == 0 || finding.a.port == a_port) &&
                      (finding.b.port == 0 || b_port == 0 || finding.b.port == b_port);
    if (same) links_.insert(at);
  }
}

}  // namespace railgauge::topo::layout
