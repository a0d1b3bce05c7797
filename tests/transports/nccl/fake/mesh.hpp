// How the ranks of the fake NCCL speak: a socket for each two, over the abstract names of local sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace fake_nccl {

// What is in flight on one side of a socket: a head of eight bytes, the size, then as many bytes.
struct Half {
  std::byte* bytes = nullptr;
  std::uint64_t size = 0, done = 0;  // done counts the head too
  std::uint64_t head = 0;
};

class Mesh {
 public:
  // Listens under a name that is not used yet, and writes it to `name`.
  static int listen(std::string& name);
  // Meets the other ranks at rank 0's `name`, whose socket is `listener` there. Throws std::runtime_error.
  Mesh(const std::string& name, int listener, int rank, int size);
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return static_cast<int>(peers_.size()); }

  // Goes on as far as it can without waiting; true when the message is through. Throws std::runtime_error when the peer is gone,
  // or sends another size than is awaited.
  bool send(int peer, Half& message);
  bool receive(int peer, Half& message);

 private:
  int rank_;
  std::vector<int> peers_;
};

}  // namespace fake_nccl
