// Programs drawn at random: what the translator makes of them against a plain evaluation.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/softgpu/drawn_program.hpp"
#include "tests/softgpu/rig.hpp"
#include "tests/softgpu/translate/emit.hpp"
#include "tests/softgpu/translate/token.hpp"

namespace softgpu::test {
namespace {

// A program's entry, called as one thread of one block without checks.
Words call(const Kernel& kernel, const Registers& registers) {
  Words words = words_of(registers);
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(words.data());
  sg_thread thread{};
  thread.parameters = reinterpret_cast<const unsigned char*>(&address);
  kernel.entry(&thread);
  return words;
}

std::string compile(const std::filesystem::path& folder, const std::string& ptx) {
  std::ofstream(folder / "drawn.ptx") << ptx;
  std::ofstream(folder / "drawn.c") << translate::emit(translate::parse(ptx, "drawn.ptx"), {}, "");
  const std::string library = folder / "drawn.so";
  const std::string command = fmt::format("{} {} -O1 -shared '{}' -o '{}'", RAILGAUGE_SOFTGPU_CC, RAILGAUGE_SOFTGPU_C_OPTIONS,
                                          (folder / "drawn.c").string(), library);
  REQUIRE(std::system(command.c_str()) == 0);
  return library;
}

// Programs of one library, in a process of their own, which says on stdout what differs. Its exit code: 0 nothing did.
int compare(std::mt19937_64& random, const std::vector<DrawnProgram>& programs, const std::string& library) {
  constexpr int inputs_of_each = 24;
  if (dlopen(library.c_str(), RTLD_NOW) == nullptr) {
    std::printf("%s\n", dlerror());
    return 2;
  }
  const auto kernels = all_kernels();
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const Kernel& kernel = *kernels[kernels.size() - programs.size() + i];
    for (int input = 0; input < inputs_of_each; ++input) {
      const Registers registers = DrawnProgram::inputs(random);
      const std::string text = difference(call(kernel, registers), programs[i].run(registers), words_of(registers));
      if (text.empty()) continue;
      std::printf("%s%s", programs[i].ptx().c_str(), text.c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("programs drawn at random give what the PTX ISA says") {
  const std::uint64_t programs = rounds("SOFTGPU_PROGRAMS", 150), seed = rounds("SOFTGPU_SEED", 1),
                      batch = std::min<std::uint64_t>(programs, 150);
  std::mt19937_64 random(seed);
  std::string folder = std::filesystem::temp_directory_path() / "softgpu.XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  for (std::uint64_t done = 0; done < programs; done += batch) {
    INFO("seed " << seed << ", program " << done << " and later");
    std::vector<DrawnProgram> drawn;
    std::string ptx = ".version 7.8\n.target sm_90\n.address_size 64\n\n";
    for (std::uint64_t i = 0; i < batch; ++i) {
      drawn.emplace_back(random, fmt::format("drawn_{}", i), 12 + random() % 24);
      ptx += drawn.back().ptx();
    }
    const std::string library = compile(folder, ptx);
    std::fflush(nullptr);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      const int code = compare(random, drawn, library);
      std::fflush(nullptr);
      _exit(code);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0);
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("what the translator does not know, it names with its line") {
  const auto translated = [](const std::string& body) {
    try {
      (void)translate::emit(
          translate::parse(".version 7.8\n.visible .entry f()\n{\n.reg .b32 %r<3>;\n.reg .pred %p<3>;\n" + body + "\nret;\n}\n",
                           "a.ptx"),
          {}, "");
    } catch (const translate::Unknown& unknown) { return std::string(unknown.what()); }
    return std::string();
  };
  CHECK(translated("add.s32 %r1, %r2, 1;").empty());
  CHECK(translated("popc.b32 %r1, %r2;") == "a.ptx:6: unknown instruction popc.b32");
  CHECK(translated("\nadd.sat.s32 %r1, %r2, 1;") == "a.ptx:7: unknown instruction add.sat.s32");
  CHECK(translated("ld.global.L2::128B.u32 %r1, [%r2];") == "a.ptx:6: unknown modifier .L2::128B of ld.global.L2::128B.u32");
  CHECK(translated("add.s32 %r1, %r9, 1;") == "a.ptx:6: unknown name %r9");
  CHECK(translated("add.s32 %r1, %r2;") == "a.ptx:6: 2 operands of add.s32, which has 3");
  CHECK(translated("bra absent;") == "a.ptx:6: unknown label absent");
  CHECK(translated("bar.warp.sync -1;").empty());
  CHECK(translated("bar.warp.sync 1;") == "a.ptx:6: unknown mask of bar.warp.sync");
  CHECK(translated("bar.red.or.pred %p1, 0, %p2;").empty());
  CHECK(translated("bar.red.or.pred %p1, 0;") == "a.ptx:6: unknown operands of bar.red.or.pred");
  CHECK(translated("bar.arrive 0, 32;") == "a.ptx:6: unknown modifier bar.arrive of bar.arrive");
  CHECK(translated(".tex .u32 x;") == "a.ptx:6: unknown directive .tex");
}

}  // namespace softgpu::test
