// The client's side of PMI-1.
#include "bench/launch/pmi.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <memory>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "bench/launch/address.hpp"
#include "bench/launch/environment_launch.hpp"
#include "bench/launch/sentences.hpp"

namespace railgauge {
namespace {

constexpr const char* key = "railgauge-root";
constexpr std::size_t most_bytes = std::size_t{1} << 16;  // of an answer

int number_of(const Environment& environment, std::string_view name) {
  const std::string text = environment(name).value_or(std::string());
  int value = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || value < 0)
    throw Error(Fault::usage, fmt::format("PMI: {}={}: expected a number", name, text.substr(0, 100)));
  return value;
}

// One connection to the launcher's process manager.
class Line {
 public:
  explicit Line(int descriptor) : descriptor_(descriptor) {}

  // Sends one command and gives its answer, which must begin with cmd=`expected`, and whose rc may say that there is none.
  std::string ask_for(const std::string& command, std::string_view expected, Seconds deadline) {
    const auto until = moment_after(deadline);
    send(command + "\n", until);
    std::string answer = read_line(command, until, deadline);
    if (field(answer, "cmd") != expected) refuse(answer, command);
    return answer;
  }
  // The same; it must have been done.
  std::string ask(const std::string& command, std::string_view expected, Seconds deadline) {
    std::string answer = ask_for(command, expected, deadline);
    if (field(answer, "rc").value_or("0") != "0") refuse(answer, command);
    return answer;
  }

  // Sends one that has no answer.
  void tell(const std::string& command, Seconds deadline) const { send(command + "\n", moment_after(deadline)); }

  static std::optional<std::string> field(std::string_view line, std::string_view name) {
    while (!line.empty()) {
      const std::size_t space = std::min(line.find(' '), line.size());
      const std::string_view word = line.substr(0, space);
      const std::size_t equal = word.find('=');
      if (equal != std::string_view::npos && word.substr(0, equal) == name) return std::string(word.substr(equal + 1));
      line.remove_prefix(std::min(space + 1, line.size()));
    }
    return std::nullopt;
  }

 private:
  using Moment = std::chrono::steady_clock::time_point;

  [[noreturn]] static void refuse(const std::string& answer, const std::string& command) {
    throw Error(Fault::usage,
                fmt::format("PMI: the launcher answered '{}' to '{}'", answer.substr(0, 200), command.substr(0, 60)));
  }

  void wait(short events, Moment until, const std::string& command, Seconds deadline) const {
    while (true) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      pollfd entry{descriptor_, events, 0};
      const int ready = poll(&entry, 1, static_cast<int>(std::clamp<long long>(left.count(), 0, 1'000'000)));
      if (ready > 0) return;
      if (ready < 0 && errno != EINTR) throw Error(Fault::usage, "PMI: poll: " + std::generic_category().message(errno));
      if (ready == 0 && std::chrono::steady_clock::now() >= until)
        throw Error(Fault::lost,
                    fmt::format("PMI: the launcher did not answer '{}' within {:g} s{}", command.substr(0, 60), deadline.count(),
                                command == "cmd=barrier_in" ? ": not all ranks came to its barrier" : ""));
    }
  }

  void send(std::string_view bytes, Moment until) const {
    while (!bytes.empty()) {
      wait(POLLOUT, until, std::string(bytes), Seconds(0));
      ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == ENOTSOCK) count = write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno != EINTR && errno != EAGAIN)
        throw Error(Fault::usage, "PMI: write to PMI_FD: " + std::generic_category().message(errno));
      if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  std::string read_line(const std::string& command, Moment until, Seconds deadline) {
    while (true) {
      if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
        std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      if (received_.size() > most_bytes) throw Error(Fault::usage, "PMI: the launcher's answer has no end");
      wait(POLLIN, until, command, deadline);
      char bytes[4096];
      const ssize_t count = read(descriptor_, bytes, sizeof bytes);
      if (count == 0) throw Error(Fault::lost, fmt::format("PMI: the launcher hung up after '{}'", command.substr(0, 60)));
      if (count < 0 && errno != EINTR && errno != EAGAIN)
        throw Error(Fault::usage, "PMI: read from PMI_FD: " + std::generic_category().message(errno));
      if (count > 0) received_.append(bytes, static_cast<std::size_t>(count));
    }
  }

  int descriptor_;
  std::string received_;
};

// The line, until its last owner has told the launcher that this rank leaves. The launcher takes a rank that ends without that
// for a failed one, which it is where an answer was not right.
class Attendance {
 public:
  explicit Attendance(int descriptor) : line(descriptor) {}
  ~Attendance() {
    if (!healthy) return;
    try {
      (void)line.ask("cmd=finalize", "finalize_ack", Seconds(2));
    } catch (const Error&) {
      // The launcher is gone, or will end us: either is its news to tell.
    }
  }
  Attendance(const Attendance&) = delete;
  Attendance& operator=(const Attendance&) = delete;

  Line line;
  bool healthy = true;
};

class PmiSession final : public LauncherSession {
 public:
  PmiSession(const Environment& environment, Seconds deadline)
      : attendance_(std::make_shared<Attendance>(number_of(environment, "PMI_FD"))), deadline_(deadline) {
    place_.rank = number_of(environment, "PMI_RANK");
    place_.size = number_of(environment, "PMI_SIZE");
    if (place_.rank >= place_.size)
      throw Error(Fault::usage, fmt::format("PMI: PMI_RANK={} and PMI_SIZE={} do not fit", place_.rank, place_.size));
    (void)attendance_->line.ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init", deadline_);
    const std::string most = attendance_->line.ask("cmd=get_maxes", "maxes", deadline_);
    const std::string length = Line::field(most, "vallen_max").value_or("0");
    (void)std::from_chars(length.data(), length.data() + length.size(), value_bytes_);
    space_ = Line::field(attendance_->line.ask("cmd=get_my_kvsname", "my_kvsname", deadline_), "kvsname").value_or(std::string());
    // As the launcher calls the node: several nodes of a simulated cluster, or containers, may share a host's name.
    const auto name = environment("MPIR_CVAR_CH3_INTERFACE_HOSTNAME");
    // Hydra leaves the mapping out where it is too long to be one value.
    const std::optional<std::string> mapping = find("PMI_process_mapping");
    if (mapping) {
      const MappedPlace mapped = place_in_mapping(*mapping, place_.rank, place_.size);
      place_.local_rank = mapped.local_rank;
      place_.local_size = mapped.local_size;
      place_.node = name ? *name : fmt::format("{}.{}", host_name(), mapped.node);
    } else {
      place_.node = name ? *name : host_name();
    }
    // Slurm's mapping is of a block distribution, whichever its tasks have. What hydra starts by srun are its own helpers, whose
    // numbers are others.
    if (environment("SLURM_PROCID") == environment("PMI_RANK") && environment("SLURM_STEP_NUM_TASKS") == environment("PMI_SIZE"))
      if (const auto local = local_in_step(environment)) {
        place_.local_rank = local->rank;
        place_.local_size = local->size;
      }
  }

  Placement placement() const override { return place_; }

  // Who holds it leaves later.
  EndAll end_all() override {
    return [attendance = attendance_](int code) {
      attendance->healthy = false;
      try {
        attendance->line.tell(fmt::format("cmd=abort exitcode={}", code), Seconds(2));
      } catch (const Error&) {
        // The launcher is gone, and with it its ranks.
      }
    };
  }

  std::string publish(const std::string& address, Seconds deadline) override {
    attendance_->healthy = false;
    if (place_.rank == 0) {
      if (address.size() >= value_bytes_)
        throw Error(Fault::usage, fmt::format("PMI: rank 0's address has {} bytes, and the launcher takes {}", address.size(),
                                              value_bytes_ == 0 ? 0 : value_bytes_ - 1));
      (void)attendance_->line.ask(fmt::format("cmd=put kvsname={} key={} value={}", space_, key, address), "put_result",
                                  deadline);
    }
    (void)attendance_->line.ask("cmd=barrier_in", "barrier_out", deadline);
    std::string root = get(key);
    attendance_->healthy = true;
    return root;
  }

 private:
  [[nodiscard]] std::string request(std::string_view name) const {
    return fmt::format("cmd=get kvsname={} key={}", space_, name);
  }
  // Nothing where the launcher has no such value.
  std::optional<std::string> find(std::string_view name) {
    const std::string answer = attendance_->line.ask_for(request(name), "get_result", deadline_);
    if (Line::field(answer, "rc").value_or("0") != "0") return std::nullopt;
    return Line::field(answer, "value");
  }
  std::string get(std::string_view name) {
    if (auto value = Line::field(attendance_->line.ask(request(name), "get_result", deadline_), "value")) return *value;
    throw Error(Fault::usage, fmt::format("PMI: the launcher has no value of {}", name));
  }

  std::shared_ptr<Attendance> attendance_;
  Seconds deadline_;
  Placement place_;
  std::string space_;
  std::size_t value_bytes_ = 0;
};

}  // namespace

MappedPlace place_in_mapping(const std::string& mapping, int rank, int size) {
  const Error wrong(Fault::usage,
                    fmt::format("PMI_process_mapping '{}': expected a list such as (vector,(0,2,4))", mapping.substr(0, 200)));
  std::string_view text = mapping;
  if (!text.starts_with("(vector,") || !text.ends_with("))")) throw wrong;
  text = text.substr(8, text.size() - 9);
  struct Block {
    int first, nodes, ranks;
  };
  std::vector<Block> blocks;
  while (!text.empty()) {
    if (text.front() == ',') text.remove_prefix(1);
    if (text.empty() || text.front() != '(') throw wrong;
    text.remove_prefix(1);
    int numbers[3];
    for (int i = 0; i < 3; ++i) {
      const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
      if (code != std::errc{} || end == text.data() + text.size() || *end != (i == 2 ? ')' : ',')) throw wrong;
      text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    }
    constexpr int most = 1 << 24;
    if (numbers[0] < 0 || numbers[1] < 1 || numbers[2] < 1 || std::max({numbers[0], numbers[1], numbers[2]}) > most) throw wrong;
    blocks.push_back({numbers[0], numbers[1], numbers[2]});
  }
  if (blocks.empty() || rank < 0 || rank >= size) throw wrong;
  // As often as it takes to place all; `seen` counts the ranks of a node that was seen.
  const auto walk = [&](const auto& take) {
    for (int placed = 0; placed < size;)
      for (const Block& block : blocks)
        for (int node = block.first; node - block.first < block.nodes && placed < size; ++node)
          for (int i = 0; i < block.ranks && placed < size; ++i) take(placed++, node);
  };
  MappedPlace place;
  walk([&](int each, int node) {
    if (each == rank) place.node = node;
  });
  place.local_size = 0;
  walk([&](int each, int node) {
    if (node != place.node) return;
    if (each < rank) ++place.local_rank;
    ++place.local_size;
  });
  return place;
}

std::unique_ptr<LauncherSession> open_pmi(const Environment& environment, Seconds deadline) {
  return std::make_unique<PmiSession>(environment, deadline);
}

}  // namespace railgauge
