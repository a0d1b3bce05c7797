// Lines for a shell: what a shell makes of them is asked of a shell.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <string>

#include "reports/validation/writers.hpp"
#include "tests/reports/results.hpp"
#include "tests/reports/validation/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::validation;
using railgauge::test::ContainsSubstring;

namespace {

Diagnosis finding(const std::vector<std::string>& hosts, Blame blame = Blame::nic) {
  Diagnosis diagnosis;
  diagnosis.faulty = true;
  diagnosis.blame = blame;
  diagnosis.hosts = hosts;
  return diagnosis;
}

// The words that a shell would hand to the programs, each in brackets, for lines in which the programs only print them.
std::string words_in_shell(const std::string& lines) {
  const std::string script =
      "cd /; show() { printf '[%s]' \"$@\"; echo; }; scontrol() { show scontrol \"$@\"; }; kubectl() { show kubectl \"$@\"; }\n" +
      lines;
  const test::Folder folder;
  const std::string path = folder.file("script");
  std::ofstream(path, std::ios::binary) << script;
  std::FILE* const pipe = ::popen(("bash " + path + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string said;
  std::array<char, 512> piece{};
  while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) said += piece.data();
  ::pclose(pipe);
  return said;
}

}  // namespace

TEST_CASE("nobody faulty, nothing to drain") { CHECK(drain_lines(test::healthy()).empty()); }

TEST_CASE("one faulty cable") {
  CHECK(drain_lines(test::faulty_cable()) ==
        "scontrol update nodename=n3 state=drain reason=\"railgauge: cable/port n3:mlx5_1/1 - leaf1 port 4, 5.1 % less "
        "bandwidth, sending\"\n"
        "kubectl cordon n3\n"
        "kubectl drain n3 --ignore-daemonsets --delete-emptydir-data\n");
}

TEST_CASE("many hosts are one list, as Slurm writes it, and each stands in one line only") {
  Validation of = test::fleet({.hosts = 64, .rounds = 0});
  of.diagnoses = {finding({"n1", "n2", "n3", "n9"}, Blame::leaf), finding({"n3", "n40"})};
  CHECK(words_in_shell(drain_lines(of)) ==
        "[scontrol][update][nodename=n[1-3,9]][state=drain][reason=railgauge: leaf]\n"
        "[scontrol][update][nodename=n40][state=drain][reason=railgauge: nic]\n"
        "[kubectl][cordon][n1][n2][n3][n9][n40]\n"
        "[kubectl][drain][n1][n2][n3][n9][n40][--ignore-daemonsets][--delete-emptydir-data]\n");
}

TEST_CASE("of many findings the kinds are told, so that the lines stay few") {
  Validation of = test::fleet({.hosts = 64, .rounds = 0});
  for (int i = 0; i < 30; ++i) {
    of.diagnoses.push_back(finding({"n" + std::to_string(i)}));
    of.diagnoses.back().from = of.diagnoses.back().hosts.front() + ":eth0";
  }
  CHECK_THAT(drain_lines(of), ContainsSubstring("nodename='n[0-29]' state=drain reason=\"railgauge: nic\"\n"));
}

TEST_CASE("a name that is more than a name reaches no program") {
  for (const std::string name : {"n1; touch /tmp/x", "$(reboot)", "`reboot`", "n1\nkubectl delete nodes --all", "--all",
                                 "n[1-9999]", "n1,n2", "a=b", "'", "\"", "n 1", "", "n1\\", "\xff\xfe", "n1\r", "*"}) {
    INFO(name);
    Validation of = test::healthy();
    of.diagnoses = {finding({name}), finding({"n4"})};
    of.diagnoses.front().from = of.diagnoses.back().from = name + "\"; reboot; $(reboot) `reboot`";
    const std::string said = words_in_shell(drain_lines(of));
    CHECK_THAT(said, ContainsSubstring("[scontrol][update][nodename=n4][state=drain][reason=railgauge: "));
    CHECK_THAT(said, ContainsSubstring("[kubectl][cordon][n4]\n[kubectl][drain][n4][--ignore-daemonsets]"));
    CHECK(std::count(said.begin(), said.end(), '\n') == 3);
    CHECK_THAT(drain_lines(of), ContainsSubstring("\n# by hand, since this is no name that a shell should see: "));
  }
}
