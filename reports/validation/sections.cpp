// What each part says.
#include "reports/validation/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reports/record/result_text.hpp"
#include "reports/validation/fields.hpp"
#include "reports/validation/picture.hpp"
#include "reports/validation/words.hpp"
#include "reports/validation/writers.hpp"
#include "reports/web/inert.hpp"
#include "reports/web/table.hpp"

namespace railgauge::validation {
namespace {

using web::folded;
using web::html;
using web::html_of_sentence;
using web::HtmlTable;
using web::Section;
using web::shown;

constexpr std::size_t most_cards = 24, most_evidence = 12;
constexpr std::size_t most_links = 200, all_links = 64;  // of the table below the map
constexpr std::size_t most_matrix_rows = 32;             // of a table with all cells
constexpr std::size_t most_pairs = 50;                   // else the lowest
constexpr std::size_t most_hosts = 4096, most_rails = 512;
constexpr std::size_t most_rows = 1000;  // of each other table

std::string paragraph(std::string_view text, std::string_view style = {}) {
  return fmt::format("<p{}>{}</p>\n", style.empty() ? std::string() : fmt::format(" class=\"{}\"", style),
                     html_of_sentence(text));
}

std::string left_out(std::size_t listed, std::size_t all, std::string_view what) {
  return listed < all ? paragraph(fmt::format("The first {} of {} {} are listed.", listed, all, what), "note") : std::string();
}

const char* mark_of(HostState state) {
  switch (state) {
    case HostState::faulty:
      return "✖ ";
    case HostState::lost:
      return "⚠ ";
    case HostState::doubtful:
      return "? ";
    case HostState::good:
    case HostState::unmeasured:
      break;
  }
  return "";
}

std::string card(const Diagnosis& diagnosis) {
  std::string text =
      fmt::format("<article class=\"card {}\"><h3>{}{}: {}</h3>\n", diagnosis.faulty ? "fault" : "warning",
                  diagnosis.faulty ? "✖ " : "? ", html(name(diagnosis.blame)), html_of_sentence(ends_of(diagnosis)));
  std::string facts = effect_of(diagnosis);
  for (const std::string& more :
       {sure_of(diagnosis), diagnosis.stage.empty() ? std::string() : "found in the stage " + shown(diagnosis.stage)})
    if (!more.empty()) facts += (facts.empty() ? "" : "; ") + more;
  if (!facts.empty()) text += fmt::format("<p class=\"facts\">{}</p>\n", html_of_sentence(facts));
  if (!diagnosis.sentence.empty()) text += paragraph(shown(diagnosis.sentence));
  if (!diagnosis.evidence.empty()) {
    text += "<ul>\n";
    for (std::size_t i = 0; i < std::min(diagnosis.evidence.size(), most_evidence); ++i)
      text += fmt::format("<li>{}</li>\n", html(diagnosis.evidence[i]));
    text += "</ul>\n";
  }
  if (!diagnosis.next.empty()) text += fmt::format("<p><strong>What to do:</strong> {}</p>\n", html(diagnosis.next));
  return text + "</article>\n";
}

std::string begun_large(std::string sentence) {
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  return sentence;
}

Section verdict_section(const Validation& validation) {
  const bool good = validation.outcome == Outcome::passed, fault = validation.outcome == Outcome::failed;
  std::string body = fmt::format("<p class=\"verdict {}\"><strong><span aria-hidden=\"true\">{}</span> {}.</strong> {}</p>\n",
                                 good    ? "good"
                                 : fault ? "fault"
                                         : "warning",
                                 good    ? "✔"
                                 : fault ? "✖"
                                         : "▲",
                                 word_of(validation.outcome), html(begun_large(validation.sentence)));
  body += paragraph("Hosts: " + count_states(validation) + ".");
  for (const std::string& said : {level_of(validation), power_of(validation)})
    if (!said.empty()) body += paragraph(begun_large(said) + ".");
  std::size_t listed = 0;
  std::string cards;
  for (const bool faulty : {true, false})
    for (const Diagnosis& diagnosis : validation.diagnoses)
      if (diagnosis.faulty == faulty && listed++ < most_cards) cards += card(diagnosis);
  if (!cards.empty()) body += "<div class=\"cards\">\n" + cards + "</div>\n";
  body += left_out(std::min(listed, most_cards), listed, "findings");
  if (const std::string lines = drain_lines(validation); !lines.empty())
    body += folded("Lines that take them out of service", "<pre tabindex=\"0\">" + html_of_sentence(lines) + "</pre>\n", fault);
  return {"verdict", "Verdict", std::move(body)};
}

std::string table_of_links(const Validation& validation) {
  const Map& map = validation.map;
  const bool all = map.links.size() <= all_links;
  HtmlTable table(all ? "Links of the map" : "Links of the map that are faulty or low",
                  {"from", "port", "to", "port", "state", "share of usual"}, 5);
  std::size_t count = 0;
  for (const bool faulty : {true, false})
    for (const MapLink& link : map.links) {
      const bool low = link.share && *link.share < low_share;
      if (link.faulty != faulty || (!all && !link.faulty && !low)) continue;
      if (link.a >= map.switches.size() || (link.host.empty() && link.b >= map.switches.size())) continue;
      if (++count > most_links) continue;
      const std::string& a = map.switches[link.a].name;
      table.row({shown(link.host.empty() ? a : link.host), shown(link.a_port),
                 shown(link.host.empty() ? map.switches[link.b].name : a), shown(link.b_port),
                 link.faulty ? "✖ faulty"
                 : low       ? "low"
                             : "",
                 percent(link.share)});
    }
  if (count == 0) return {};
  return folded("The same as a table", left_out(std::min(count, most_links), count, "links") + table.text(), false);
}

Section map_section(const Validation& validation) {
  const MapPicture picture = draw_map(validation);
  std::string body = fmt::format(
      "<figure class=\"map\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Map\">{}</div>\n", picture.svg);
  if (!picture.marks.empty()) {
    body += "<ol>\n";
    for (const std::string& mark : picture.marks) body += "<li>" + html_of_sentence(mark) + "</li>\n";
    body += "</ol>\n";
  }
  body += fmt::format("<figcaption>{}</figcaption></figure>\n", html_of_sentence(picture.caption));
  return {"map", "Map of the fabric", body + table_of_links(validation)};
}

// Every cell where that is readable.
std::string whole_matrix(const ShareMatrices& matrices) {
  const std::size_t size = matrices.names.size();
  std::vector<std::string> cells(size * size, "-");
  for (const ShareCell& cell : matrices.matrices.front().cells) cells[cell.from * size + cell.to] = percent(cell.share);
  std::vector<std::string_view> names{"of usual, from row to column"};
  names.insert(names.end(), matrices.names.begin(), matrices.names.end());
  HtmlTable table(matrices.matrices.front().name, names, 1);
  for (std::size_t from = 0; from < size; ++from) {
    std::vector<std::string> row{matrices.names[from]};
    row.insert(row.end(), cells.begin() + static_cast<std::ptrdiff_t>(from * size),
               cells.begin() + static_cast<std::ptrdiff_t>((from + 1) * size));
    table.row(row);
  }
  return table.text();
}

std::string lowest_pairs(const Validation& validation, const std::vector<double>& shares) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !std::isfinite(shares[i]); });
  const std::size_t listed = std::min(order.size(), most_pairs);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(listed), order.end(),
                    [&](std::size_t a, std::size_t b) { return std::pair(shares[a], a) < std::pair(shares[b], b); });
  HtmlTable table(fmt::format("The lowest {} of {} measurements", listed, shares.size()),
                  {"from", "to", "rail", "why", "round", "GB/s", "of usual"}, 4);
  for (std::size_t i = 0; i < listed; ++i) {
    const PairFigure& pair = validation.pairs[order[i]];
    const Host& from = validation.hosts[pair.from];
    table.row({shown(from.name), shown(validation.hosts[pair.to].name), rail_name(from, pair.rail),
               pair.confirming ? "to confirm" : "", fmt::format("{}", pair.round), gigabytes(pair.gigabytes_per_second),
               percent(shares[order[i]])});
  }
  return table.text();
}

Section pairs_section(const Validation& validation, const std::vector<double>& shares, const ShareMatrices& matrices,
                      bool charts) {
  std::string body = paragraph(
      "Rows send, columns receive. A share is the bandwidth of a pair by the median of pairs like it: the same rail, the same "
      "models of "
      "host, both on one leaf or not. A host whose cable sends badly is a dark row, one that receives badly a dark column. What "
      "no round "
      "measured is blank.");
  if (matrices.grouped != 0)
    body += paragraph(
        fmt::format("Of so many hosts a row is a group of up to {}, and a cell the lowest of its pairs.", matrices.grouped),
        "note");
  body += "<div class=\"chart\" data-chart=\"shares\"></div>\n";
  const bool whole = matrices.grouped == 0 && matrices.names.size() <= most_matrix_rows;
  body += folded(whole ? "The same as a table" : "The lowest as a table",
                 whole ? whole_matrix(matrices) : lowest_pairs(validation, shares), !charts);
  return {"pairs", "Pairwise matrix", std::move(body)};
}

std::string number_of(const std::optional<Seconds>& time) {
  return time && std::isfinite(time->count()) ? fmt::format("{:.2f}", 1e6 * time->count()) : "-";
}

std::string rails_table(const Validation& validation) {
  std::size_t all = 0;
  for (const Host& host : validation.hosts) all += host.rails.size();
  const bool every = all <= most_rails;
  HtmlTable table(every ? "Each rail of each host" : "Each rail of hosts that are not good",
                  {"host", "rail", "port", "leaf", "send GB/s", "off", "receive GB/s", "off", "latency us"}, 4);
  for (const Host& host : validation.hosts)
    for (std::size_t i = 0; i < host.rails.size(); ++i) {
      if ((!every && host.state == HostState::good) || table.rows() == most_rails) continue;
      const RailFigures& rail = host.rails[i];
      std::string leaf = shown(rail.leaf);
      if (rail.leaf_port != 0) leaf += fmt::format(" port {}", rail.leaf_port);
      table.row({shown(host.name), fmt::format("{}", i), shown(rail.port), leaf, gigabytes(rail.send), percent_off(rail.send_off),
                 gigabytes(rail.receive), percent_off(rail.receive_off), number_of(rail.latency)});
    }
  return table.rows() == 0 ? std::string() : folded("Rail by rail", "<div data-sortable>" + table.text() + "</div>\n", false);
}

Section hosts_section(const Validation& validation) {
  std::vector<const Host*> order;
  for (const Host& host : validation.hosts) order.push_back(&host);
  std::stable_partition(order.begin(), order.end(), [](const Host* host) { return host->state != HostState::good; });
  HtmlTable table("Hosts by their worst rail, and how far it is off its peers",
                  {"host", "state", "model", "worst rail", "said of it", "send GB/s", "off", "receive GB/s", "off", "latency us"},
                  5);
  table.leave_out_empty();
  for (const Host* host : order) {
    if (table.rows() == most_hosts) break;
    const Standing standing = standing_of(*host);
    table.row({shown(host->name), mark_of(host->state) + std::string(name(host->state)), shown(host->model),
               standing.worst ? rail_name(*host, *standing.worst) : "-", shown(host->reason), gigabytes(standing.send),
               percent_off(standing.send_off), gigabytes(standing.receive), percent_off(standing.receive_off),
               number_of(standing.latency)});
  }
  std::string body = paragraph("Hosts that are not good come first.");
  body += left_out(table.rows(), order.size(), "hosts") + "<div data-sortable>" + table.text() + "</div>\n";
  return {"hosts", "Hosts", body + rails_table(validation)};
}

Section figures_section(const Validation& validation) {
  HtmlTable table("Figures beside what they should be",
                  {"what", "of", "stage", "judged", "unit", "how the ceiling was reckoned", "where the reference is from",
                   "measured", "peers", "ceiling", "of it", "reference", "asked for"},
                  7);
  table.leave_out_empty();
  std::vector<const Figure*> order;
  for (const Figure& figure : validation.figures) order.push_back(&figure);
  std::stable_partition(order.begin(), order.end(), [](const Figure* figure) { return figure->below; });
  for (const Figure* it : order) {
    if (table.rows() == most_rows) break;
    const std::optional<double> share = it->ceiling && *it->ceiling > 0 ? std::optional(it->value / *it->ceiling) : std::nullopt;
    table.row({shown(it->what), shown(it->subject), shown(it->stage), it->below ? (too_long(*it) ? "▲ above" : "▼ below") : "",
               shown(it->unit), shown(it->basis), shown(it->source), gigabytes(it->value), gigabytes(it->peers),
               gigabytes(it->ceiling), percent(share), gigabytes(it->reference), asked_of(*it)});
  }
  return {"figures", "Figures", left_out(table.rows(), order.size(), "figures") + table.text()};
}

Section stages_section(const Validation& validation) {
  HtmlTable table("Stages", {"stage", "state", "time", "what was said"}, 4);
  for (const Stage& stage : validation.stages)
    if (table.rows() < most_rows)
      table.row({shown(stage.name), std::string(word_of(stage.state)), took_of(stage), said_of(stage)});
  return {"stages", "Stages", table.text()};
}

Section differences_section(const Validation& validation) {
  HtmlTable table("Settings", {"host", "of", "setting", "severity", "found", "expected", "why it matters", "what to do"}, 8);
  table.leave_out_empty();
  using topo::Severity;
  for (const Severity severity : {Severity::fault, Severity::warning, Severity::note})
    for (const Difference& it : validation.differences) {
      if (it.severity != severity || table.rows() == most_rows) continue;
      table.row({shown(it.host), shown(it.subject), shown(it.name),
                 fmt::format("{}{}",
                             severity == Severity::fault     ? "✖ "
                             : severity == Severity::warning ? "▲ "
                                                             : "",
                             word_of(severity)),
                 shown(it.found), shown(it.expected), shown(it.why), shown(it.action)});
    }
  return {"differences", "Settings that differ",
          left_out(table.rows(), validation.differences.size(), "differences") + table.text()};
}

Section unread_section(const Validation& validation) {
  HtmlTable table("Not read", {"what", "why", "of which hosts", "hosts"}, 3);
  for (const Unread& it : validation.unread)
    if (table.rows() < most_rows)
      table.row({shown(it.name), shown(it.reason), names_of(it.hosts), fmt::format("{}", it.hosts.size())});
  return {"unread", "What was not read",
          paragraph("Nothing is said of these: neither that they are well nor that they are not.") +
              left_out(table.rows(), validation.unread.size(), "things") + table.text()};
}

Section reading_section(const Validation& validation, bool charts) {
  std::string body = fmt::format(
      "<p>Run {}, begun {}, by railgauge {}. What the outcomes mean is in docs/validate.md of railgauge, how a part is "
      "faulty in docs/validate-method.md.</p>\n",
      html(validation.run), html(validation.begun), html(validation.version));
  body +=
      charts
          ? "<p>The matrix has the steps of one hue that bench pairs prints in a terminal, and a frame around what is slower; on "
            "the map every colour "
            "has a mark or a shape of its own. Every chart is also a table.</p>\n"
          : "<p>This railgauge was built without charts, which need npm at build time: the tables hold all of it.</p>\n";
  return {"reading", "How to read this", std::move(body)};
}

}  // namespace

std::vector<Section> sections_of(const Validation& validation, const std::vector<double>& shares, const ShareMatrices& matrices,
                                 bool charts) {
  std::vector<Section> sections{verdict_section(validation)};
  if (validation.hosts.size() > 1) sections.push_back(map_section(validation));
  if (!matrices.matrices.empty()) sections.push_back(pairs_section(validation, shares, matrices, charts));
  if (!validation.hosts.empty()) sections.push_back(hosts_section(validation));
  if (!validation.figures.empty()) sections.push_back(figures_section(validation));
  if (!validation.stages.empty()) sections.push_back(stages_section(validation));
  if (!validation.differences.empty()) sections.push_back(differences_section(validation));
  if (!validation.unread.empty()) sections.push_back(unread_section(validation));
  sections.push_back(reading_section(validation, charts));
  return sections;
}

}  // namespace railgauge::validation
