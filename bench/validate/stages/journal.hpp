// Keeps on disk what a validation has measured, so that one that was interrupted goes on from there.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "bench/agents/order.hpp"

namespace railgauge::validate {

using agents::Answer;

// The file has a line for each set of orders that was carried out. Its first line says of which validation: hosts and options.
class Journal {
 public:
  // Opens or creates the file; `about` is its first line. Throws Error(usage) when it cannot be read or written, or belongs to
  // another validation.
  Journal(const std::string& path, const std::string& about);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  // Returns the answers to these orders, which live as long as the journal; nullptr where they were not carried out, or not all
  // of them, or by other members: a host that was lost then is asked again.
  [[nodiscard]] const std::vector<std::vector<Answer>>* find(const std::string& key, std::span<const agents::Order> orders) const;
  void add(const std::string& key, const std::vector<std::vector<Answer>>& answers);
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  void read(const std::string& path, const std::string& about);

  std::map<std::string, std::vector<std::vector<Answer>>> known_;
  int descriptor_ = -1;
};

}  // namespace railgauge::validate
