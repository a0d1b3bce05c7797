// What every Group must do, asked of groups of threads and of the control tree alike. Each function is the body of one rank and
// throws a sentence when an answer is wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "transports/group.hpp"

namespace railgauge::test {

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error("wrong: " + what);
}

// A blob whose length and content depend on its two ends and the turn.
inline Blob letter(int from, int to, int turn) {
  std::minstd_rand random(static_cast<std::uint32_t>(1 + from * 1009 + to * 31 + turn * 65537));
  Blob blob(random() % 300 * static_cast<std::size_t>(turn % 3));
  for (std::byte& byte : blob) byte = static_cast<std::byte>(random());
  return blob;
}

inline void check_allgather(Group& group) {
  for (int turn = 0; turn < 4; ++turn) {
    const auto all = group.allgather(letter(group.rank(), 0, turn));
    expect(all.size() == static_cast<std::size_t>(group.size()), "length of an allgather");
    for (int rank = 0; rank < group.size(); ++rank)
      expect(all[static_cast<std::size_t>(rank)] == letter(rank, 0, turn), "allgather, element " + std::to_string(rank));
    group.barrier();
  }
}

// Pairs, a ring, and everybody with everybody, several at once in flight between neighbours.
inline void check_exchange(Group& group) {
  const int n = group.size();
  const auto swap_with = [&](const std::vector<int>& peers, int turn) {
    std::vector<Blob> blobs;
    for (const int peer : peers) blobs.push_back(letter(group.rank(), peer, turn));
    const auto answer = group.exchange(peers, blobs);
    expect(answer.size() == peers.size(), "length of an exchange");
    for (std::size_t i = 0; i < peers.size(); ++i)
      expect(answer[i] == letter(peers[i], group.rank(), turn), "exchange with rank " + std::to_string(peers[i]));
  };
  for (int turn = 0; turn < 6; ++turn) {
    const int pair = group.rank() ^ 1;
    if (pair < n) swap_with({pair}, turn);
    if (n > 2) swap_with({(group.rank() + 1) % n, (group.rank() + n - 1) % n}, turn + 1);
  }
  std::vector<int> everyone;
  for (int rank = n - 1; rank >= 0; --rank) everyone.push_back(rank);
  swap_with(everyone, 2);
  swap_with({}, 0);
}

// Halves, then halves of halves, by colours that are not small numbers; groups of one too.
inline void check_split(Group& group) {
  const auto half = group.split(group.rank() % 2 == 0 ? -7 : 1 << 20);
  expect(half->size() == (group.size() + (group.rank() % 2 == 0 ? 1 : 0)) / 2, "size of a half");
  expect(half->rank() == group.rank() / 2, "rank in a half");
  check_allgather(*half);
  check_exchange(*half);
  const auto quarter = half->split(half->rank() % 2);
  check_exchange(*quarter);
  check_allgather(*quarter);
  const auto alone = group.split(group.rank());
  expect(alone->size() == 1 && alone->rank() == 0, "a group of one");
  expect(alone->nodes().front() == group.nodes()[static_cast<std::size_t>(group.rank())], "node in a group of one");
  check_allgather(*alone);
  check_allgather(group);
}

}  // namespace railgauge::test
