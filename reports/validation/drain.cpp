// Lines that a person may run. Only names that Slurm, Kubernetes and a shell all take for a name are put into them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "reports/validation/words.hpp"
#include "reports/validation/writers.hpp"
#include "reports/web/inert.hpp"
#include "topo/hostlist.hpp"

namespace railgauge::validation {
namespace {

constexpr std::size_t longest_name = 253;    // of a host, by RFC 1123
constexpr std::size_t longest_reason = 120;  // characters
constexpr std::size_t most_reasons = 8;      // each with a line; of more findings the kinds are told alone

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Neither a list, nor a range, nor an option, nor anything that a shell expands.
bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= longest_name && is_letter_or_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_'; });
}

// What stands between double quotes and means itself there, to a shell and to Slurm.
std::string quotable(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, longest_reason))
    result += is_letter_or_digit(c) || std::string_view(" .,:;/%()_+-").find(c) != std::string_view::npos ? c : '?';
  return result;
}

std::string reason_of(const Diagnosis& diagnosis, bool briefly) {
  std::string reason = "railgauge: " + std::string(name(diagnosis.blame));
  if (briefly) return quotable(reason);
  if (const std::string ends = ends_of(diagnosis); !ends.empty()) reason += " " + ends;
  if (const std::string effect = effect_of(diagnosis); !effect.empty()) reason += ", " + effect;
  return quotable(reason);
}

std::string slurm_line(const std::vector<std::string>& names, const std::string& reason) {
  std::string list = topo::compress_hostlist(names);
  if (list.find('[') != std::string::npos) list = "'" + list + "'";  // a shell would look for files of such names
  return fmt::format("scontrol update nodename={} state=drain reason=\"{}\"\n", list, reason);
}

}  // namespace

std::string drain_lines(const Validation& validation) {
  std::vector<std::string> plain, strange;
  for (const std::string& name : to_drain(validation)) (is_plain(name) ? plain : strange).push_back(name);

  // Each host once, with the reason of the first finding that names it.
  const auto findings =
      std::count_if(validation.diagnoses.begin(), validation.diagnoses.end(), [](const Diagnosis& it) { return it.faulty; });
  std::vector<std::string> reasons;
  std::map<std::string, std::vector<std::string>> hosts_of;
  std::set<std::string> told(strange.begin(), strange.end());
  for (const Diagnosis& diagnosis : validation.diagnoses) {
    if (!diagnosis.faulty) continue;
    const std::string reason = reason_of(diagnosis, static_cast<std::size_t>(findings) > most_reasons);
    for (const std::string& host : diagnosis.hosts) {
      if (!told.insert(host).second) continue;
      auto& hosts = hosts_of[reason];
      if (hosts.empty()) reasons.push_back(reason);
      hosts.push_back(host);
    }
  }

  std::string text;
  for (const std::string& reason : reasons) text += slurm_line(hosts_of[reason], reason);
  if (!plain.empty()) {
    std::string names;
    for (const std::string& name : plain) names += " " + name;
    text += "kubectl cordon" + names + "\nkubectl drain" + names + " --ignore-daemonsets --delete-emptydir-data\n";
  }
  if (!strange.empty())
    text += fmt::format("# by hand, since {} no name{} that a shell should see: {}\n",
                        strange.size() == 1 ? "this is" : "these are", strange.size() == 1 ? "" : "s", names_of(strange));
  return text;
}

}  // namespace railgauge::validation
