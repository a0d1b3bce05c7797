// validation_pages FOLDER: writes the pages and files of made validations, for the browser test and for whoever wants to see
// them.
#include <cstdio>
#include <string>

#include "reports/validation/writers.hpp"
#include "tests/reports/validation/made.hpp"

using namespace railgauge;
using namespace railgauge::validation;

namespace {

// A cable among 2,048 hosts, and among as many whose switches are unknown.
Validation large(std::size_t hosts_a_leaf) {
  Validation of = test::fleet({.hosts = 2048, .rails = 8, .rounds = 16, .hosts_a_leaf = hosts_a_leaf, .spines = 64});
  of.outcome = Outcome::failed;
  of.sentence = "2 of 2048 hosts are at fault: n1000:mlx5_5/1 (cable/port), 8.2 % slower sending, and n77 was lost";
  Diagnosis diagnosis = test::faulty_cable().diagnoses.front();
  diagnosis.from = "n1000:mlx5_5/1";
  diagnosis.to = hosts_a_leaf == 0 ? "" : "leaf253 port 9";
  diagnosis.host = "n1000";
  diagnosis.hosts = {"n1000"};
  diagnosis.sentence = "n1000 sends 8.2 % less by mlx5_5/1 than its peers";
  diagnosis.slower = 0.082;
  diagnosis.evidence = {"symbol errors of its port grew by 1204 meanwhile"};
  diagnosis.next = "reseat the cable at both ends and run again with --stages pairs; if it stays, change the cable";
  of.diagnoses = {diagnosis, test::inconclusive().diagnoses.front()};
  of.diagnoses.back().hosts = {"n77"};
  of.diagnoses.back().host = of.diagnoses.back().from = "n77";
  of.diagnoses.back().sentence = "n77 was there when the stage began, and nothing was heard of it for 10 s";
  of.hosts[1000].state = HostState::faulty;
  of.hosts[1000].rails[5].send_off = -0.082;
  of.hosts[1000].rails[5].send = 22.2;
  of.hosts[77].state = HostState::lost;
  of.hosts[77].reason = "nothing was heard of rank 77 for 10 s";
  of.hosts[77].rails.clear();
  for (MapLink& link : of.map.links)
    if (link.host == "n1000" && link.rail == 5) {
      link.faulty = true;
      link.share = 0.918;
    }
  for (PairFigure& pair : of.pairs)
    if (pair.from == 1000 && pair.rail == 5) pair.gigabytes_per_second *= 0.918;
  return of;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: validation_pages FOLDER\n");
    return 2;
  }
  const std::string folder = words[1];
  const auto write = [&](const char* name, const Validation& of) {
    write_file(of, folder + "/" + name + ".html");
    write_file(of, folder + "/" + name + ".json");
  };
  write("healthy", test::healthy());
  write("cable", test::faulty_cable());
  write("inconclusive", test::inconclusive());
  write("large", large(32));
  write("unknown", large(0));
  write("hostile", test::named(test::faulty_cable(), "<script>document.title='taken'</script>\"'><img src=x onerror=alert(1)>"));
  return 0;
}
