// railgauge list: what there is, and why something is not.
#include "bench/commands/list.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>

#include "base/error.hpp"
#include "base/words.hpp"
#include "bench/commands/command.hpp"
#include "bench/copy/places.hpp"
#include "bench/device/registry.hpp"
#include "bench/options/values.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "reports/formats/writer.hpp"
#include "transports/native.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge {
namespace {

using Cells = std::vector<std::string>;

// Columns as wide as their widest cell; the last is never padded. The first row is the heading.
std::string columns(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Cells& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) text += fmt::format("{:<{}}  ", row[i], widths[i]);
    text += row.back() + "\n";
  }
  return text;
}

std::string list_transports(const ListOptions& options) {
  std::vector<Cells> rows{{"transport", "what it is, or why it is unavailable"}};
  for (const KnownTransport& transport : known_transports(options.plugin_folders))
    rows.push_back({transport.name, transport.reason.empty() ? transport.summary : "unavailable: " + transport.reason});
  return columns(rows);
}

std::string list_devices(const ListOptions& options) {
  std::vector<Cells> rows{{"device", "what it is, or why it is unavailable"}};
  for (const KnownDevice& device : known_devices(options.plugin_folders))
    rows.push_back({device.name, device.reason.empty() ? device.summary : "unavailable: " + device.reason});
  return columns(rows);
}

std::string list_places(const ListOptions& options) {
  const CopyPlaces found = copy_places(options.plugin_folders);
  std::vector<Cells> rows{{"place", "what bench copy copies from and to (docs/copies.md)"}};
  for (const CopyPlace& place : found.places) rows.push_back({place.memory.name, place.memory.summary});
  std::string text = columns(rows);
  for (const std::string& reason : found.missing) text += reason + "\n";
  return text;
}

std::string list_collectives(const ListOptions&) {
  std::vector<Cells> rows{{"collective", "op", "root", "in place", "what it does"}};
  for (const CollectiveRow& row : collectives())
    rows.push_back({std::string(row.name), row.reduces ? "yes" : "-", row.rooted ? "yes" : "-", row.in_place ? "yes" : "-",
                    std::string(row.summary)});
  return columns(rows);
}

// "2.5": at most two digits behind the point.
std::string short_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string list_algorithms(const ListOptions& options) {
  if (!options.collective.empty() && !find_collective(options.collective)) {
    std::string known;
    for (const CollectiveRow& row : collectives()) known += (known.empty() ? "" : ", ") + std::string(row.name);
    throw Error(Fault::usage, "there is no collective " + options.collective + ": choose one of " + known);
  }
  Shape shape;
  shape.ranks = options.ranks;
  shape.ranks_per_node = options.ranks;
  std::vector<Cells> rows{{"collective", "algorithm", "rounds", "sent/S", "what it is, or why it cannot serve so many ranks"}};
  for (const Algorithm& algorithm : catalog()) {
    const std::string collective(name(algorithm.collective));
    if (!options.collective.empty() && collective != options.collective) continue;
    const std::string refusal = algorithm.refusal(shape);
    if (!refusal.empty()) {
      rows.push_back(
          {collective, std::string(algorithm.name), "-", "-", fmt::format("not for {} ranks: {}", options.ranks, refusal)});
      continue;
    }
    const Cost cost = algorithm.cost(shape);
    rows.push_back({collective, std::string(algorithm.name), short_number(cost.rounds), short_number(cost.bytes),
                    fmt::format("{} ({})", algorithm.summary, algorithm.paper)});
  }
  return columns(rows) +
         fmt::format(
             "\nFor {} ranks of one node (--ranks N for others). rounds: one after the other; sent/S: bytes that the "
             "busiest rank\nsends, as a multiple of the size. bench takes the best (docs/measuring.md).\n",
             options.ranks);
}

std::string list_operations(const ListOptions& options) {
  std::vector<Cells> rows{{"operation", "transport", "what it is (docs/rdma.md)"}};
  for (const KnownTransport& transport : known_transports(options.plugin_folders))
    if (transport.table != nullptr && transport.table->natives != nullptr)
      for (const NativeRow& row : transport.table->natives->rows)
        rows.push_back({std::string(row.name), transport.name, std::string(row.summary)});
  if (rows.size() == 1) return "No transport that can be used here has operations of its own (railgauge list transports).\n";
  return columns(rows);
}

std::string list_types(const ListOptions&) {
  std::vector<Cells> rows{{"type", "bytes", "what it is"}};
  for (const TypeRow& row : types()) rows.push_back({std::string(row.name), std::to_string(row.bytes), std::string(row.summary)});
  return columns(rows);
}

std::string list_ops(const ListOptions&) {
  std::vector<Cells> rows{{"op", "what the result is"}};
  for (const OpRow& row : ops()) rows.push_back({std::string(row.name), std::string(row.summary)});
  return columns(rows);
}

std::string list_formats(const ListOptions&) {
  std::vector<Cells> rows{{"format", "name ends in", "what it is"}};
  for (const FormatRow& row : result_formats())
    rows.push_back({std::string(row.name), std::string(row.extension), std::string(row.summary)});
  return columns(rows);
}

struct Listing {
  std::string_view name;
  std::string (*text)(const ListOptions&);
};
constexpr std::array listings{
    Listing{"transports", list_transports}, Listing{"devices", list_devices},
    Listing{"places", list_places},         Listing{"collectives", list_collectives},
    Listing{"algorithms", list_algorithms}, Listing{"operations", list_operations},
    Listing{"types", list_types},           Listing{"ops", list_ops},
    Listing{"formats", list_formats},
};

}  // namespace

std::vector<std::string> listing_names() {
  std::vector<std::string> names;
  names.reserve(listings.size());
  for (const Listing& listing : listings) names.emplace_back(listing.name);
  return names;
}

std::string list_text(std::string_view listing, const ListOptions& options) {
  if (listing != "algorithms" && !options.collective.empty())
    throw Error(Fault::usage, fmt::format("list {} takes no further word, and {} was given", listing, options.collective));
  for (const Listing& known : listings)
    if (known.name == listing) return known.text(options);
  throw Error(Fault::usage, fmt::format("cannot list {}: choose one of {}", listing, CLI::detail::join(listing_names(), ", ")));
}

void add_list(CLI::App& program, const Invocation& invocation, Action& action) {
  struct Arguments {
    std::string listing;
    ListOptions options;
  };
  const auto arguments = std::make_shared<Arguments>();  // lives as long as the callbacks that hold it
  arguments->options.plugin_folders = invocation.plugin_folders;
  CLI::App* list = program.add_subcommand("list", "What there is, and why something is not");
  list->add_option("what", arguments->listing, CLI::detail::join(listing_names(), ", "))
      ->check(options::suggest(listing_names()))
      ->required();
  list->add_option("collective", arguments->options.collective, "With algorithms: only those of this collective");
  list->add_option("--ranks", arguments->options.ranks, "With algorithms: costs and limits for so many ranks")
      ->check(options::whole(1, 1'000'000))
      ->capture_default_str();
  list->footer(
      "Examples:\n"
      "  railgauge list transports                          which can be used here, and why others cannot\n"
      "  railgauge list algorithms all_reduce --ranks 6     what each costs between 6 ranks\n"
      "  railgauge list formats                             which results files can be written");
  list->callback([arguments, &action] {
    action = [arguments] {
      descriptor_sink(1, "standard output")(list_text(arguments->listing, arguments->options));
      return 0;
    };
  });
}

}  // namespace railgauge
