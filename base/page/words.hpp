// Texts in the data of a page, each once: thousands of items share most of theirs.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>

namespace railgauge::page {

class Words {
 public:
  // The place of this text in take().
  std::size_t number(const std::string& word) {
    const auto [found, added] = numbers_.try_emplace(word, numbers_.size());
    if (added) all_.push_back(word);
    return found->second;
  }
  // A list of texts; the last call.
  [[nodiscard]] nlohmann::ordered_json take() { return std::move(all_); }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  nlohmann::ordered_json all_ = nlohmann::ordered_json::array();
};

}  // namespace railgauge::page
