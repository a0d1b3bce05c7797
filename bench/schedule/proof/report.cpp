// The words of check and show.
#include "bench/schedule/proof/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/output/text.hpp"
#include "base/units.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "railgauge.algorithms/1";

// What a file of strangers says of itself may be no UTF-8: replaced, as JSON must be.
std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string where(const Program& program) {
  if (program.in_place && program.out_of_place) return "in place and out of place";
  return program.in_place ? "in place" : "out of place";
}

std::string what(const Program& program, const Proof& proof) {
  std::string text = fmt::format("{} of {} ranks", name(program.collective), program.ranks.size());
  if (proof.root) text += fmt::format(" with root {}", *proof.root);
  return text + ", " + where(program);
}

std::string waits(const Program& program, const Proof& proof) {
  if (!proof.buffering) return "";
  if (*proof.buffering == 0) return "it runs unbuffered";
  const std::uint32_t held = messages_per_connection(program);
  if (*proof.buffering == 1) return fmt::format("a connection must hold 1 message (with {} it holds {})", program.protocol, held);
  return fmt::format("a connection must hold {} messages (with {} it holds {})", *proof.buffering, program.protocol, held);
}

Json program_json(const Program& program) {
  Json json;
  json["name"] = program.name;
  json["collective"] = name(program.collective);
  json["ranks"] = program.ranks.size();
  json["blocks"] = program.blocks;
  json["protocol"] = program.protocol;
  json["channels"] = program.channels;
  json["in_place"] = program.in_place;
  json["out_of_place"] = program.out_of_place;
  json["least_bytes"] = program.least_bytes;
  json["most_bytes"] = program.most_bytes;
  return json;
}

Json finding_json(const ProofFinding& finding) {
  Json json;
  if (finding.kind) json["kind"] = name(*finding.kind);
  json["sentence"] = finding.sentence;
  if (!finding.details.empty()) json["waits"] = finding.details;
  if (finding.rank >= 0) json["rank"] = finding.rank;
  if (finding.step >= 0) {
    json["thread_block"] = finding.thread_block;
    json["step"] = finding.step;
  }
  if (finding.line != 0) json["line"] = finding.line;
  return json;
}

const char* verdict(const JudgedFile& file) {
  constexpr const char* words[] = {"right", "wrong", "unreadable"};
  return words[exit_code(file)];
}

std::string bytes_range(const Program& program) {
  if (program.most_bytes == 0) return program.least_bytes == 0 ? "any size" : fmt::format("from {} bytes", program.least_bytes);
  return fmt::format("{} to {} bytes", program.least_bytes, program.most_bytes);
}

// "1 block", "2 blocks".
template <class Number>
std::string counted(Number number, const char* noun) {
  return fmt::format("{} {}{}", number, noun, number == Number{1} ? "" : "s");
}

double share(const Counts& counts, std::uint64_t blocks) {
  return static_cast<double>(blocks) / static_cast<double>(std::max<std::uint64_t>(counts.whole, 1));
}

std::string bytes_text(const CountedFile& file, double share) {
  return format_bytes(static_cast<std::uint64_t>(std::llround(share * static_cast<double>(file.bytes))));
}

std::string rounds_text(const CountedFile& file) {
  const Counts& counts = file.counts;
  if (!counts.complete) return fmt::format("{} before a deadlock (railgauge algorithm check)", counts.rounds);
  if (!has_bounds(file.program.collective)) return fmt::format("{}", counts.rounds);
  return fmt::format("{}; no algorithm whose ranks {} {} needs fewer than {}", counts.rounds,
                     counts.inward ? "receive from" : "send to", counted(counts.peers, "peer"), counts.least_rounds);
}

std::string messages_text(const CountedFile& file) {
  const Counts& counts = file.counts;
  const double size =
      counts.messages == 0 ? 0 : share(counts, counts.blocks) * file.program.blocks / static_cast<double>(counts.messages);
  const std::string number = fmt::format("{:.4g}", size);
  return fmt::format("{}, of {} {} on average", counts.messages, number, number == "1" ? "block" : "blocks");
}

std::string busiest_text(const CountedFile& file) {
  const Counts& counts = file.counts;
  const double busiest = share(counts, counts.busiest);
  std::string text = fmt::format("{:.4g} S in one direction, S being the whole buffer", busiest);
  if (file.bytes != 0) text += fmt::format(" of {}: {}", format_bytes(file.bytes), bytes_text(file, busiest));
  if (!has_bounds(file.program.collective)) return text;
  text += fmt::format("; no algorithm has less than {:.4g} S", counts.least_share);
  if (file.bytes != 0) text += fmt::format(": {}", bytes_text(file, counts.least_share));
  return text;
}

}  // namespace

int exit_code(const JudgedFile& file) noexcept { return !file.unreadable.empty() ? 2 : file.proof.right() ? 0 : 1; }

std::string to_text(const JudgedFile& file) {
  const std::string path = printable(file.path);
  // The sentence of a reader begins with the path.
  if (!file.unreadable.empty()) {
    std::string_view sentence = file.unreadable;
    if (sentence.starts_with(path + ":")) sentence.remove_prefix(path.size() + 1);
    if (sentence.starts_with(' ')) sentence.remove_prefix(1);
    return fmt::format("{}: unreadable: {}\n", path, sentence);
  }
  const std::string waiting = waits(file.program, file.proof);
  std::string text = fmt::format("{}: {}: {}", path, verdict(file), what(file.program, file.proof));
  if (!file.proof.instead.empty()) text += fmt::format("; its data is that of {}", file.proof.instead);
  if (!waiting.empty()) text += "; " + waiting;
  text += "\n";
  for (const ProofFinding& finding : file.proof.findings) {
    text += "  " + finding.sentence + "\n";
    for (const std::string& detail : finding.details) text += "    " + detail + "\n";
  }
  if (file.proof.wrong_blocks > 0) text += fmt::format("  wrong blocks of output in all: {}\n", file.proof.wrong_blocks);
  for (const std::string& note : file.proof.notes) text += "  note: " + note + "\n";
  return text;
}

std::string to_json(std::span<const JudgedFile> files) {
  Json all = Json::array();
  for (const JudgedFile& file : files) {
    Json json;
    json["file"] = file.path;
    json["verdict"] = verdict(file);
    if (!file.unreadable.empty()) {
      json["reason"] = file.unreadable;
    } else {
      json.update(program_json(file.program));
      if (file.proof.root) json["root"] = *file.proof.root;
      json["messages_per_connection"] = file.proof.buffering ? Json(*file.proof.buffering) : Json();
      json["findings"] = Json::array();
      for (const ProofFinding& finding : file.proof.findings) json["findings"].push_back(finding_json(finding));
      json["wrong_blocks"] = file.proof.wrong_blocks;
      if (!file.proof.instead.empty()) json["instead"] = file.proof.instead;
      json["notes"] = file.proof.notes;
    }
    all.push_back(std::move(json));
  }
  return dumped(Json{{"schema", schema}, {"files", std::move(all)}});
}

std::string headline(const Program& program) {
  std::string text = fmt::format("{} of {} ranks, {}, ", name(program.collective), program.ranks.size(), where(program));
  if (!program.protocol.empty()) text += fmt::format("{} with {}, ", program.protocol, counted(program.channels, "channel"));
  return text + fmt::format("{}, {}", counted(program.blocks, "block"), bytes_range(program));
}

std::vector<std::string> sentences(const CountedFile& file) {
  std::vector<std::string> all;
  if (file.counts.thread_blocks != 0)
    all.push_back(fmt::format("Thread blocks: {}, with {}.", file.counts.thread_blocks, counted(file.counts.steps, "step")));
  all.push_back(fmt::format("Messages: {}.", messages_text(file)));
  all.push_back(fmt::format("Rounds: {}.", rounds_text(file)));
  all.push_back(fmt::format("Busiest rank: {}.", busiest_text(file)));
  return all;
}

std::string to_text(const CountedFile& file) {
  const Counts& counts = file.counts;
  std::string text = fmt::format("{}: {}\n", printable(file.path), headline(file.program));
  if (counts.thread_blocks != 0)
    text += fmt::format("  thread blocks  {}, with {}\n", counts.thread_blocks, counted(counts.steps, "step"));
  text += fmt::format("  messages       {}\n", messages_text(file));
  text += fmt::format("  rounds         {}\n", rounds_text(file));
  text += fmt::format("  busiest rank   {}\n", busiest_text(file));
  text += fmt::format("  {:>8} {:>8} {:>9} {:>9}{}\n", "from", "to", "messages", "share/S", file.bytes == 0 ? "" : "      bytes");
  for (const LinkTraffic& link : counts.links) {
    const double part = share(counts, link.blocks);
    text += fmt::format("  {:>8} {:>8} {:>9} {:>9.4g}", link.from, link.to, link.messages, part);
    if (file.bytes != 0) text += fmt::format(" {:>10}", bytes_text(file, part));
    text += "\n";
  }
  return text;
}

std::string to_json(std::span<const CountedFile> files) {
  Json all = Json::array();
  for (const CountedFile& file : files) {
    Json json;
    json["file"] = file.path;
    json.update(program_json(file.program));
    const Counts& counts = file.counts;
    json["thread_blocks"] = counts.thread_blocks;
    json["steps"] = counts.steps;
    json["messages"] = counts.messages;
    json["complete"] = counts.complete;
    json["rounds"] = counts.rounds;
    const bool bounded = has_bounds(file.program.collective);
    json["least_rounds"] = bounded ? Json(counts.least_rounds) : Json();
    json["busiest_share"] = share(counts, counts.busiest);
    json["least_share"] = bounded ? Json(counts.least_share) : Json();
    if (file.bytes != 0) json["bytes"] = file.bytes;
    json["links"] = Json::array();
    for (const LinkTraffic& link : counts.links)
      json["links"].push_back(
          {{"from", link.from}, {"to", link.to}, {"messages", link.messages}, {"share", share(counts, link.blocks)}});
    all.push_back(std::move(json));
  }
  return dumped(Json{{"schema", schema}, {"files", std::move(all)}});
}

}  // namespace railgauge
