// The table for people: a row as soon as a result is known, a heading where the collective changes, and progress on a terminal.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/output/text.hpp"
#include "reports/formats/writer.hpp"
#include "reports/pairs/pair_text.hpp"
#include "reports/power/power.hpp"
#include "reports/record/beside_native.hpp"
#include "reports/record/remark.hpp"
#include "reports/record/result_text.hpp"
#include "reports/record/standing.hpp"
#include "reports/record/starts.hpp"
#include "reports/record/title.hpp"

namespace railgauge {
namespace {

constexpr std::string_view bold = "\x1b[1m", dim = "\x1b[2m", red = "\x1b[1;31m", yellow = "\x1b[33m", plain = "\x1b[0m";
constexpr std::string_view erase_line = "\r\x1b[K";

// The header and the rows share these widths; together they fit in 120 columns, but for those of what is expected and
// predicted, of energy and of a GPU's kernels.
constexpr const char* size_column = "{:>9} ";
constexpr const char* type_column = " {:<11}";
constexpr const char* op_column = " {:<9}";
constexpr const char* way_columns = " {:<18} {:<8}";
constexpr const char* time_columns = " {:>7} {:>6} {:>7}";
constexpr const char* bandwidth_columns = " {:>10} {:>10}";
constexpr const char* count_columns = " {:>7} {:>5}";

// "9 s", "1:02" or "1:02:03".
std::string clock_text(double seconds) {
  const long long whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string expectation_of(const Result& result) {
  if (!result.expected) return {};
  return fmt::format("expected of the links: busbw of at most {} GB/s by {}", format_gigabytes(result.expected->busbw),
                     printable(result.expected->basis));
}

// "the library took RING, LL128, 16 channels; it had predicted 35.1 us"; empty where it told nothing.
std::string choice_of(const Result& result) {
  if (!result.library) return {};
  const LibraryChoice& library = *result.library;
  std::string took;
  const auto add = [&](const std::string& words) {
    if (!words.empty()) took += (took.empty() ? "" : ", ") + printable(words);
  };
  add(library.algorithm);
  add(library.protocol);
  if (library.channels != 0) add(plural(static_cast<std::size_t>(library.channels), "channel"));
  std::string text = took.empty() ? took : "the library took " + took;
  if (library.predicted.count() > 0)
    text += (took.empty() ? "the library had predicted " : "; it had predicted ") + time_text(library.predicted);
  return text;
}

bool has_energy(const Result& result) { return result.power && joules_of(*result.power); }

constexpr const char* kernel_columns = " {:<8} {:>4} {:>9}";

// Three columns; the last one is busbw of each multiprocessor (SM) that the operation takes from others.
std::string kernel_text(const Result& result) {
  if (!result.kernel) return fmt::format(fmt::runtime(kernel_columns), "-", "-", "-");
  const KernelUse& kernel = *result.kernel;
  return fmt::format(fmt::runtime(kernel_columns), kernel.protocol.empty() ? "-" : printable(kernel.protocol),
                     kernel.multiprocessors, format_gigabytes(result.summary.busbw / kernel.multiprocessors));
}

// The columns that have values in the results of one heading.
struct Columns {
  bool data = true;  // size, type and bandwidth
  bool op = true, expected = false, predicted = false, energy = false, kernel = false;
  bool operator==(const Columns&) const = default;
};

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
    power_.add(result);
    if (result.kernel) launch_ = std::max(launch_, result.kernel->launch);
    if (result.point.from >= 0) {
      add_pair(result);
      return;
    }
    show_pairs();
    starts_.add(result);
    natives_.add(result);
    ++done_;
    tally_.add(result.status, standing_of(result));
    std::string text;
    const bool measured = result.summary.samples != 0;
    if (measured) energy_ = has_energy(result);
    const std::string name = heading_of(result.point);
    kernel_ = result.kernel.has_value() || (kernel_ && name == name_);
    predicted_ = result.predicted.has_value() || (predicted_ && name == name_);
    // What was not measured has no state of caches: it stands below the heading that is there.
    const std::string title = measured || name != name_ ? title_of(result) : title_;
    const std::string expectation = expectation_of(result);
    const Columns columns = columns_of(result);
    if (title != title_ || expectation != expectation_ || columns != columns_) {
      text += repetition();
      text += fmt::format("\n{}\n", painted(bold, title));
      if (result.expected) text += painted(dim, expectation) + "\n";
      text += painted(dim, names(columns)) + "\n";
      name_ = name;
      title_ = title;
      expectation_ = expectation;
      columns_ = columns;
    }
    if (result.status == Status::skipped && same_but_size(skipped_, result)) {
      ++repeated_;
      emit(text);
      return;
    }
    text += repetition();
    skipped_ = result.status == Status::skipped ? std::optional(result) : std::nullopt;
    emit(text + row(result));
  }

  void finish() override {
    show_pairs();
    if (const std::string said = repetition(); !said.empty()) emit(said);
    if (const std::string said = natives_.text(); !said.empty()) emit(said);
    if (launch_.count() > 0)
      emit("\n" +
           painted(dim, fmt::format("a launch takes {}: of plans that do nothing, one behind the other", time_text(launch_))) +
           "\n");
    if (const std::string said = starts_.sentence(); !said.empty()) emit("\n" + painted(dim, said) + "\n");
    std::string power;
    for (const std::string& said : power_.sentences()) power += (power.empty() ? "\n" : "") + painted(dim, said) + "\n";
    if (!power.empty()) emit(power);
    std::string text = fmt::format("\n{} in {}", plural(done_, "point"), clock_text((now_() - started_).count()));
    const auto counted = [&](auto kind, std::string_view colour, std::string_view what) {
      if (const std::size_t count = tally_.of(kind); count != 0)
        text += ", " + painted(colour, fmt::format("{} {}", count, what));
    };
    counted(Status::wrong, red, "with WRONG DATA");
    counted(Status::failed, red, "failed");
    counted(Status::not_converged, yellow, "not converged (~: interval wider than asked)");
    counted(Status::predicted, dim, "only predicted");
    counted(Status::skipped, yellow, "skipped");
    const std::size_t met = tally_.of(Standing::meets), below = tally_.of(Standing::below),
                      unknown = tally_.of(Standing::unknown);
    if (met + below + unknown != 0)
      text += "\n" + painted(below != 0     ? red
                             : unknown != 0 ? yellow
                                            : plain,
                             fmt::format("of the share of expected that was asked for: {} reached it, {} did not, {} unknown",
                                         met, below, unknown));
    done_ = points_;  // no progress line behind the last one
    emit(text + "\n");
  }

 private:
  // The results of a matrix come one by one, and are shown together, as one point.
  void add_pair(const Result& result) {
    const Case& point = result.point;
    if (!pairs_.empty()) {
      const Case& last = pairs_.front().point;
      if (!same_matrix(last, point)) show_pairs();
    }
    pairs_.push_back(result);
    pairs_.back().samples.clear();
    const auto ranks = static_cast<std::size_t>(std::max(point.ranks, 0));
    // Of copies it is unknown how many there are, but who asked for them.
    if (point.collective != "copy" && pairs_.size() == ranks * (ranks - 1)) show_pairs();
  }

  void show_pairs() {
    if (pairs_.empty()) return;
    const Case& point = pairs_.front().point;
    std::string text = repetition();
    text += fmt::format("\n{}\n", painted(bold, fmt::format("{}, {} by {} over {}", heading_of(point), format_bytes(point.bytes),
                                                            printable(point.algorithm), printable(point.transport))));
    const PairPicture picture = picture_of(pairs_);
    text += heat_map(picture);
    std::size_t unsure = 0;
    Status worst = Status::ok;
    std::optional<Standing> lowest;
    std::string staged;  // of copies; the heading says it of ranks
    for (const Result& pair : pairs_) {
      worst = std::max(worst, pair.status);
      lowest = std::max(lowest, standing_of(pair));
      if (pair.point.collective == "copy" && pair.point.path == "staged")
        staged += (staged.empty() ? "" : ", ") + pair_name(pair.point);
      if (pair.status == Status::not_converged) ++unsure;
      if (standing_of(pair) == Standing::below)
        text += painted(red, fmt::format("below {}: {}", pair_name(pair.point), standing_sentence(pair))) + "\n";
      if (pair.status == Status::ok || pair.status == Status::not_converged) continue;
      text += painted(pair.status == Status::skipped ? yellow : red,
                      fmt::format("{} {}: {}", pair_name(pair.point), name(pair.status), printable(pair.reason))) +
              "\n";
    }
    if (!staged.empty())
      text += painted(yellow, "staged through memory of the host, since neither reaches the other's: " + staged) + "\n";
    for (const StragglerSentence& sentence : straggler_sentences(picture))
      text += painted(sentence.kind == StragglerSentence::Kind::slow ? yellow : plain, said(sentence)) + "\n";
    if (const std::string expected = expectation_sentence(pairs_); !expected.empty()) text += expected + "\n";
    if (unsure != 0)
      text += painted(dim, fmt::format("{} of {} {} not converged", unsure, pairs_.size(), picture.places ? "copies" : "pairs")) +
              "\n";
    tally_.add(worst, lowest);
    ++done_;
    pairs_.clear();
    name_.clear();
    title_.clear();
    emit(text);
  }

  [[nodiscard]] std::string painted(std::string_view colour, const std::string& text) const {
    return terminal_.colour ? fmt::format("{}{}{}", colour, text, plain) : text;
  }

  [[nodiscard]] Columns columns_of(const Result& result) const {
    const bool op = !result.point.op.empty() && result.point.op != "none";
    return {moves_data(result.point), op, result.expected.has_value(), predicted_, energy_, kernel_};
  }

  // A point that was skipped for the same reason as the one before it, of the same table.
  [[nodiscard]] static bool same_but_size(const std::optional<Result>& last, const Result& result) {
    return last && last->reason == result.reason && last->point.algorithm == result.point.algorithm &&
           last->point.transport == result.point.transport && last->point.type == result.point.type &&
           last->point.op == result.point.op && heading_of(last->point) == heading_of(result.point);
  }

  // Says how many points were left out of the table since the last one that was skipped.
  std::string repetition() {
    const std::size_t repeated = std::exchange(repeated_, 0);
    skipped_.reset();
    if (repeated == 0) return {};
    return painted(dim, fmt::format("{:>10}  and {}, for the same reason", "", plural(repeated, "more size"))) + "\n";
  }

  static std::string case_of(const Columns& columns, std::string_view size, std::string_view type, std::string_view op,
                             std::string_view algorithm, std::string_view transport) {
    std::string text;
    if (columns.data) text += fmt::format(fmt::runtime(size_column), size) + fmt::format(fmt::runtime(type_column), type);
    if (columns.op) text += fmt::format(fmt::runtime(op_column), op);
    return text + fmt::format(fmt::runtime(way_columns), algorithm, transport);
  }

  static std::string names(const Columns& columns) {
    std::string text = case_of(columns, "size", "type", "op", "algorithm", "transport");
    text += fmt::format(fmt::runtime(time_columns), "time", "±", "p99");
    if (columns.data) text += fmt::format(fmt::runtime(bandwidth_columns), "algbw GB/s", "busbw GB/s");
    text += fmt::format(fmt::runtime(count_columns), "samples", "wrong");
    return text + (columns.expected ? "  of exp." : "") + (columns.predicted ? "  predicted" : "") +
           (columns.energy ? "     J/GB" : "") +
           (columns.kernel ? fmt::format(fmt::runtime(kernel_columns), "protocol", "SMs", "busbw/SM") : "");
  }

  [[nodiscard]] std::string row(const Result& result) const {
    const Case& point = result.point;
    const Summary& summary = result.summary;
    std::string text = case_of(columns_, format_bytes(point.bytes), printable(point.type), printable(point.op),
                               printable(point.algorithm), printable(point.transport));
    const std::string reason = printable(result.reason);
    if (!has_bandwidth(result)) {
      const bool skipped = result.status == Status::skipped;
      return fmt::format("{}  {}\n", text, painted(skipped ? yellow : red, fmt::format("{}: {}", name(result.status), reason)));
    }
    const bool converged = result.status != Status::not_converged, sampled = summary.samples != 0;
    const auto measured = [&](const std::string& figure) { return sampled ? figure : std::string("-"); };
    text += fmt::format(fmt::runtime(time_columns), measured(time_text(summary.median)),
                        measured((converged ? "" : "~") + interval_text(summary)), measured(time_text(summary.p99)));
    if (columns_.data)
      text += fmt::format(fmt::runtime(bandwidth_columns), format_gigabytes(summary.algbw), format_gigabytes(summary.busbw));
    text += fmt::format(fmt::runtime(count_columns), measured(std::to_string(summary.samples)),
                        measured(std::to_string(summary.wrong)));
    if (result.expected) text += fmt::format(" {:>8}", share_text(summary.busbw, result.expected->busbw));
    if (columns_.predicted) text += fmt::format(" {:>10}", result.predicted ? time_text(*result.predicted) : "-");
    if (has_energy(result)) {
      const std::optional<double> cost = joules_per_gigabyte(*result.power);
      text += fmt::format(" {:>8}", cost ? fmt::format("{:.3g}", *cost) : "-");
    }
    if (columns_.kernel) text += kernel_text(result);
    if (result.status == Status::wrong || result.status == Status::failed)
      return fmt::format("{}\n{}\n", painted(red, text),
                         painted(red, fmt::format("{:>10}  {}: {}", "", name(result.status), reason)));
    const std::string remark = remark_of(result);
    const std::string choice = result.status == Status::predicted ? reason : choice_of(result);
    const bool below = standing_of(result) == Standing::below;
    return (below       ? painted(red, text)
            : converged ? text
                        : painted(yellow, text)) +
           "\n" +
           (below ? painted(red, fmt::format("{:>10}  below the {} of expected that were asked for", "",
                                             share_text(*result.expected_share, 1))) +
                        "\n"
                  : std::string()) +
           (choice.empty() ? choice : painted(dim, fmt::format("{:>10}  {}", "", choice)) + "\n") +
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
  Tally tally_;
  // Of the heading that stands now: which cases, all of it, and what is expected.
  std::string name_, title_, expectation_;
  Columns columns_;
  std::optional<Result> skipped_;  // the last row, where it is of a point that was skipped
  std::size_t repeated_ = 0;       // points like it since then
  Starts starts_;
  BesideNatives natives_;
  Seconds launch_{};
  PowerSum power_;
  bool energy_ = false;        // the heading has its column
  bool predicted_ = false;     // the same
  bool kernel_ = false;        // and those of kernels
  std::vector<Result> pairs_;  // of a matrix that is not complete yet
};

}  // namespace

std::unique_ptr<Writer> make_table(Sink sink, Terminal terminal, SecondsNow now) {
  return std::make_unique<Table>(std::move(sink), terminal, std::move(now));
}

}  // namespace railgauge
