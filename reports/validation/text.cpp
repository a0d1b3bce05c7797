// The page for a terminal: what is wrong first, what to do last, since that is what stays in sight.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "reports/record/result_text.hpp"
#include "reports/validation/fields.hpp"
#include "reports/validation/words.hpp"
#include "reports/validation/writers.hpp"
#include "reports/web/inert.hpp"

namespace railgauge::validation {
namespace {

using web::shown;

constexpr std::string_view bold = "\x1b[1m", dim = "\x1b[2m", red = "\x1b[1;31m", yellow = "\x1b[33m", green = "\x1b[32m",
                           plain = "\x1b[0m";

// What keeps it one page.
constexpr std::size_t most_diagnoses = 8, most_evidence = 4, most_figures = 16, most_differences = 10, most_unread = 10,
                      few_hosts = 16, most_hosts = 16;

class Text {
 public:
  Text(const Validation& validation, const Terminal& terminal) : of_(validation), terminal_(terminal) {}

  std::string make() {
    head();
    diagnoses(true, "Faulty");
    diagnoses(false, "Suspected, and not confirmed");
    stages();
    figures();
    differences();
    unread();
    hosts();
    if (const std::string lines = drain_lines(of_); !lines.empty()) {
      heading("To take out of service (nothing of this was run)");
      text_ += lines;
    }
    return std::move(text_);
  }

 private:
  [[nodiscard]] std::string painted(std::string_view colour, const std::string& text) const {
    return terminal_.colour ? fmt::format("{}{}{}", colour, text, plain) : text;
  }
  void line(const std::string& text) { text_ += text + "\n"; }
  void heading(const std::string& text) { line("\n" + painted(bold, text)); }
  void left_out(std::size_t shown_ones, std::size_t all, std::string_view what) {
    if (shown_ones < all)
      line(painted(dim, fmt::format("  and {} more {}: they are in the files of -o", all - shown_ones, what)));
  }

  void head() {
    const std::string_view colour = of_.outcome == Outcome::passed ? green : of_.outcome == Outcome::failed ? red : yellow;
    line(painted(colour, fmt::format("{}: {}", word_of(of_.outcome), shown(of_.sentence))));
    line(what_ran(of_));
    line(painted(dim, fmt::format("run {}, begun {}, railgauge {}", shown(of_.run), shown(of_.begun), shown(of_.version))));
  }

  void diagnoses(bool faulty, const std::string& title) {
    std::size_t count = 0;
    for (const Diagnosis& diagnosis : of_.diagnoses) {
      if (diagnosis.faulty != faulty) continue;
      if (count++ == 0) heading(title);
      if (count > most_diagnoses) continue;
      std::string facts = effect_of(diagnosis);
      for (const std::string& more :
           {sure_of(diagnosis), diagnosis.stage.empty() ? std::string() : "found in the stage " + shown(diagnosis.stage)})
        if (!more.empty()) facts += (facts.empty() ? "" : "; ") + more;
      line(painted(faulty ? red : yellow, fmt::format("  {}  {}", name(diagnosis.blame), ends_of(diagnosis))));
      if (!facts.empty()) line("    " + facts);
      if (!diagnosis.sentence.empty()) line("    " + shown(diagnosis.sentence));
      for (std::size_t i = 0; i < std::min(diagnosis.evidence.size(), most_evidence); ++i)
        line("    evidence: " + shown(diagnosis.evidence[i]));
      if (diagnosis.evidence.size() > most_evidence)
        line(fmt::format("    and {} more pieces of evidence", diagnosis.evidence.size() - most_evidence));
      if (!diagnosis.next.empty()) line(painted(bold, "    do: ") + shown(diagnosis.next));
    }
    left_out(std::min(count, most_diagnoses), count, faulty ? "faulty parts" : "suspicions");
  }

  void stages() {
    if (of_.stages.empty()) return;
    heading("Stages");
    table({"stage", "", "time", ""}, 4, of_.stages.size(), [&](std::size_t i) {
      const Stage& stage = of_.stages[i];
      return std::vector<std::string>{shown(stage.name), std::string(word_of(stage.state)), took_of(stage), said_of(stage)};
    });
    for (const std::string& said : {level_of(of_), power_of(of_)})
      if (!said.empty()) line(painted(dim, "  " + said));
  }

  void figures() {
    // Those that are not what they must be come first, else the order stays.
    std::vector<const Figure*> order;
    for (const Figure& figure : of_.figures) order.push_back(&figure);
    std::stable_partition(order.begin(), order.end(), [](const Figure* figure) { return figure->below; });
    if (order.empty()) return;
    heading("Figures");
    table({"what", "of", "measured", "peers", "ceiling", "reference", "asked for", ""}, 2, std::min(order.size(), most_figures),
          [&](std::size_t i) {
            const Figure& figure = *order[i];
            return std::vector<std::string>{shown(figure.what),
                                            shown(figure.subject),
                                            amount(figure.value, figure.unit),
                                            gigabytes(figure.peers),
                                            gigabytes(figure.ceiling),
                                            gigabytes(figure.reference),
                                            asked_of(figure),
                                            figure.below ? painted(red, too_long(figure) ? "ABOVE" : "BELOW") : std::string()};
          });
    left_out(std::min(order.size(), most_figures), order.size(), "figures");
  }

  void differences() {
    if (of_.differences.empty()) return;
    std::vector<const Difference*> order;
    for (const Difference& it : of_.differences) order.push_back(&it);
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->severity < b->severity; });
    heading("Settings that differ, or are wrong by themselves");
    for (std::size_t i = 0; i < std::min(order.size(), most_differences); ++i) {
      const Difference& it = *order[i];
      std::string text = fmt::format("  {:<8} {} {} {}: {}", word_of(it.severity), shown(it.host), shown(it.subject),
                                     shown(it.name), shown(it.found));
      if (!it.expected.empty()) text += ", expected " + shown(it.expected);
      if (!it.why.empty()) text += ": " + shown(it.why);
      line(it.severity == topo::Severity::fault ? painted(red, text) : text);
      if (!it.action.empty()) line("           do: " + shown(it.action));
    }
    left_out(std::min(order.size(), most_differences), order.size(), "differences");
  }

  void unread() {
    if (of_.unread.empty()) return;
    heading(fmt::format("Not read: {}", plural(of_.unread.size(), "thing")));
    for (std::size_t i = 0; i < std::min(of_.unread.size(), most_unread); ++i) {
      const Unread& it = of_.unread[i];
      line(fmt::format("  {}: {} ({}: {})", shown(it.name), shown(it.reason), plural(it.hosts.size(), "host"),
                       names_of(it.hosts)));
    }
    left_out(std::min(of_.unread.size(), most_unread), of_.unread.size(), "things");
  }

  void hosts() {
    std::vector<const Host*> order;
    const bool few = of_.hosts.size() <= few_hosts;
    for (const Host& host : of_.hosts)
      if (few || host.state != HostState::good) order.push_back(&host);
    heading(few ? "Hosts: " + count_states(of_)
                : fmt::format("Hosts that are not good, of {}: {}", of_.hosts.size(), count_states(of_)));
    const std::size_t listed = std::min(order.size(), most_hosts);
    if (listed != 0)
      table({"host", "", "send GB/s", "off", "receive GB/s", "off", "latency", "", "leaf"}, 2, listed, [&](std::size_t i) {
        const Host& host = *order[i];
        const Standing standing = standing_of(host);
        const bool told = standing.worst && (host.state != HostState::good || host.rails.size() == 1);
        const std::string leaf = told ? shown(host.rails[*standing.worst].leaf) : std::string();
        std::string said = shown(host.reason);
        if (said.empty() && told && host.rails.size() > 1) said = "lowest: " + rail_name(host, *standing.worst);
        return std::vector<std::string>{shown(host.name),
                                        std::string(name(host.state)),
                                        gigabytes(standing.send),
                                        percent_off(standing.send_off),
                                        gigabytes(standing.receive),
                                        percent_off(standing.receive_off),
                                        standing.latency ? time_text(*standing.latency) : "-",
                                        said,
                                        leaf};
      });
    left_out(listed, order.size(), "hosts");
  }

  // Columns as wide as what stands in them; those from `first_number` on stand at the right, but for what is no number.
  void table(const std::vector<std::string>& names, std::size_t first_number, std::size_t rows,
             const std::function<std::vector<std::string>(std::size_t)>& row) {
    std::vector<std::vector<std::string>> cells{names};
    for (std::size_t i = 0; i < rows; ++i) cells.push_back(row(i));
    std::vector<std::size_t> widths(names.size());
    std::vector<bool> right(names.size());
    for (std::size_t column = 0; column < names.size(); ++column) {
      right[column] = column >= first_number && !names[column].empty() && names[column] != "leaf";
      for (const auto& line_of : cells) widths[column] = std::max(widths[column], columns_of(line_of[column]));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::string text;
      for (std::size_t column = 0; column < names.size(); ++column) {
        if (widths[column] == 0) continue;
        const std::string blanks(widths[column] - columns_of(cells[i][column]), ' ');
        text += "  " + (right[column] ? blanks + cells[i][column] : cells[i][column] + blanks);
      }
      text.resize(text.find_last_not_of(' ') + 1);
      line(i == 0 ? painted(dim, text) : text);
    }
  }

  // Characters, without the sequences of colours.
  static std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\x1b')
        i = text.find('m', i);
      else if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80)
        ++columns;
    }
    return columns;
  }

  const Validation& of_;
  const Terminal& terminal_;
  std::string text_;
};

}  // namespace

std::string to_text(const Validation& validation, const Terminal& terminal) { return Text(validation, terminal).make(); }

}  // namespace railgauge::validation
