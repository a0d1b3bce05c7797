// Commands that are started, waited for and ended.
#include "base/subprocess.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

struct Room {
  fs::path folder;
  CommandOptions options;
  Room() {
    std::string name = (fs::temp_directory_path() / "railgauge-subprocess.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder = name;
    options = {Seconds(30), Seconds(10), folder / "out", folder / "err"};
  }
  ~Room() { fs::remove_all(folder); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  [[nodiscard]] std::string text(const char* name) const {
    std::ifstream file(folder / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

Ended run(const Room& room, const std::string& script) {
  HeldSignals signals;
  return run_command({"sh", "-c", script}, room.options, signals);
}

// One that has ended stays in the list of processes until somebody has asked how.
bool lives(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z";
}

}  // namespace

TEST_CASE("a command runs with nothing to read, and what it says goes to files") {
  const Room room;
  const Ended ended = run(room, "cat; echo said; echo wrong >&2; exit 3");
  CHECK(ended.code == 3);
  CHECK(ended.signal == 0);
  CHECK_FALSE(ended.overdue);
  CHECK(room.text("out") == "said\n");
  CHECK(room.text("err") == "wrong\n");
  CHECK(how_it_ended(ended, room.options) == "ended with exit code 3");
}

TEST_CASE("a command that a signal ends says so") {
  const Room room;
  const Ended ended = run(room, "kill -9 $$");
  CHECK(ended.signal == SIGKILL);
  CHECK_THAT(how_it_ended(ended, room.options), ContainsSubstring("was killed by signal 9"));
}

TEST_CASE("a command that does not end is ended with all that it started, first gently", "[long]") {
  Room room;
  room.options.deadline = Seconds(0.2);
  SECTION("gently") {
    const Ended ended = run(room, "trap 'echo ended; exit 7' TERM; while :; do sleep 0.01; done");
    CHECK(ended.overdue);
    CHECK(ended.code == 7);
    CHECK(room.text("out") == "ended\n");
    CHECK(how_it_ended(ended, room.options) == "did not end within 200 ms");
  }
  SECTION("by force") {
    room.options.deadline = Seconds(2);  // the shell must have come to its trap
    room.options.grace = Seconds(0.1);
    const Ended ended = run(room, "trap '' TERM; sleep 100 & echo $!; wait; while :; do sleep 0.01; done");
    CHECK(ended.overdue);
    CHECK(ended.signal == SIGKILL);
    // A process that nobody waits for any more is gone soon.
    std::string process = room.text("out");
    REQUIRE_FALSE(process.empty());
    process.pop_back();
    CAPTURE(process);
    for (int i = 0; i < 1000 && lives(process); ++i) ::usleep(1000);
    CHECK_FALSE(lives(process));
  }
}

TEST_CASE("a signal to this process is handed on, and does not end it") {
  const Room room;
  HeldSignals signals;
  CHECK(signals.first() == 0);
  REQUIRE(::kill(::getpid(), SIGINT) == 0);
  const Ended ended = run_command({"sh", "-c", "trap 'exit 9' INT; while :; do sleep 0.01; done"}, room.options, signals);
  CHECK((ended.code == 9 || ended.signal == SIGINT));  // it may come before the trap is set
  CHECK_FALSE(ended.overdue);
  CHECK(signals.first() == SIGINT);
}

TEST_CASE("a program that is not there is an error that names it") {
  const Room room;
  HeldSignals signals;
  CHECK_THROWS_WITH(run_command({"/absent/program"}, room.options, signals), "/absent/program: No such file or directory");
  CHECK_THROWS_AS(run_command({}, room.options, signals), Error);
  CommandOptions odd = room.options;
  odd.errors = "/absent/err";
  CHECK_THROWS_WITH(run_command({"true"}, odd, signals), ContainsSubstring("/absent/err"));
}

TEST_CASE("a command line is parted into words") {
  using Words = std::vector<std::string>;
  CHECK(command_words("railgauge bench  all_reduce\t--bytes 8:1M") ==
        Words{"railgauge", "bench", "all_reduce", "--bytes", "8:1M"});
  CHECK(command_words("'a b' \"c 'd' \\\"e\\\"\" f\\ g x''y ''") == Words{"a b", "c 'd' \"e\"", "f g", "xy", ""});
  CHECK(command_words("env UCX_TLS=tcp railgauge --set '*'") == Words{"env", "UCX_TLS=tcp", "railgauge", "--set", "*"});
  for (const char* const odd : {"a | b", "a > b", "a; b", "a & b", "$a", "`a`", "a *", "~/a"})
    CHECK_THROWS_WITH(command_words(odd), ContainsSubstring("only a shell would understand"));
  CHECK_THROWS_WITH(command_words("a 'b"), ContainsSubstring("without its end"));
  CHECK_THROWS_WITH(command_words("a \"b\\"), ContainsSubstring("without its end"));
  for (const char* const nothing : {"", "  \t"}) CHECK_THROWS_WITH(command_words(nothing), "the command is empty");
}
