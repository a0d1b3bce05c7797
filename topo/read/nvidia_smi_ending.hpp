// Whether what nvidia-smi printed is whole: its tables are square, its lists of links equally long, its legend names every NIC.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "topo/evidence/evidence.hpp"

namespace railgauge::topo::smi {

// Learns of each line as it is read, counted from 1, and is asked once.
class Ending {
 public:
  void heading(const std::string& gpu_name, unsigned gpu);
  void link(std::size_t line, const std::vector<std::string_view>& words);
  void other(std::size_t line, std::string_view text);
  void row(std::size_t line, const std::vector<std::string_view>& behind_cells);  // of a GPU
  void legend(std::size_t line, std::string_view name);

  // What is missing at the end of the list of links of the last GPU; empty where nothing is.
  [[nodiscard]] std::string missing_links() const;

  // Throws Error(usage) where the last line has no newline and what is read of it is not whole for certain. True where something
  // else stands there, of which nobody can tell whether it is whole.
  [[nodiscard]] bool check_open_line(const Reading& reading) const;

 private:
  struct Block {
    std::string name;
    unsigned gpu = 0;
    std::size_t rates = 0, remotes = 0, others = 0;  // lines of each sort
  };
  std::vector<Block> blocks_;
  std::vector<std::vector<std::string>> rows_;  // words behind the cells
  std::size_t other_line_ = 0, row_line_ = 0, link_line_ = 0, legend_line_ = 0, prose_line_ = 0;
  std::string last_, legend_;
};

// Why a line below the heading of a GPU, which begins with "Link", is none that nvidia-smi prints whole; empty where it may be.
[[nodiscard]] std::string fault_of_link(const std::vector<std::string_view>& words);

}  // namespace railgauge::topo::smi
