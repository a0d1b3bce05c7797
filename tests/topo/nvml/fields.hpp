// The words and field values of a described GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "tests/topo/nvml/description.hpp"
#include "topo/evidence/nvml_abi.hpp"

namespace railgauge::fake_nvml {

// The words of a line, joined by blanks.
inline std::string joined(const Gpu& gpu, const char* name) {
  std::string text;
  const auto words = gpu.words.find(name);
  if (words == gpu.words.end()) return text;
  for (const std::string& word : words->second) text += (text.empty() ? "" : " ") + word;
  return text;
}

template <std::size_t size>
void from_digits(std::array<unsigned char, size>& into, const std::string& digits) {
  for (std::size_t i = 0; i < size; ++i) into[i] = static_cast<unsigned char>(std::stoul(digits.substr(2 * i, 2), nullptr, 16));
}

// False where the GPU has no such field.
inline bool field_of(const Gpu& gpu, const topo::nvml::FieldValue& wanted, std::uint64_t& value) {
  namespace field = topo::nvml::field;
  const auto link = gpu.links.find(wanted.scope);
  const auto pick = [&](const std::map<unsigned, std::uint64_t>& fields) {
    const auto at = fields.find(wanted.field);
    if (at == fields.end()) return false;
    value = at->second;
    return true;
  };
  if (link != gpu.links.end() && pick(link->second.fields)) return true;
  if (pick(gpu.fields)) return true;
  const auto c2c = gpu.words.find("c2c");
  const bool newer = gpu.words.contains("capability") && gpu.words.at("capability").at(0) >= "9";
  switch (wanted.field) {
    case field::link_count:
      value = gpu.links.size();
      return !gpu.links.empty();
    case field::state:
      value = link != gpu.links.end() && link->second.active ? 1 : 0;
      return newer && link != gpu.links.end();
    case field::c2c_count:
      if (c2c != gpu.words.end()) value = std::stoull(c2c->second.at(0));
      return c2c != gpu.words.end();
    case field::c2c_status:
      value = 1;
      return c2c != gpu.words.end();
    case field::c2c_bandwidth:
      if (c2c != gpu.words.end()) value = std::stoull(c2c->second.at(1));
      return c2c != gpu.words.end();
    default:
      return false;
  }
}

}  // namespace railgauge::fake_nvml
