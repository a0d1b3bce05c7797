// The kinds of ranks: threads of this process, and forked processes that meet over the control tree, on one host or several.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "base/error.hpp"
#include "bench/launch/control_tree.hpp"
#include "bench/launch/thread_group.hpp"
#include "tests/transports/conformance.hpp"

namespace railgauge::test {
namespace {

// What a thread throws to die: no kind of Error, so that no handler takes it for one.
struct Died {};

Ending ending_of(const std::exception_ptr& thrown) {
  if (!thrown) return {};
  try {
    std::rethrow_exception(thrown);
  } catch (const Died&) { return {Ending::Kind::died, "died"}; } catch (const Error& error) {
    return {error.fault() == Fault::lost ? Ending::Kind::lost : Ending::Kind::other_error, error.what()};
  } catch (const std::exception& error) { return {Ending::Kind::other_error, error.what()}; }
}

std::vector<Ending> run_threads(const Case& what, const Setup& setup) {
  const auto body = [&](Group& group) {
    const std::unique_ptr<Transport> transport = setup.transport();
    Rank rank(group, *transport, setup, [] { throw Died{}; });
    what.body(rank);
  };
  std::vector<Ending> endings;
  for (const std::exception_ptr& thrown : run_as_threads(what.ranks, deadline, body)) endings.push_back(ending_of(thrown));
  return endings;
}

// The whole life of a rank that is a process, in the child of a fork.
Ending live(const Case& what, const Setup& setup, int number, const std::string& node, const std::string& address,
            RootListener* own) {
  try {
    const Introduction me{.rank = number, .size = what.ranks, .node = node, .arguments = std::string(what.name)};
    const std::unique_ptr<ControlTree> group = join(me, address, Deadlines{.rendezvous = deadline, .call = deadline}, own);
    try {
      const std::unique_ptr<Transport> transport = setup.transport();
      Rank rank(*group, *transport, setup, [] {
        raise(SIGKILL);
        std::abort();
      });
      what.body(rank);
      return {};
    } catch (const std::exception& error) {
      group->announce(error.what());
      return ending_of(std::current_exception());
    }
  } catch (const std::exception&) { return ending_of(std::current_exception()); }
}

// A forked rank and the pipe through which it says how it ended: the kind as one byte, then the sentence.
struct Child {
  pid_t process = -1;
  int pipe = -1;
};

Child start(const std::function<Ending()>& life) {
  int ends[2];
  if (pipe(ends) != 0) throw Error(Fault::usage, fmt::format("pipe: {}", std::strerror(errno)));
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw Error(Fault::usage, fmt::format("fork: {}", std::strerror(errno)));
  if (child > 0) {
    close(ends[1]);
    return {child, ends[0]};
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::_Exit(1);
  alarm(longest_case());  // not inherited
  close(ends[0]);
  const Ending ending = life();
  const std::string text = static_cast<char>(ending.kind) + ending.sentence.substr(0, 4000);
  const bool told = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
  std::fflush(nullptr);
  std::_Exit(told ? 0 : 1);
}

Ending finish(const Child& child) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(child.pipe, buffer, sizeof(buffer))) > 0;) text.append(buffer, static_cast<std::size_t>(got));
  close(child.pipe);
  int status = 0;
  waitpid(child.process, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return {Ending::Kind::died, "killed"};
  if (WIFSIGNALED(status))
    return {Ending::Kind::other_error, fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))};
  if (text.empty() || WEXITSTATUS(status) != 0)
    return {Ending::Kind::other_error, fmt::format("exit status {}", WEXITSTATUS(status))};
  return {static_cast<Ending::Kind>(text[0]), text.substr(1)};
}

std::vector<Ending> run_forked(const Case& what, const Setup& setup, const std::function<std::string(int number)>& node_of) {
  RootListener listener(Reach::machine);
  const std::string address = listener.address();
  std::vector<Child> children;
  for (int number = 0; number < what.ranks; ++number)
    children.push_back(start([&] {
      for (const Child& elder : children) close(elder.pipe);
      if (number != 0) listener.close();
      return live(what, setup, number, node_of(number), address, number == 0 ? &listener : nullptr);
    }));
  listener.close();
  std::vector<Ending> endings;
  for (const Child& child : children) endings.push_back(finish(child));
  return endings;
}

std::vector<Ending> run_processes(const Case& what, const Setup& setup) {
  return run_forked(what, setup, [](int) { return "localhost"; });
}

// Neighbours share a host, as far as they are told.
std::vector<Ending> run_on_hosts(const Case& what, const Setup& setup) {
  return run_forked(what, setup, [](int number) { return fmt::format("host{}", number / 2); });
}

constexpr Harness table[] = {
    {"threads", [](const Abilities& abilities) { return abilities.threads; }, run_threads},
    {"processes", [](const Abilities& abilities) { return abilities.processes; }, run_processes},
    {"hosts", [](const Abilities& abilities) { return abilities.hosts; }, run_on_hosts},
};

}  // namespace

unsigned longest_case() {
  const char* const given = std::getenv("RAILGAUGE_CASE_SECONDS");
  const unsigned long seconds = given == nullptr ? 0 : std::strtoul(given, nullptr, 10);
  return seconds == 0 ? 100 : static_cast<unsigned>(std::min(seconds, 3600UL));
}

std::span<const Harness> harnesses() { return table; }

std::string ask_aside(const std::function<std::string()>& ask) {
  return finish(start([&] { return Ending{Ending::Kind::other_error, ask()}; })).sentence;
}

}  // namespace railgauge::test
