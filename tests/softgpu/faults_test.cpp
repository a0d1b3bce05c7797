// Faults that are put into kernels are found and named, whatever the order of the threads; the same kernels without them are not.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "tests/softgpu/rig.hpp"

namespace softgpu::test {
namespace {

constexpr std::uint64_t seeds = 20;

// Where a mark stands in faults.cu, as findings name it.
std::string line_of(const std::string& mark) {
  std::ifstream file(RAILGAUGE_SOFTGPU_FAULTS);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number)
    if (line.find("// @" + mark) != std::string::npos) return "tests/softgpu/faults.cu:" + std::to_string(number);
  FAIL("no mark " << mark);
  return {};
}

Launch of(const char* name, const Arguments& arguments, std::uint32_t blocks, std::uint32_t threads) {
  Launch launch;
  launch.kernel = &kernel(name);
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  launch.parameters = arguments.bytes();
  return launch;
}

const Finding* find(const Rig& rig, Finding::Kind kind) {
  for (const Finding& finding : rig.findings.all())
    if (finding.kind == kind) return &finding;
  return nullptr;
}

// That the first finding of this kind is at the line.
void require_finding(const Rig& rig, Finding::Kind kind, const std::string& line) {
  INFO(rig.said());
  const Finding* const found = find(rig, kind);
  REQUIRE(found != nullptr);
  CHECK(found->access.text.substr(0, line.size()) == line);
}
void require_nothing(const Rig& rig) {
  INFO(rig.said());
  REQUIRE(rig.findings.all().empty());
}

// The two kernels of a hand-over on devices of their own, in an order drawn at random.
void hand_over(Rig& rig, int fault) {
  Device other(rig.world, rig.memory, 1, few_multiprocessors(1));
  Actor second(rig.world);
  constexpr std::uint32_t threads = 64;
  Buffer data(rig, threads * 4, 0, "the data"), flag(rig, 8, 0, "the flag"), to(rig, threads * 4);
  const std::uint64_t zero = 0;
  flag.fill(std::as_bytes(std::span(&zero, 1)));
  const std::vector<std::byte> zeros(threads * 4);
  data.fill(zeros);
  rig.stream.acquire(rig.host.release());
  second.acquire(rig.host.release());
  const Arguments giving(data.data(), flag.data(), fault), taking(data.data(), flag.data(), to.data());
  Grid give(rig.device, rig.stream, of("give", giving, 1, threads), rig.random);
  Grid take(other, second, of("take", taking, 1, threads), rig.random);
  std::uint64_t turns = 1'000'000;  // a few thousand do
  while (give.state() == State::running || take.state() == State::running) {
    (void)(rig.random() % 2 == 0 ? give : take).advance();
    if (--turns != 0) continue;
    give.give_up();
    take.give_up();
  }
}

}  // namespace

TEST_CASE("a dropped barrier of a block is a race in shared memory") {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    for (const int fault : {0, 1}) {
      Rig rig(seed);
      Buffer to(rig, 3 * 256 * 4);
      const Arguments arguments(to.data(), fault);
      rig.run(of("neighbours", arguments, 3, 256));
      if (fault == 0)
        require_nothing(rig);
      else
        require_finding(rig, Finding::Kind::race, "tests/softgpu/faults.cu:");
      if (fault != 0) CHECK(rig.said().find(line_of("dropped barrier")) != std::string::npos);
    }
  }
}

TEST_CASE("a flag hands data over only with release, in the scope of both, behind the data") {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    for (const int fault : {0, 1, 2, 3}) {
      INFO("seed " << seed << ", fault " << fault);
      Rig rig(seed);
      hand_over(rig, fault);
      if (fault == 0) {
        require_nothing(rig);
        continue;
      }
      INFO(rig.said());
      const Finding* found = nullptr;
      for (const Finding& finding : rig.findings.all())
        if (finding.kind == Finding::Kind::race && finding.allocation == "the data") found = &finding;
      REQUIRE(found != nullptr);
      const std::string said = sentence(*found);
      CHECK(said.find(line_of("data")) != std::string::npos);
      CHECK(said.find(line_of("taken")) != std::string::npos);
      // Operations on the flag in scopes that exclude each other are a race of their own.
      if (fault == 2)
        CHECK(rig.said().find("of the flag, which thread 0 of block 0 of give at " + line_of("one device")) != std::string::npos);
    }
  }
}

TEST_CASE("a flag of one device hands nothing over to a kernel of another process") {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    for (const int fault : {0, 2}) {
      Rig rig(seed);
      constexpr std::uint32_t threads = 64;
      const Segment shared(1 << 16), shadow(1 << 20);
      const auto add = [&](std::size_t at, std::size_t bytes, const char* label, std::size_t shadow_at) {
        Allocation allocation;
        allocation.base = reinterpret_cast<std::uintptr_t>(shared.data()) + at;
        allocation.bytes = bytes;
        allocation.label = label;
        allocation.shadow = shadow.data() + shadow_at;
        allocation.shared = true;
        rig.memory.add(allocation);
        rig.write(shared.data() + at, bytes);
        return shared.data() + at;
      };
      std::byte* const data = add(0, threads * 4, "the data", 0);
      std::byte* const flag = add(4096, 8, "the flag", 1 << 18);
      std::byte* const to = add(8192, threads * 4, "the result", 1 << 19);
      Actor second(rig.world);
      rig.stream.acquire(rig.host.release());
      second.acquire(rig.host.release());
      const pid_t child = fork();
      REQUIRE(child >= 0);
      const auto run = [&](Device& device, Actor& stream, const Launch& launch) {
        Grid grid(device, stream, launch, rig.random);
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);  // the other process may have failed
        while (grid.advance() == State::running)
          if (grid.stuck() && std::chrono::steady_clock::now() > deadline) grid.give_up();
      };
      if (child == 0) {
        Device other(rig.world, rig.memory, 1, few_multiprocessors(1));
        const Arguments taking(data, flag, to);
        run(other, second, of("take", taking, 1, threads));
        _exit(rig.findings.all().empty() ? 0 : rig.said().find(line_of("data")) != std::string::npos ? 1 : 2);
      }
      const Arguments giving(data, flag, fault);
      run(rig.device, rig.stream, of("give", giving, 1, threads));
      int status = 0;
      REQUIRE(waitpid(child, &status, 0) == child);
      REQUIRE(WIFEXITED(status));
      if (fault == 0) require_nothing(rig);  // else it may see that the other one has looked at the flag in another scope
      CHECK(WEXITSTATUS(status) == (fault == 0 ? 0 : 1));
    }
  }
}

TEST_CASE("an access beyond the end, to freed memory, or misaligned ends the grid and is named") {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const std::uint32_t count = static_cast<std::uint32_t>(1 + seed * 37);
    for (const int fault : {0, 1}) {
      Rig rig(seed);
      Buffer data(rig, count * 4, 0, "the numbers");
      const std::vector<std::byte> zeros(count * 4);
      data.fill(zeros);
      const Arguments arguments(data.data(), count, fault);
      rig.run(of("double_all", arguments, count / 128 + 1, 128));
      if (fault == 0) {
        require_nothing(rig);
        rig.memory.free(reinterpret_cast<std::uintptr_t>(data.data()));
        rig.run(of("double_all", arguments, count / 128 + 1, 128));
        require_finding(rig, Finding::Kind::freed, line_of("tail"));
      } else {
        require_finding(rig, Finding::Kind::bounds, line_of("tail"));
        CHECK(rig.findings.all()[0].offset == count * 4);
        CHECK(rig.findings.all()[0].allocation == "the numbers");
      }
    }
    for (const std::uint32_t offset : {0U, 4U, 8U}) {
      Rig rig(seed);
      Buffer from(rig, 4096, offset, "the words"), to(rig, 4096);
      const std::vector<std::byte> zeros(4096);
      from.fill(zeros);
      const Arguments arguments(from.data(), to.data(), 256U);
      rig.run(of("copy_words", arguments, 2, 128));
      if (offset == 0)
        require_nothing(rig);
      else
        require_finding(rig, Finding::Kind::misaligned, line_of("misaligned"));
    }
  }
}

TEST_CASE("memory that nobody wrote is uninitialised") {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Rig rig(seed);
    Buffer from(rig, 4096, 0, "the words"), to(rig, 4096);
    const std::vector<std::byte> zeros(4096);
    const std::size_t hole = seed * 13 % 4095;
    from.fill(std::span(zeros).first(hole));
    rig.write(from.data() + hole + 1, 4095 - hole);
    const Arguments arguments(from.data(), to.data(), 256U);
    rig.run(of("copy_words", arguments, 2, 128));
    require_finding(rig, Finding::Kind::uninitialised, line_of("misaligned"));
    CHECK(rig.findings.all()[0].offset == hole / 16 * 16);
  }
}

TEST_CASE("a grid that is larger than what is resident, and barriers that do not meet, are deadlocks") {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Rig rig(seed);  // two multiprocessors of 2,048 threads
    Buffer arrived(rig, 8);
    const std::uint64_t zero = 0;
    arrived.fill(std::as_bytes(std::span(&zero, 1)));
    const Arguments arguments(arrived.data());
    rig.run(of("meet", arguments, 4, 1024));
    require_nothing(rig);
    arrived.fill(std::as_bytes(std::span(&zero, 1)));
    rig.run(of("meet", arguments, 5, 1024));
    const Finding* const found = find(rig, Finding::Kind::deadlock);
    REQUIRE(found != nullptr);
    INFO(rig.said());
    CHECK(found->waiting.find("4 are resident, 1 never were") != std::string::npos);
    CHECK(found->waiting.find(line_of("meeting")) != std::string::npos);
    for (const int fault : {0, 1}) {
      Rig apart(seed);
      Buffer to(apart, 256);
      const Arguments given(to.data(), fault);
      apart.run(of("part_ways", given, 1, 64));
      if (fault == 0) {
        require_nothing(apart);
        continue;
      }
      const Finding* const waits = find(apart, Finding::Kind::deadlock);
      REQUIRE(waits != nullptr);
      CHECK(waits->waiting.find(line_of("apart")) != std::string::npos);
    }
  }
}

}  // namespace softgpu::test
