// How threads of one process hand objects to each other: a number that travels as a message, and the object found by it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace railgauge::memory {

// The one thing that all ranks of a process share before they are connected. Holds no object alive: who publishes one keeps
// it, who takes one shares it, and a number whose publisher is gone finds nothing.
class Directory {
 public:
  [[nodiscard]] std::uint64_t publish(const std::shared_ptr<void>& object);  // never 0
  // The object published under this number, which must be of type T; null when it is gone.
  template <typename T>
  [[nodiscard]] std::shared_ptr<T> take(std::uint64_t number) {
    return std::static_pointer_cast<T>(find(number));
  }
  // Tells this process from every other, on this host or not, also after a fork.
  [[nodiscard]] std::uint64_t process() const { return process_; }

  Directory();

 private:
  [[nodiscard]] std::shared_ptr<void> find(std::uint64_t number);

  std::mutex lock_;
  std::uint64_t last_ = 0;
  std::uint64_t process_;
  std::map<std::uint64_t, std::weak_ptr<void>> objects_;
};

// The directory of this process.
[[nodiscard]] Directory& directory();

}  // namespace railgauge::memory
