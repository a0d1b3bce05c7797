// The table for people: a row as soon as a result is known, a heading where the collective changes, and progress on a terminal.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/pair_text.hpp"
#include "reports/starts.hpp"
#include "reports/text.hpp"
#include "reports/wire.hpp"
#include "reports/writer.hpp"

namespace railgauge {
namespace {

constexpr std::string_view bold = "\x1b[1m", dim = "\x1b[2m", red = "\x1b[1;31m", yellow = "\x1b[33m", plain = "\x1b[0m";
constexpr std::string_view erase_line = "\r\x1b[K";

// The header and the rows share these widths; together they fit in 120 columns, but for a last one where something is expected.
constexpr const char* case_columns = "{:>10}  {:<11} {:<9} {:<18} {:<9}";
constexpr const char* number_columns = " {:>8} {:>7} {:>8} {:>7} {:>7} {:>7} {:>6}";

std::string interval(const Summary& summary) {
  const double half = (summary.ci_high - summary.ci_low).count() / 2;
  const double percent = 100 * half / summary.median.count();
  if (!std::isfinite(percent)) return "-";
  if (percent >= 1000) return ">999%";
  return fmt::format("{:.{}f}%", percent, percent < 9.95 ? 1 : 0);
}

std::string time_text(Seconds time) { return std::isfinite(time.count()) ? format_seconds(time) : "-"; }

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "9 s", "1:02" or "1:02:03".
std::string clock_text(double seconds) {
  const long long whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string heading_of(const Case& point) {
  std::string text = fmt::format("{}: {}", point.collective, plural(static_cast<std::size_t>(std::max(point.ranks, 0)), "rank"));
  if (point.nodes > 1) text += fmt::format(" on {} nodes", point.nodes);
  text += fmt::format(", {} memory{}, {}", point.device, point.path == "staged" ? ", staged" : "", point.mode);
  if (point.root >= 0) text += fmt::format(", root {}", point.root);
  if (point.in_place) text += ", in place";
  if (point.lanes > 1) text += fmt::format(", {} lanes", point.lanes);
  return printable(text);
}

std::string expectation_of(const Result& result) {
  if (!result.expected) return {};
  return fmt::format("expected of the links: busbw of at most {} GB/s by {}", format_gigabytes(result.expected->busbw),
                     printable(result.expected->basis));
}

class Table : public Writer {
 public:
  Table(Sink sink, Terminal terminal, SecondsNow now) : sink_(std::move(sink)), terminal_(terminal), now_(std::move(now)) {}

  void begin(const Run& run) override {
    points_ = run.points;
    started_ = now_();
    std::string text;
    for (const std::string& note : run.notes) text += painted(dim, printable(note)) + "\n";
    emit(text);
  }

  void add(const Result& result) override {
    if (result.point.from >= 0) {
      add_pair(result);
      return;
    }
    show_pairs();
    starts_.add(result);
    ++done_;
    ++counts_[static_cast<std::size_t>(result.status)];
    std::string text;
    const std::string expectation = expectation_of(result);
    if (std::string heading = heading_of(result.point); heading + expectation != heading_) {
      text += fmt::format("\n{}\n", painted(bold, heading));
      if (result.expected) text += painted(dim, expectation) + "\n";
      text += painted(dim, names() + (result.expected ? "  of exp." : "")) + "\n";
      heading_ = heading + expectation;
    }
    emit(text + row(result));
  }

  void finish() override {
    show_pairs();
    if (const std::string said = starts_.sentence(); !said.empty()) emit("\n" + painted(dim, said) + "\n");
    std::string text = fmt::format("\n{} in {}", plural(done_, "point"), clock_text((now_() - started_).count()));
    const auto counted = [&](Status status, std::string_view colour, std::string_view what) {
      if (const std::size_t count = counts_[static_cast<std::size_t>(status)]; count != 0)
        text += ", " + painted(colour, fmt::format("{} {}", count, what));
    };
    counted(Status::wrong, red, "with WRONG DATA");
    counted(Status::failed, red, "failed");
    counted(Status::not_converged, yellow, "not converged (~: interval wider than asked)");
    counted(Status::skipped, yellow, "skipped");
    done_ = points_;  // no progress line behind the last one
    emit(text + "\n");
  }

 private:
  // The results of a matrix come one by one, and are shown together, as one point.
  void add_pair(const Result& result) {
    const Case& point = result.point;
    if (!pairs_.empty()) {
      const Case& last = pairs_.front().point;
      const bool same = last.bytes == point.bytes && last.algorithm == point.algorithm && last.transport == point.transport &&
                        last.type == point.type && last.ranks == point.ranks;
      if (!same) show_pairs();
    }
    pairs_.push_back(result);
    pairs_.back().samples.clear();
    const auto ranks = static_cast<std::size_t>(std::max(point.ranks, 0));
    if (pairs_.size() == ranks * (ranks - 1)) show_pairs();
  }

  void show_pairs() {
    if (pairs_.empty()) return;
    const Case& point = pairs_.front().point;
    std::string text =
        fmt::format("\n{}\n", painted(bold, fmt::format("{}, {} by {} over {}", heading_of(point), format_bytes(point.bytes),
                                                        printable(point.algorithm), printable(point.transport))));
    const PairPicture picture = picture_of(pairs_);
    text += heat_map(picture);
    std::size_t unsure = 0;
    Status gravest = Status::ok;
    for (const Result& pair : pairs_) {
      if (pair.status == Status::not_converged) {
        ++unsure;
        if (gravest == Status::ok) gravest = pair.status;
      } else if (pair.status != Status::ok) {
        gravest = pair.status;
        text += painted(red, fmt::format("{} -> {} {}: {}", pair.point.from, pair.point.to, name(pair.status),
                                         printable(pair.reason))) +
                "\n";
      }
    }
    for (const std::string& sentence : straggler_sentences(picture))
      text += painted(sentence.starts_with("slow") ? yellow : plain, sentence) + "\n";
    if (unsure != 0) text += painted(dim, fmt::format("{} of {} pairs not converged", unsure, pairs_.size())) + "\n";
    ++counts_[static_cast<std::size_t>(gravest)];
    ++done_;
    pairs_.clear();
    heading_.clear();
    emit(text);
  }

  [[nodiscard]] std::string painted(std::string_view colour, const std::string& text) const {
    return terminal_.colour ? fmt::format("{}{}{}", colour, text, plain) : text;
  }

  static std::string names() {
    return fmt::format(fmt::runtime(case_columns), "size", "type", "op", "algorithm", "transport") +
           fmt::format(fmt::runtime(number_columns), "time", "±", "p99", "algbw", "busbw", "samples", "wrong");
  }

  [[nodiscard]] std::string row(const Result& result) const {
    const Case& point = result.point;
    const Summary& summary = result.summary;
    std::string text = fmt::format(fmt::runtime(case_columns), format_bytes(point.bytes), printable(point.type),
                                   printable(point.op), printable(point.algorithm), printable(point.transport));
    const std::string reason = printable(result.reason);
    if (summary.samples == 0) {
      const bool skipped = result.status == Status::skipped;
      return fmt::format("{}  {}\n", text, painted(skipped ? yellow : red, fmt::format("{}: {}", name(result.status), reason)));
    }
    const bool converged = result.status != Status::not_converged;
    text += fmt::format(fmt::runtime(number_columns), time_text(summary.median), (converged ? "" : "~") + interval(summary),
                        time_text(summary.p99), format_gigabytes(summary.algbw), format_gigabytes(summary.busbw), summary.samples,
                        summary.wrong);
    if (result.expected)
      text += fmt::format(" {:>8}", fmt::format("{:.{}f}%", 100 * summary.busbw / result.expected->busbw,
                                                summary.busbw < result.expected->busbw / 10 ? 1 : 0));
    if (result.status == Status::wrong || result.status == Status::failed)
      return fmt::format("{}\n{}\n", painted(red, text),
                         painted(red, fmt::format("{:>10}  {}: {}", "", name(result.status), reason)));
    const std::string remark = result.wire ? remark_of(*result.wire) : std::string();
    return (converged ? text : painted(yellow, text)) + "\n" +
           (remark.empty() ? remark : painted(yellow, fmt::format("{:>10}  {}", "", remark)) + "\n");
  }

  // Rows go above the progress line, which is rewritten below them.
  void emit(const std::string& text) {
    if (!terminal_.interactive) {
      if (!text.empty()) sink_(text);
      return;
    }
    sink_(fmt::format("{}{}{}", erase_line, text, progress()));
  }

  [[nodiscard]] std::string progress() const {
    if (points_ == 0 || done_ >= points_) return {};
    std::string text = fmt::format("{}/{} points", done_, points_);
    if (done_ != 0) {
      const double elapsed = (now_() - started_).count();
      text +=
          fmt::format(", about {} left", clock_text(elapsed / static_cast<double>(done_) * static_cast<double>(points_ - done_)));
    }
    return painted(dim, text.substr(0, terminal_.columns));
  }

  Sink sink_;
  Terminal terminal_;
  SecondsNow now_;
  Seconds started_{};
  std::size_t points_ = 0, done_ = 0;
  std::size_t counts_[5] = {};
  std::string heading_;
  Starts starts_;
  std::vector<Result> pairs_;  // of a matrix that is not complete yet
};

}  // namespace

std::unique_ptr<Writer> make_table(Sink sink, Terminal terminal, SecondsNow now) {
  return std::make_unique<Table>(std::move(sink), terminal, std::move(now));
}

}  // namespace railgauge
