// Adds field after field; bench/workload/digest.hpp.
#include "bench/workload/digest.hpp"

#include <bit>
#include <string_view>

#include "base/digest.hpp"

namespace railgauge {
namespace {

class WorkloadDigest : public Digest {
 public:
  void add_signed(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
  void add_text(std::string_view text) {
    add(text.size());
    for (const char letter : text) add(static_cast<unsigned char>(letter));
  }
  template <class List>
  void add_list(const List& list) {
    add(list.size());
    for (const auto number : list) add(static_cast<std::uint64_t>(number));
  }
  void add_node(const WorkNode& node) {
    add(static_cast<std::uint64_t>(node.work));
    add_text(node.name);
    add_signed(node.stream);
    add_list(node.after);
    add(std::bit_cast<std::uint64_t>(node.duration.count()));
    if (!node.communicates()) return;
    add(static_cast<std::uint64_t>(node.collective));
    for (const int number : {node.group, node.root, node.peer, node.tag}) add_signed(number);
    add(static_cast<std::uint64_t>(node.type));
    add(static_cast<std::uint64_t>(node.op));
    add(node.elements);
    add_list(node.send_counts);
    add_list(node.receive_counts);
  }
};

}  // namespace

std::uint64_t digest_of(const Workload& workload) noexcept {
  WorkloadDigest digest;
  digest.add_signed(workload.ranks);
  digest.add(workload.groups.size());
  for (const ProcessGroup& group : workload.groups) {
    digest.add_text(group.name);
    digest.add_text(group.kind);
    digest.add_list(group.ranks);
  }
  for (const std::vector<WorkNode>& nodes : workload.nodes) {
    digest.add(nodes.size());
    for (const WorkNode& node : nodes) digest.add_node(node);
  }
  return digest.value();
}

}  // namespace railgauge
