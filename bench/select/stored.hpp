// Algorithms that are read from files (docs/schedules.md, docs/algorithms.md), beside those of the catalog.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/select/refused_file.hpp"
#include "bench/select/stored_file.hpp"

namespace railgauge {

// Owns what it read; its rows are valid as long as it is.
class StoredAlgorithms {
 public:
  // Reads those of `names` that name files, and proves them. Throws as read_stored().
  explicit StoredAlgorithms(std::span<const std::string> names);
  StoredAlgorithms(const StoredAlgorithms&) = delete;
  StoredAlgorithms& operator=(const StoredAlgorithms&) = delete;

  // Reads the files of a folder (files_of_folder()) and proves them; what is not right is no row but one of refused(). Throws
  // Error(usage) for a folder that cannot be read.
  void add_folder(const std::string& folder);

  [[nodiscard]] const std::vector<RefusedFile>& refused() const { return refused_; }

  // In the order of their names; each has the name of its file as it was given.
  [[nodiscard]] std::vector<const Algorithm*> rows() const;

 private:
  void add(const std::string& name, StoredFile file);

  // Deques, whose elements stay where they are: algorithms refer to the others.
  std::deque<std::string> names_;
  std::deque<StoredSchedules> schedules_;
  std::deque<Algorithm> algorithms_;
  std::vector<RefusedFile> refused_;
};

// "from 1 KiB to 512 KiB": the sizes that a file says it is for.
[[nodiscard]] std::string size_range(const StoredSchedules& stored);

// Why a row of a folder does not serve, a sentence fragment; empty where it does, or is of no folder.
[[nodiscard]] std::string why_left_out(const Algorithm& row, std::span<const Collective> collectives, const Shape& shape);

}  // namespace railgauge
