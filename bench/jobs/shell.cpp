// Quotes what a shell would change; bench/jobs/shell.hpp.
#include "bench/jobs/shell.hpp"

namespace railgauge::jobs {
namespace {

std::string for_shell(const std::string& word) {
  if (!word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%") == std::string::npos)
    return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

}  // namespace

std::string words_for_shell(const Job& job) {
  std::string text;
  for (const auto* words : {&job.program, &job.words})
    for (const std::string& word : *words) text += " " + for_shell(word);
  return text;
}

}  // namespace railgauge::jobs
