// Lines of JSON.
#include "bench/validate/stages/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

namespace railgauge::validate {
namespace {

using nlohmann::json;

std::string header(const std::string& about) { return json{{"railgauge-validation-journal", 1}, {"about", about}}.dump() + "\n"; }

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Journal::Journal(const std::string& path, const std::string& about) {
  const auto fail = [&](const char* call) {
    throw Error(Fault::usage, fmt::format("{}: {}: {}", path, call, std::strerror(errno)));
  };
  struct stat found{};
  const bool there = stat(path.c_str(), &found) == 0 && found.st_size > 0;
  if (there) read(path, about);
  descriptor_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail("open");
  if (!there && !write_all(descriptor_, header(about))) fail("write");
}

Journal::~Journal() {
  if (descriptor_ >= 0) (void)close(descriptor_);
}

void Journal::read(const std::string& path, const std::string& about) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  if (line + "\n" != header(about))
    throw Error(Fault::usage,
                fmt::format("{} is no journal of this validation: other hosts, options or version; name a new file, or "
                            "give the options it was begun with",
                            path));
  std::size_t number = 1;
  off_t whole = static_cast<off_t>(line.size()) + 1;
  while (std::getline(file, line)) {
    ++number;
    const json entry = json::parse(line, nullptr, false);
    try {
      if (file.eof()) break;  // cut off in the middle of the last line, or before its end
      std::vector<std::vector<Answer>> answers;
      for (const json& order : entry.at("answers")) {
        answers.emplace_back();
        for (const json& answer : order) answers.back().push_back(agents::answer_of(answer));
      }
      known_[entry.at("key").get<std::string>()] = std::move(answers);
    } catch (const std::exception&) {
      throw Error(Fault::usage, fmt::format("{}, line {}: expected an entry of a journal, with a key and answers", path, number));
    }
    whole += static_cast<off_t>(line.size()) + 1;
  }
  if (truncate(path.c_str(), whole) != 0) throw Error(Fault::usage, fmt::format("{}: truncate: {}", path, std::strerror(errno)));
}

const std::vector<std::vector<Answer>>* Journal::find(const std::string& key, std::span<const agents::Order> orders) const {
  const auto found = known_.find(key);
  if (found == known_.end()) return nullptr;
  const auto same = [](const std::vector<Answer>& answers, const agents::Order& order) {
    return std::equal(answers.begin(), answers.end(), order.members.begin(), order.members.end(),
                      [](const Answer& answer, int member) { return answer.rank == member; });
  };
  return std::equal(found->second.begin(), found->second.end(), orders.begin(), orders.end(), same) ? &found->second : nullptr;
}

void Journal::add(const std::string& key, const std::vector<std::vector<Answer>>& answers) {
  json all = json::array();
  for (const std::vector<Answer>& order : answers) {
    json its = json::array();
    for (const Answer& answer : order) its.push_back(to_json(answer));
    all.push_back(std::move(its));
  }
  const std::string line =
      json{{"key", key}, {"answers", std::move(all)}}.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  if (!write_all(descriptor_, line))
    throw Error(Fault::usage, fmt::format("the journal cannot be written: {}", std::strerror(errno)));
}

}  // namespace railgauge::validate
