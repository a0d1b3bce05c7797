// What a validation has measured, on disk as it goes on, so that one that was interrupted need not begin again.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "bench/agents/order.hpp"

namespace railgauge::validate {

using agents::Answer;

// A line for each set of orders that were carried out. The first line says of which validation: its hosts and its options.
class Journal {
 public:
  // Throws Error(usage) when the file cannot be read or written, or belongs to another validation. `about` is one line.
  Journal(const std::string& path, const std::string& about);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  // Null where it was not carried out, or not wholly, or by others than these orders' members: whoever was lost is there again.
  [[nodiscard]] const std::vector<std::vector<Answer>>* find(const std::string& key, std::span<const agents::Order> orders) const;
  void add(const std::string& key, const std::vector<std::vector<Answer>>& answers);
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  void read(const std::string& path, const std::string& about);

  std::map<std::string, std::vector<std::vector<Answer>>> known_;
  int descriptor_ = -1;
};

}  // namespace railgauge::validate
