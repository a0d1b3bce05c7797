// The pipe, the defaults and the clearing up behind bench/ranks.hpp.
#include "bench/ranks.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "bench/launch/local.hpp"
#include "reports/reader.hpp"
#include "reports/record.hpp"

namespace railgauge {

int allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::string new_run_name() {
  std::array<char, 32> time{};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(time.data(), time.size(), "%Y%m%dT%H%M%SZ", &utc);
  std::array<char, 16> random{};
  std::snprintf(random.data(), random.size(), "-%08x", std::random_device{}());
  return std::string(time.data()) + random.data();
}

std::string default_transport(bool one_host) { return one_host ? "shm" : "ucx"; }

int count_nodes(const Group& group) {
  return static_cast<int>(std::set<std::string>(group.nodes().begin(), group.nodes().end()).size());
}

int even_ranks_per_node(const Group& group) {
  std::map<std::string, int> counts;
  for (const std::string& node : group.nodes()) ++counts[node];
  for (const auto& [node, count] : counts)
    if (count != counts.begin()->second) return 1;
  return counts.begin()->second;
}

RankReport::RankReport() {
  if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw Error(Fault::usage, std::string("pipe: ") + std::strerror(errno));
}

RankReport::~RankReport() {
  ::close(ends_[0]);
  ::close(ends_[1]);
}

void RankReport::tell(const Result& result) const { write_all(result_line(result)); }

void RankReport::tell(int rank, std::string sentence) const {
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  write_all("!" + std::to_string(rank) + " " + sentence + "\n");
}

void RankReport::tell(const std::string& text) const { write_all("@" + text + "\n"); }

void RankReport::take(const Reader& reader) {
  std::array<char, 65536> piece{};
  const ssize_t got = ::read(ends_[0], piece.data(), piece.size());
  if (got <= 0) return;
  pending_.append(piece.data(), static_cast<std::size_t>(got));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = std::string_view(pending_).substr(begin, end - begin);
    if (line.starts_with('!')) {
      const std::size_t space = line.find(' ');
      sentences_.emplace(std::stoi(std::string(line.substr(1, space - 1))), line.substr(space + 1));
    } else if (line.starts_with('@')) {
      if (reader.text) reader.text(std::string(line.substr(1)));
    } else {
      reader.result(read_result(line, "a rank's report"));
    }
  }
  pending_.erase(0, begin);
}

std::string RankReport::sentence_of(int rank) const {
  const auto found = sentences_.find(rank);
  return found == sentences_.end() ? std::string() : found->second;
}

void RankReport::write_all(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(ends_[1], text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error(Fault::lost, std::string("cannot report to the supervisor: ") + std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string cause_of(const ControlTree& tree, const Error& error) {
  constexpr std::chrono::milliseconds patience{300};
  const auto begin = std::chrono::steady_clock::now();
  try {
    while (error.fault() == Fault::lost && std::chrono::steady_clock::now() - begin < patience) {
      tree.check();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  } catch (const Error& news) { return news.what(); }
  return error.what();
}

int live_as_rank(const Placement& placement, const std::string& arguments, const std::string& root_address, Rendezvous* own,
                 const RankReport& report, const std::function<int(ControlTree&)>& work) {
  std::unique_ptr<ControlTree> tree;
  try {
    bind_rank(placement.local_rank, placement.local_size);
    tree = join({placement.rank, placement.size, placement.node, arguments}, root_address, {}, own);
    return work(*tree);
  } catch (const Error& error) {
    const std::string cause = tree ? cause_of(*tree, error) : error.what();
    report.tell(placement.rank, cause);
    if (tree) tree->announce(cause);
    return static_cast<int>(error.fault());
  }
}

int after_the_one_that_speaks(int code) {
  constexpr std::chrono::seconds patience{2};
  std::this_thread::sleep_for(patience);
  return code;
}

void remove_leftovers(const ChosenTransport& transport, std::chrono::system_clock::time_point since) {
  for (const ChosenTransport::Part& part : transport.parts)
    if (const auto remove = part.known->table->remove_leftovers) remove(since);
}

}  // namespace railgauge
