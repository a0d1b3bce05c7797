// Where the switches are unknown: hosts side by side, a square for each of their rails below each other, in as many lines as it
// takes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "reports/record/result_text.hpp"
#include "reports/validation/fields.hpp"
#include "reports/validation/pictures.hpp"
#include "reports/validation/words.hpp"
#include "reports/web/inert.hpp"

namespace railgauge::validation {
namespace {

using web::html;
using web::shown;

constexpr double width = 1160, left = 6, heading = 18, between = 12;
constexpr std::size_t most_marks = 12;

// The lower of both directions; empty where neither was measured.
std::optional<double> off_of(const RailFigures& rail) {
  std::optional<double> off;
  for (const std::optional<double>& one : {rail.send_off, rail.receive_off})
    if (one && std::isfinite(*one) && (!off || *one < *off)) off = one;
  return off;
}

// Alike squares are one path: there may be 16,384 of them.
struct Squares {
  const char* style;
  double height;  // as a share of the side: how far below its peers it is can be seen without colour too
  std::string path;
};

class Grid {
 public:
  explicit Grid(const Validation& validation)
      : of_(validation),
        side_(validation.hosts.size() <= 48    ? 20
              : validation.hosts.size() <= 512 ? 13
                                               : 8) {
    for (const Host& host : of_.hosts) rails_ = std::max(rails_, host.rails.size());
    a_line_ = std::min(std::max<std::size_t>(of_.hosts.size(), 1), static_cast<std::size_t>((width - 2 * left) / side_));
  }

  MapPicture make() {
    const double height_of_line = heading + static_cast<double>(rails_) * side_ + between;
    const std::size_t lines = (of_.hosts.size() + a_line_ - 1) / a_line_;
    for (std::size_t line = 0; line < lines; ++line) {
      const std::size_t first = line * a_line_, last = std::min(first + a_line_, of_.hosts.size()) - 1;
      const double y = static_cast<double>(line) * height_of_line;
      out_ += fmt::format(
          "<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"label\">{}</text>\n", left, y + heading - 5,
          html(first == last ? of_.hosts[first].name : shown(of_.hosts[first].name) + " to " + shown(of_.hosts[last].name)));
      for (std::size_t i = first; i <= last; ++i) host(i, left + static_cast<double>(i - first) * side_, y + heading);
    }
    for (const Squares& it : squares_)
      if (!it.path.empty()) out_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", it.style, it.path);
    MapPicture picture;
    picture.svg = fmt::format(
        "<svg class=\"fabric\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"Hosts by rails: {}\">\n{}{}</svg>\n",
        width, std::max(1.0, height_of_line * static_cast<double>(lines)), html(count_states(of_)), out_, over_);
    picture.caption = fmt::format(
        "Which switches join the hosts is not known. Each column is a host and each square one of its {}: full as usual, half "
        "less "
        "than {:.0f} %, a quarter less than {:.0f} % of its peers, empty not measured. A frame with a number is a host that is "
        "faulty, lost or not decided.",
        plural(rails_, "rail"), 100 * low_share, 100 * far_below_share);
    picture.marks = std::move(marks_);
    return picture;
  }

 private:
  void host(std::size_t place, double x, double y) {
    const Host& it = of_.hosts[place];
    for (std::size_t rail = 0; rail < rails_; ++rail) {
      const std::optional<double> off = rail < it.rails.size() ? off_of(it.rails[rail]) : std::nullopt;
      Squares& kind = !off                         ? squares_[3]
                      : *off < far_below_share - 1 ? squares_[2]
                      : *off < low_share - 1       ? squares_[1]
                                                   : squares_[0];
      const double inner = side_ - 2, tall = inner * kind.height;
      kind.path += fmt::format("M{:.0f} {:.1f}h{:.0f}v{:.1f}h-{:.0f}z", x + 1,
                               y + static_cast<double>(rail) * side_ + 1 + inner - tall, inner, tall, inner);
    }
    if (it.state == HostState::good || it.state == HostState::unmeasured) return;
    over_ +=
        fmt::format("<g class=\"frame {}\"><title>{}</title><rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\"/>",
                    name(it.state), html(it.name), x, y, side_, static_cast<double>(rails_) * side_);
    if (marks_.size() < most_marks) {
      const Standing standing = standing_of(it);
      std::string words = fmt::format("{}: {}", shown(it.name), name(it.state));
      if (!it.reason.empty())
        words += ": " + shown(it.reason);
      else if (standing.worst)
        words += fmt::format(", {} sends {} and receives {} beside its peers", rail_name(it, *standing.worst),
                             percent_off(standing.send_off), percent_off(standing.receive_off));
      marks_.push_back(words);
      over_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\">{}</text>", x + side_ / 2, y - 4, marks_.size());
    }
    over_ += "</g>\n";
  }

  const Validation& of_;
  double side_;
  std::size_t rails_ = 1, a_line_ = 1;
  std::string out_, over_;
  std::array<Squares, 4> squares_{Squares{"usual", 1, {}}, Squares{"low", 0.5, {}}, Squares{"far", 0.25, {}},
                                  Squares{"unmeasured", 1, {}}};
  std::vector<std::string> marks_;
};

}  // namespace

MapPicture draw_grid(const Validation& validation) { return Grid(validation).make(); }

MapPicture draw_map(const Validation& validation) {
  return validation.map.switches.empty() ? draw_grid(validation) : draw_fabric(validation);
}

}  // namespace railgauge::validation
