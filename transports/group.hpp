// The ranks of a run for out-of-band communication: small messages over the control tree, each with a deadline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace railgauge {

using Blob = std::vector<std::byte>;

// A group of `size` ranks as one of them sees it. Every call is collective over the group unless it says otherwise, is made in
// the same order by all of its ranks, and from one thread of each. A call throws Error(lost) that names the dead or absent
// ranks when it cannot finish: as soon as a death is known, or at the deadline that the group was made with.
class Group {
 public:
  virtual ~Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(nodes_.size()); }
  // nodes()[r]: the node that rank r runs on, as the launcher names it. Ranks with the same text share a host.
  [[nodiscard]] const std::vector<std::string>& nodes() const noexcept { return nodes_; }

  // Element r of the answer is what rank r gave. Blobs may differ in size.
  [[nodiscard]] virtual std::vector<Blob> allgather(const Blob& mine) = 0;
  virtual void barrier() = 0;
  // Gives `blobs[i]` to `peers[i]` and returns what each of them gave to this rank, in the order of `peers`. Only the ranks
  // named take part, so both ends must name each other; the order of two exchanges of one pair is the same on both.
  [[nodiscard]] virtual std::vector<Blob> exchange(std::span<const int> peers, std::span<const Blob> blobs) = 0;
  // The ranks that gave the same colour, in the order of their ranks here.
  [[nodiscard]] virtual std::unique_ptr<Group> split(int colour) = 0;
  // Not collective, and from any thread; cheap enough to be called while spinning (one atomic load): throws Error(lost) once a
  // death is known.
  virtual void check() const = 0;

 protected:
  Group(int rank, std::vector<std::string> nodes) : rank_(rank), nodes_(std::move(nodes)) {}

 private:
  int rank_;
  std::vector<std::string> nodes_;
};

}  // namespace railgauge
