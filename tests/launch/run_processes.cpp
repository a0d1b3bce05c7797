// Runs ranks over the control tree.
#include "tests/launch/run_processes.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/error.hpp"

namespace railgauge::test {
namespace {

std::string run_one(const Introduction& me, const std::string& address, const Deadlines& deadlines, RootListener* own,
                    const RankBody& body) {
  try {
    const auto tree = join(me, address, deadlines, own);
    try {
      body(*tree);
      return "";
    } catch (const std::exception& error) {
      tree->announce(error.what());
      return error.what();
    }
  } catch (const std::exception& error) { return error.what(); }
}

Introduction introduction(int rank, int ranks) { return {rank, ranks, "node" + std::to_string(rank / 4), "bench --bytes 4K"}; }

}  // namespace

std::vector<std::string> run_over_tcp(int ranks, const Deadlines& deadlines, const RankBody& body,
                                      const std::function<void(Introduction&)>& introduce) {
  RootListener listener(Reach::machine);
  const std::string address = listener.address();
  std::vector<std::string> sentences(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Introduction me = introduction(rank, ranks);
      if (introduce) introduce(me);
      sentences[static_cast<std::size_t>(rank)] = run_one(me, address, deadlines, rank == 0 ? &listener : nullptr, body);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return sentences;
}

std::vector<std::string> run_as_processes(int ranks, const Deadlines& deadlines, const RankBody& body) {
  RootListener listener(Reach::machine);
  const std::string address = listener.address();
  std::vector<pid_t> children;
  std::vector<int> pipes;
  std::vector<std::string> sentences;
  for (int rank = 0; rank < ranks; ++rank) {
    int ends[2];
    if (pipe(ends) != 0) throw Error(Fault::usage, "pipe failed");
    const pid_t child = fork();
    if (child == 0) {
      if (rank != 0) listener.close();
      const std::string sentence = run_one(introduction(rank, ranks), address, deadlines, rank == 0 ? &listener : nullptr, body);
      const ssize_t written = write(ends[1], sentence.data(), sentence.size());
      _exit(written == static_cast<ssize_t>(sentence.size()) ? 0 : 1);
    }
    close(ends[1]);
    children.push_back(child);
    pipes.push_back(ends[0]);
  }
  listener.close();
  for (std::size_t rank = 0; rank < children.size(); ++rank) {
    std::string sentence(4096, '\0');
    const ssize_t count = read(pipes[rank], sentence.data(), sentence.size());
    sentence.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    close(pipes[rank]);
    int status = 0;
    waitpid(children[rank], &status, 0);
    if (WIFSIGNALED(status)) sentence = "signal " + std::to_string(WTERMSIG(status));
    sentences.push_back(sentence);
  }
  return sentences;
}

}  // namespace railgauge::test
