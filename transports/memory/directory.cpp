// The table behind transports/memory/directory.hpp.
#include "transports/memory/directory.hpp"

#include <random>

namespace railgauge::memory {

Directory::Directory() {
  std::random_device random;
  process_ = (std::uint64_t{random()} << 32) ^ random();
}

std::uint64_t Directory::publish(const std::shared_ptr<void>& object) {
  const std::lock_guard guard(lock_);
  std::erase_if(objects_, [](const auto& entry) { return entry.second.expired(); });
  objects_.emplace(++last_, object);
  return last_;
}

std::shared_ptr<void> Directory::find(std::uint64_t number) {
  const std::lock_guard guard(lock_);
  const auto entry = objects_.find(number);
  return entry == objects_.end() ? nullptr : entry->second.lock();
}

Directory& directory() {
  // Threads that know nothing of each other can only meet through their process, so this one object is static.
  static Directory instance;
  return instance;
}

}  // namespace railgauge::memory
