// Files are made whole or not at all, and never over one that exists.
#include "base/output/file.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "tests/reports/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::Folder;
using railgauge::test::read_file;

namespace {
template <class Action>
std::string sentence_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  return "nothing was thrown";
}
}  // namespace

TEST_CASE("a growing file has each line as soon as it is appended") {
  const Folder folder;
  GrowingFile file(folder.file("a.jsonl"));
  file.append("one\n");
  CHECK(read_file(folder.file("a.jsonl")) == "one\n");
  file.append("two\n");
  CHECK(read_file(folder.file("a.jsonl")) == "one\ntwo\n");
}

TEST_CASE("a growing file that nothing was written to is gone, unless a forked child closes it") {
  const Folder folder;
  {
    const GrowingFile file(folder.file("a.jsonl"));
    CHECK(folder.names() == std::vector<std::string>{"a.jsonl"});
    const pid_t child = ::fork();
    if (child == 0) {
      file.~GrowingFile();
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    CHECK(folder.names() == std::vector<std::string>{"a.jsonl"});
  }
  CHECK(folder.names().empty());
}

TEST_CASE("an existing file is refused and left alone") {
  const Folder folder;
  for (const char* name : {"a.jsonl", "link.jsonl"}) {
    const std::string path = folder.file(name);
    if (std::string(name) == "a.jsonl")
      std::ofstream(path) << "precious";
    else
      std::filesystem::create_symlink("absent", path);
    CHECK_THAT(sentence_of([&] { const GrowingFile file(path); }), ContainsSubstring(path + " exists"));
    CHECK_THAT(sentence_of([&] { const AsideFile file(path); }), ContainsSubstring(path + " exists"));
  }
  CHECK(read_file(folder.file("a.jsonl")) == "precious");
  CHECK(folder.names().size() == 2);
}

TEST_CASE("a folder that is not there is found out at once") {
  const Folder folder;
  const std::string path = folder.file("none/a.csv");
  CHECK_THAT(sentence_of([&] { const GrowingFile file(path); }), ContainsSubstring(path + ": No such file or directory"));
  CHECK_THAT(sentence_of([&] { const AsideFile file(path); }), ContainsSubstring(path + ": No such file or directory"));
}

TEST_CASE("a file aside appears whole when it is published, and only then") {
  const Folder folder;
  {
    AsideFile file(folder.file("a.csv"));
    file.append("one\n");
    CHECK_FALSE(std::filesystem::exists(folder.file("a.csv")));
    file.append("two\n");
    file.publish();
    CHECK(read_file(folder.file("a.csv")) == "one\ntwo\n");
  }
  CHECK(folder.names() == std::vector<std::string>{"a.csv"});
  {
    AsideFile file(folder.file("b.csv"));
    file.append("never published\n");
  }
  CHECK(folder.names() == std::vector<std::string>{"a.csv"});
}

TEST_CASE("a file that comes meanwhile is not overwritten, and ours is kept") {
  const Folder folder;
  AsideFile file(folder.file("a.csv"));
  file.append("ours\n");
  std::ofstream(folder.file("a.csv")) << "theirs\n";
  CHECK_THAT(sentence_of([&] { file.publish(); }), ContainsSubstring(folder.file("a.csv.1")));
  CHECK(read_file(folder.file("a.csv")) == "theirs\n");
  CHECK(read_file(folder.file("a.csv.1")) == "ours\n");
}

TEST_CASE("a full disk leaves whole lines") {
  const Folder folder;
  std::signal(SIGXFSZ, SIG_IGN);
  GrowingFile file(folder.file("a.jsonl"));
  file.append("12345678\n");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 12;  // the next line fits in part, as on a disk that fills up
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string sentence = sentence_of([&] { file.append("12345678\n"); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK_THAT(sentence, ContainsSubstring(folder.file("a.jsonl")));
  CHECK(read_file(folder.file("a.jsonl")) == "12345678\n");
  file.append("abc\n");
  CHECK(read_file(folder.file("a.jsonl")) == "12345678\nabc\n");
}
