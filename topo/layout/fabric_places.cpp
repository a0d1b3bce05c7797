#include "topo/layout/fabric_places.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace railgauge::topo::layout {
namespace {

constexpr double between_tiers = 104, between_boxes = 16, between_rows = 18, between_blocks = 26, padding = 14, heading = 34;
constexpr double least_frame = 130, trunk_margin = 14, trunk_pitch = 9;
// What a page shows of a picture on a common screen, beside its column of facts.
constexpr double page_width = 1240, page_height = 800;
constexpr double wide_name = 214;  // titles of more are cut

// How a picture is wrapped.
struct Wrap {
  std::size_t columns = 0;  // groups in a row of a block; 0: all
  std::size_t blocks = 0;   // blocks beside each other; 0: all
};

// Of so many in a row, in which the i-th stands.
double row_of(std::size_t i, std::size_t columns) {
  const std::size_t row = i / columns;
  return static_cast<double>(row);
}

class Arrangement {
 public:
  Arrangement(const Blocks& blocks, unsigned tiers, double base, double group_width, Wrap wrap)
      : blocks_(blocks), tiers_(tiers), base_(base), wrap_(wrap) {
    places_.wrapped = wrap.columns != 0;
    places_.group_width = group_width;
    places_.framed =
        places_.wrapped || blocks.blocks.size() > 1 || (blocks.blocks.size() == 1 && blocks.blocks.front().count > 1);
    if (!places_.wrapped) return;
    places_.strip_gap = 0;
    if (!blocks.top.groups.empty()) left_ = trunk_margin + trunk_pitch * static_cast<double>(blocks.blocks.size());
  }

  Places arrange() {
    const std::size_t cores = blocks_.top.groups.size();
    std::vector<Size> sizes;
    for (const Block& block : blocks_.blocks) sizes.push_back(size_of(block));
    const double block_width = flowed_width(sizes);
    const bool frame_above = places_.wrapped && cores != 0;
    const double inset = frame_above ? padding : 0;
    const std::size_t core_columns =
        wrap_.columns == 0 ? cores : fitting(std::max(block_width - 2 * inset, row_width(wrap_.columns)));
    const std::size_t core_rows = cores == 0 ? 0 : (cores + core_columns - 1) / core_columns;
    const double core_width = row_width(std::min(cores, core_columns)) + 2 * inset;
    places_.width = left_ + std::max(block_width, core_width);
    const double first = base_ + (frame_above ? heading : tiers_ == 1 && places_.framed ? heading : 0);
    for (std::size_t i = 0; i < cores; ++i) {
      const std::size_t in_row = std::min(core_columns, cores - i / core_columns * core_columns);
      const double at = frame_above ? left_ + inset : std::max(0.0, (places_.width - row_width(in_row)) / 2);
      places_.top.push_back({at + static_cast<double>(i % core_columns) * pitch(),
                             first + row_of(i, core_columns) * (group_height + between_rows)});
    }
    double y = base_;
    if (core_rows != 0)
      y = first + static_cast<double>(core_rows) * (group_height + between_rows) - between_rows +
          (frame_above ? padding + between_blocks : between_tiers);
    if (frame_above) places_.above = {{left_, base_}, core_width, y - between_blocks - base_};
    flow(sizes, y);
    return std::move(places_);
  }

 private:
  struct Size {
    double width = 0, height = 0;
  };

  [[nodiscard]] double pitch() const { return places_.group_width + between_boxes; }
  [[nodiscard]] double row_width(std::size_t groups) const {
    return groups == 0 ? 0 : static_cast<double>(groups) * pitch() - between_boxes;
  }
  [[nodiscard]] std::size_t fitting(double width) const {
    return std::max<std::size_t>(1, static_cast<std::size_t>((width + between_boxes) / pitch()));
  }
  [[nodiscard]] double around() const { return places_.framed ? padding : 0; }
  [[nodiscard]] std::size_t columns_of(std::size_t groups) const {
    return wrap_.columns == 0 ? groups : std::min(groups, wrap_.columns);
  }
  [[nodiscard]] double row_height(unsigned tier) const {
    return group_height + (tier == 1 ? places_.strip_gap + strip_height : 0);
  }
  // Of all rows of a tier of so many groups.
  [[nodiscard]] double tier_height(unsigned tier, std::size_t groups) const {
    const std::size_t columns = columns_of(groups);
    const auto rows = static_cast<double>(groups == 0 ? 1 : (groups + columns - 1) / columns);
    return rows * (row_height(tier) + between_rows) - between_rows;
  }

  static std::map<unsigned, std::vector<std::size_t>> rows_of(const Block& block) {
    std::map<unsigned, std::vector<std::size_t>> rows;
    for (std::size_t g = 0; g < block.groups.size(); ++g) rows[block.groups[g].tier].push_back(g);
    return rows;
  }

  [[nodiscard]] unsigned block_tiers() const { return tiers_ > 1 ? tiers_ - 1 : 1; }

  [[nodiscard]] Size size_of(const Block& block) const {
    const auto rows = rows_of(block);
    Size size{places_.framed ? least_frame : 0, places_.framed ? heading : 0};
    for (unsigned tier = 1; tier <= block_tiers(); ++tier) {
      const auto found = rows.find(tier);
      const std::size_t groups = found == rows.end() ? 0 : found->second.size();
      size.width = std::max(size.width, row_width(columns_of(groups)));
      size.height += tier_height(tier, groups) + (tier > 1 ? between_tiers : 0);
    }
    size.width += 2 * around();
    size.height += around();
    return size;
  }

  [[nodiscard]] std::size_t beside() const {
    return wrap_.blocks == 0 ? blocks_.blocks.size() : std::min(wrap_.blocks, blocks_.blocks.size());
  }

  [[nodiscard]] double flowed_width(const std::vector<Size>& sizes) const {
    double most = 0;
    for (std::size_t first = 0; first < sizes.size(); first += beside()) {
      double width = -between_blocks;
      for (std::size_t b = first; b < std::min(sizes.size(), first + beside()); ++b) width += sizes[b].width + between_blocks;
      most = std::max(most, width);
    }
    return most;
  }

  // Blocks beside each other, and line below line.
  void flow(const std::vector<Size>& sizes, double y) {
    places_.blocks.resize(sizes.size());
    places_.groups.resize(sizes.size());
    places_.bottom = y;
    for (std::size_t first = 0; first < sizes.size(); first += beside()) {
      double x = left_;
      double height = 0;
      for (std::size_t b = first; b < std::min(sizes.size(), first + beside()); ++b) height = std::max(height, sizes[b].height);
      for (std::size_t b = first; b < std::min(sizes.size(), first + beside()); ++b) {
        place_block(b, {x, y}, sizes[b].width, height);
        x += sizes[b].width + between_blocks;
      }
      places_.bottom = y + height;
      y += height + between_blocks;
    }
  }

  void place_block(std::size_t b, Point at, double width, double height) {
    const Block& block = blocks_.blocks[b];
    places_.blocks[b] = {at, width, height};
    places_.groups[b].resize(block.groups.size());
    const auto rows = rows_of(block);
    double y = at.y + (places_.framed ? heading : 0);
    for (unsigned tier = block_tiers(); tier >= 1; --tier) {
      const auto found = rows.find(tier);
      const std::vector<std::size_t> groups = found == rows.end() ? std::vector<std::size_t>{} : found->second;
      const std::size_t columns = std::max<std::size_t>(1, columns_of(groups.size()));
      // A row that is not full begins where the others do.
      const double left = at.x + around() + (width - 2 * around() - row_width(std::min(columns, groups.size()))) / 2;
      for (std::size_t i = 0; i < groups.size(); ++i)
        places_.groups[b][groups[i]] = {left + static_cast<double>(i % columns) * pitch(),
                                        y + row_of(i, columns) * (row_height(tier) + between_rows)};
      y += tier_height(tier, groups.size()) + between_tiers;
    }
  }

  const Blocks& blocks_;
  unsigned tiers_;
  double base_;
  Wrap wrap_;
  double left_ = 0;  // where blocks begin; left of it run the trunks
  Places places_;
};

// How large it can be shown on a page.
double scale_of(const Places& places, double base) {
  return std::min({1.0, page_width / places.width, page_height / std::max(1.0, places.bottom - base)});
}

}  // namespace

Places place_groups(const Blocks& blocks, unsigned tiers, double base, double widest_name) {
  Places best = Arrangement(blocks, tiers, base, Places{}.group_width, {}).arrange();
  if (best.width <= page_width * 1.25) return best;
  const double width = std::clamp(std::ceil(widest_name) + 16, Places{}.group_width, wide_name);
  std::size_t most = blocks.top.groups.size();
  for (const Block& block : blocks.blocks) most = std::max(most, block.groups.size());
  double scale = 0;
  for (std::size_t columns = 1; columns <= std::min<std::size_t>(most, 12); ++columns)
    for (std::size_t beside = 1; beside <= std::min<std::size_t>(blocks.blocks.size(), 12); ++beside) {
      Places tried = Arrangement(blocks, tiers, base, width, {columns, beside}).arrange();
      const double its = scale_of(tried, base);
      if (its < scale) continue;  // of two as large the one with fewer lines: fewer links pass behind others
      scale = its;
      best = std::move(tried);
    }
  return best;
}

std::vector<Point> trunk(const Places& places, std::size_t block) {
  const Places::Area& frame = places.blocks[block];
  // The further down a line of blocks is the further out its trunks run, and in a line those of the left.
  std::size_t further_out = 0;
  std::size_t left = 0;
  std::size_t in_line = 0;
  for (std::size_t b = 0; b < places.blocks.size(); ++b) {
    const bool level = places.blocks[b].at.y == frame.at.y;
    in_line += level ? 1U : 0U;
    left += level && b < block ? 1U : 0U;
    further_out += places.blocks[b].at.y > frame.at.y || (level && b < block) ? 1U : 0U;
  }
  const double share = static_cast<double>(further_out + 1) / static_cast<double>(places.blocks.size() + 1);
  const double along = places.above.at.x * share;
  const double high = places.above.at.y + places.above.height * share;
  const double low = frame.at.y - between_blocks * static_cast<double>(left + 1) / static_cast<double>(in_line + 1);
  const double from = frame.at.x + std::min(30.0, frame.width / 2);
  return {{from, frame.at.y}, {from, low}, {along, low}, {along, high}, {places.above.at.x, high}};
}

}  // namespace railgauge::topo::layout
