#include "tests/softgpu/machine/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/softgpu/machine/world.hpp"

namespace softgpu {
namespace {

// Filled before main by the translated objects, one after another, and never changed later.
struct Registry {
  std::vector<const Kernel*> kernels;
  std::vector<std::uint32_t> first_site;  // of each
};
Registry& registry() {
  static Registry made;
  return made;
}

// Without the hash behind _GLOBAL__N__.
std::string without_hash(std::string_view name) {
  constexpr std::string_view mark = "_GLOBAL__N__";
  const std::size_t at = name.find(mark);
  if (at == std::string_view::npos) return std::string(name);
  const std::size_t begin = at + mark.size(), end = name.find('_', begin);
  // The number before the mark is how long the name is, hash and all.
  return std::string(name.substr(0, begin)) + std::string(name.substr(std::min(end, name.size())));
}

}  // namespace

const Kernel* find_kernel(std::string_view mangled_name) {
  const std::string wanted = without_hash(mangled_name);
  for (const Kernel* kernel : registry().kernels)
    if (without_hash(kernel->name) == wanted) return kernel;
  return nullptr;
}

std::span<const Kernel* const> all_kernels() { return registry().kernels; }

// The first numbers are those of the runtime's operations (memory.hpp).
constexpr std::uint32_t first_number = 16;

std::uint32_t first_site_of(const Kernel& kernel) {
  const auto& kernels = registry().kernels;
  const auto index = static_cast<std::size_t>(std::find(kernels.begin(), kernels.end(), &kernel) - kernels.begin());
  const std::uint32_t first = registry().first_site.at(index);
  if (first + kernel.site_count > most_sites)
    throw std::length_error(
        fmt::format("softgpu: a program can have {} places that access memory, and this one has more", most_sites));
  return first;
}

Place place_of(std::uint32_t number) {
  const auto& first = registry().first_site;
  const auto after = std::upper_bound(first.begin(), first.end(), number);
  if (after == first.begin()) return {nullptr, nullptr};
  const auto index = static_cast<std::size_t>(after - first.begin()) - 1;
  const Kernel* kernel = registry().kernels[index];
  const std::uint32_t site = number - first[index];
  return {kernel, site < kernel->site_count ? &kernel->sites[site] : nullptr};
}

}  // namespace softgpu

void sg_register(const sg_kernel* kernels, std::uint32_t count) {
  auto& all = softgpu::registry();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t first =
        all.kernels.empty() ? softgpu::first_number : all.first_site.back() + all.kernels.back()->site_count;
    all.kernels.push_back(&kernels[i]);
    all.first_site.push_back(first);
  }
}
