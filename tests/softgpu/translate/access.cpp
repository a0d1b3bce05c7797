#include "tests/softgpu/translate/access.hpp"

#include <string_view>

namespace softgpu::translate {
namespace {

struct Meaning {
  std::string_view modifier;
  std::uint8_t value;
};

template <std::size_t count>
bool look_up(const Meaning (&table)[count], std::string_view modifier, std::uint8_t& value) {
  for (const Meaning& meaning : table) {
    if (meaning.modifier != modifier) continue;
    value = meaning.value;
    return true;
  }
  return false;
}

constexpr Meaning orders[] = {
    {"weak", SG_WEAK}, {"relaxed", SG_RELAXED}, {"acquire", SG_ACQUIRE}, {"release", SG_RELEASE}, {"acq_rel", SG_ACQ_REL},
};
constexpr Meaning scopes[] = {{"cta", SG_BLOCK}, {"gpu", SG_DEVICE}, {"sys", SG_SYSTEM}};
constexpr Meaning spaces[] = {{"global", global_space}, {"shared", shared_space}, {"param", parameter_space}};
constexpr Meaning operations[] = {{"add", SG_ADD}, {"min", SG_MIN}, {"max", SG_MAX}, {"exch", SG_EXCH},
                                  {"and", SG_AND}, {"or", SG_OR},   {"xor", SG_XOR}, {"cas", SG_CAS}};
constexpr Meaning vectors[] = {{"v2", 2}, {"v4", 4}};
constexpr Meaning types[] = {{"b8", 1},  {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2}, {"s16", 2}, {"b32", 4},
                             {"u32", 4}, {"s32", 4}, {"f32", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8}};
// Where caches keep it: the machine has none.
constexpr Meaning caches[] = {{"ca", 0}, {"cg", 0}, {"cs", 0}, {"lu", 0}, {"cv", 0}, {"wb", 0}, {"wt", 0}, {"nc", 0}};

bool understand(MemoryAccess& access, const std::string& modifier, bool is_atomic) {
  std::uint8_t value = 0;
  if (look_up(types, modifier, value)) {
    access.type = modifier;
    access.bytes = value;
  } else if (look_up(spaces, modifier, value)) {
    access.space = value;
  } else if (look_up(scopes, modifier, value)) {
    access.scope = value;
  } else if (look_up(orders, modifier, value)) {
    access.order = value;
  } else if (is_atomic) {
    return look_up(operations, modifier, access.operation);
  } else if (modifier == "volatile") {  // as relaxed for the system
    access.order = SG_RELAXED;
    access.scope = SG_SYSTEM;
  } else if (look_up(vectors, modifier, value)) {
    access.elements = value;
  } else {
    return look_up(caches, modifier, value);
  }
  return true;
}

}  // namespace

std::optional<MemoryAccess> access_of(const Instruction& instruction, std::string& unknown) {
  const std::string& name = instruction.name;
  const bool is_atomic = name == "atom" || name == "red";
  if (!is_atomic && name != "ld" && name != "st" && name != "bar") return std::nullopt;
  MemoryAccess access;
  if (name == "bar") {
    access.kind = SG_BARRIER;
    access.has_result = instruction.modifiers == std::vector<std::string>{"red", "or", "pred"};
    access.of_warp = instruction.modifiers == std::vector<std::string>{"warp", "sync"};
    if (!access.has_result && !access.of_warp && instruction.modifiers != std::vector<std::string>{"sync"})
      unknown = instruction.form();
    return access;
  }
  if (is_atomic) {
    access.kind = SG_ATOM;
    access.order = SG_RELAXED;
    access.scope = SG_DEVICE;
    access.has_result = name == "atom";
  } else if (name == "st") {
    access.kind = SG_STORE;
  }
  for (const std::string& modifier : instruction.modifiers)
    if (!understand(access, modifier, is_atomic)) unknown = "." + modifier;
  const bool synchronises = access.order != SG_WEAK;
  if (access.bytes == 0) unknown = "(no type)";
  if (is_atomic && access.order == SG_WEAK) unknown = ".weak";
  if (is_atomic && (access.bytes < 4 || access.type[0] == 'f')) unknown = "." + access.type;
  if (synchronises && (access.elements != 1 || access.space == parameter_space)) unknown = instruction.form();
  if (access.kind == SG_STORE && access.space == parameter_space) unknown = ".param";
  return access;
}

}  // namespace softgpu::translate
