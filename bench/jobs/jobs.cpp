// The kinds of jobs, and what is asked of all of them.
#include "bench/jobs/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "bench/launch/address.hpp"

namespace railgauge::jobs {
namespace {

constexpr std::array all_kinds{
    Kind{"slurm", "sbatch FILE", false, false, slurm}, Kind{"mpijob", "kubectl create -f FILE", true, false, mpijob},
    Kind{"jobset", "kubectl create -f FILE", true, true, jobset}, Kind{"job", "kubectl create -f FILE", true, true, indexed_job},
    Kind{"torchrun", "bash FILE", false, true, torchrun}};

constexpr std::string_view small = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view digits = "0123456789";

bool only(std::string_view text, std::initializer_list<std::string_view> allowed) {
  return std::all_of(text.begin(), text.end(), [&](char letter) {
    return std::any_of(allowed.begin(), allowed.end(),
                       [&](std::string_view set) { return set.find(letter) != std::string::npos; });
  });
}

bool dns_label(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most && only(text, {small, digits, "-"}) &&
         small.find(text.front()) != std::string::npos && text.back() != '-';
}

// What is printed into a file must stay what it is there: no blanks, quotes or line ends.
bool plain(std::string_view text) {
  return !text.empty() && text.size() <= 500 &&
         std::all_of(text.begin(), text.end(), [](char letter) { return letter > ' ' && letter < 127; }) &&
         text.find_first_of("\"'`\\$") == std::string_view::npos;
}

[[noreturn]] void refuse(std::string_view option, std::string_view given, std::string_view expected) {
  throw Error(Fault::usage, fmt::format("{} '{}': expected {}", option, given.substr(0, 100), expected));
}

}  // namespace

std::span<const Kind> kinds() { return all_kinds; }

const Kind& kind_of(std::string_view name) {
  std::string known;
  for (const Kind& kind : all_kinds) {
    if (kind.name == name) return kind;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.name);
  }
  throw Error(Fault::usage, fmt::format("--print {}: choose one of {}", name, known));
}

void require_sound(const Job& job, const Kind& kind) {
  if (!dns_label(job.name, 40)) refuse("--name", job.name, "small letters, digits and '-', beginning with a letter, at most 40");
  if (!job.partition.empty() && !plain(job.partition)) refuse("--partition", job.partition, "a name without blanks or quotes");
  if (job.mpi != "pmix" && job.mpi != "pmi2") refuse("--mpi", job.mpi, "pmix or pmi2");
  if (kind.image && job.image.empty())
    throw Error(Fault::usage, fmt::format("--print {} needs --image: a container image that has railgauge", kind.name));
  if (!kind.image && !job.image.empty())
    throw Error(Fault::usage, fmt::format("--image says nothing in a job of {}: leave it out", kind.name));
  if (!job.image.empty() && !plain(job.image)) refuse("--image", job.image, "a name without blanks or quotes");
  if (!job.queue.empty() && !dns_label(job.queue, 63)) refuse("--queue", job.queue, "the name of a LocalQueue of Kueue");
  for (const auto& [name, count] : job.resources)
    if (!plain(name) || name.find('/') == std::string::npos || count.empty() || !only(count, {digits}) || count.front() == '0')
      refuse("--resource", name + "=" + count, "NAME=COUNT, for example rdma/ib=1");
  if (kind.token && !parse_token(job.token)) refuse("the token", "", "32 hexadecimal digits");
  // A shell and a manifest might change such a word.
  for (const std::string& word : job.words)
    if (std::any_of(word.begin(), word.end(), [](char letter) { return static_cast<unsigned char>(letter) < ' '; }))
      refuse("the command", "", "words without line ends and other control characters");
}

}  // namespace railgauge::jobs
