#include "tests/softgpu/machine/finding.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace softgpu {
namespace {

constexpr std::uint32_t several = 1024;  // `many` of world.hpp

std::string kernel_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? std::string(name.get()) : mangled;
}

std::string who(const Finding::Source& source) {
  if (source.kernel.empty()) return source.text;
  const std::string thread = source.thread == several ? "several threads" : fmt::format("thread {}", source.thread);
  return fmt::format("{} of block {} of {} at {}", thread, source.block, kernel_name(source.kernel), source.text);
}

}  // namespace

std::string_view name_of(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::race:
      return "race";
    case Finding::Kind::bounds:
      return "out of bounds";
    case Finding::Kind::freed:
      return "freed memory";
    case Finding::Kind::unknown_address:
      return "unknown address";
    case Finding::Kind::misaligned:
      return "misaligned";
    case Finding::Kind::uninitialised:
      return "uninitialised";
    case Finding::Kind::read_only:
      return "read only";
    case Finding::Kind::deadlock:
      break;
  }
  return "deadlock";
}

std::string sentence(const Finding& finding) {
  if (finding.kind == Finding::Kind::deadlock) return fmt::format("deadlock: {}", finding.waiting);
  std::string text = fmt::format("{}: {} {} {} bytes at {:#x}", name_of(finding.kind), who(finding.access),
                                 finding.access.writes ? "writes" : "reads", finding.bytes, finding.address);
  if (!finding.allocation.empty())
    text += fmt::format(", byte {} of the {} of {}", finding.offset, finding.allocation_bytes, finding.allocation);
  if (finding.kind == Finding::Kind::race)
    text += fmt::format(", which {} {} with no order between them", who(finding.other), finding.other.writes ? "wrote" : "read");
  if (finding.times > 1) text += fmt::format(" ({} times)", finding.times);
  return text;
}

void Findings::add(Finding finding) {
  const auto same = [](const Finding::Source& a, const Finding::Source& b) { return a.kernel == b.kernel && a.text == b.text; };
  for (Finding& known : all_) {
    if (known.kind != finding.kind || !same(known.access, finding.access) || !same(known.other, finding.other)) continue;
    ++known.times;
    return;
  }
  all_.push_back(std::move(finding));
}

}  // namespace softgpu
