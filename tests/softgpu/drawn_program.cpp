#include "tests/softgpu/drawn_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/softgpu/evaluate.hpp"
#include "tests/softgpu/translate/forms.hpp"

namespace softgpu::test {
namespace {

constexpr std::uint64_t special32[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
                                       0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
                                       0xffffffff, 0x7fffffff, 0x3f800000, 0x477fe000, 0x477ff000, 0x33000000,
                                       0x33000001, 0x43e80000, 0x43dfffff, 0x3b000000, 0x3f804000, 0x3f808000};
constexpr std::uint64_t special64[] = {0,
                                       0x8000000000000000,
                                       1,
                                       0x000fffffffffffff,
                                       0x0010000000000000,
                                       0x7fefffffffffffff,
                                       0x7ff0000000000000,
                                       0xfff0000000000000,
                                       0x7ff8000000000000,
                                       0x7ff0000000000001,
                                       0xffffffffffffffff,
                                       0x7fffffffffffffff,
                                       0x3ff0000000000000};
constexpr std::uint64_t special16[] = {0,      0x8000, 1,      0x7fff, 0xffff, 0x7c00, 0xfc00,
                                       0x03ff, 0x0400, 0x7e7e, 0x7f7f, 0x8080, 0x0807, 0x7c7b};

// Registers' bits of a type. "s16" -> 16, "f16x2" -> 32, "e4m3x2" -> 16, "u8" -> 16, "pred" -> 1.
unsigned bits_of(std::string_view type) {
  if (type == "pred") return 1;
  if (type == "f16x2") return 32;
  if (type[0] == 'e' || type == "bf16" || type == "f16") return 16;
  return std::max(16U, static_cast<unsigned>(std::stoul(std::string(type.substr(1)))));
}

std::uint64_t draw_bits(std::mt19937_64& random, unsigned bits) {
  const std::uint64_t kind = random() % 8;
  const std::uint64_t any = random();
  if (kind < 3)
    return bits == 64   ? special64[any % std::size(special64)]
           : bits == 32 ? special32[any % std::size(special32)]
                        : special16[any % std::size(special16)];
  if (kind == 3) return any % 80;  // by how much one shifts
  if (kind == 4) return (0 - any % 80) >> (64 - bits);
  if (bits == 32 && kind == 5) return (any & 0x807fffff) | (100 + any % 56) << 23;           // a middling single
  if (bits == 64 && kind == 5) return (any & 0x800fffffffffffff) | (1000 + any % 48) << 52;  // a middling double
  return any >> (64 - bits);
}

std::string register_name(unsigned bits, std::size_t number) {
  return fmt::format("{}{}", bits == 1 ? "%p" : bits == 16 ? "%rs" : bits == 32 ? "%r" : "%rd", number);
}

std::array<std::uint64_t, Registers::each>& of(Registers& registers, unsigned bits) {
  return bits == 1 ? registers.predicates : bits == 16 ? registers.words16 : bits == 32 ? registers.words32 : registers.words64;
}

// A form's types: that of the result, then those of the operands.
std::vector<std::string> types_of(const translate::Form& form, const std::string& type) {
  const std::string name(form.name);
  const std::string kind = name.substr(0, name.find('.'));
  if (kind == "setp") return {"pred", type, type};
  if (kind == "selp") return {type, type, type, "pred"};
  if (kind == "shl" || kind == "shr") return {type, type, "u32"};
  if (kind == "bfe") return {type, type, "u32", "u32"};
  if (name == "mul.wide") return {type[0] + std::to_string(2 * bits_of(type)), type, type};
  std::vector<std::string> types(form.operands, type);
  if (kind == "cvt") types[0] = name.substr(name.rfind('.') + 1);
  return types;
}

}  // namespace

DrawnProgram::DrawnProgram(std::mt19937_64& random, std::string name, std::size_t instructions) : name_(std::move(name)) {
  constexpr std::uint64_t vectors = 12;  // one of so many instructions
  while (code_.size() < instructions) {
    if (random() % vectors == 0)
      draw_vector(random);
    else
      draw_form(random);
    Instruction& made = code_.back();
    made.guarded = random() % 6 == 0;
    made.unless = random() % 2 == 0;
    made.guard = draw_register(random, 1);
  }
}

DrawnProgram::Register DrawnProgram::draw_register(std::mt19937_64& random, unsigned bits) const {
  return {bits, random() % Registers::each};
}

DrawnProgram::Source DrawnProgram::draw_source(std::mt19937_64& random, unsigned bits, const std::string& type,
                                               bool may_be_constant) const {
  Source source;
  source.from = draw_register(random, bits);
  if (!may_be_constant || bits == 1 || random() % 6 != 0) return source;
  source.constant = true;
  source.bits = draw_bits(random, bits);
  // ptxas adds the negated constant in place of a subtraction, and a NaN that is negated is another one.
  if (type == "f64" && std::isnan(std::bit_cast<double>(source.bits))) source.bits = 0;
  if (type[0] == 'f')
    source.text = bits == 32 ? fmt::format("0f{:08X}", source.bits) : fmt::format("0d{:016X}", source.bits);
  else
    source.text = std::to_string(static_cast<std::int64_t>(source.bits << (64 - bits)) >> (64 - bits));
  return source;
}

void DrawnProgram::draw_form(std::mt19937_64& random) {
  const translate::Form& form = translate::forms[random() % translate::form_count];
  std::vector<std::string> choices;
  for (std::size_t at = 0; at < form.types.size();) {
    const std::size_t end = std::min(form.types.find(' ', at), form.types.size());
    choices.emplace_back(form.types.substr(at, end - at));
    at = end + 1;
  }
  const std::string type = choices[random() % choices.size()];
  const std::vector<std::string> types = types_of(form, type);
  Instruction made;
  made.form = std::string(form.name) + "." + type;
  const bool converts = form.name.substr(0, 3) == "cvt", of_integers = converts && (types[0][0] == 'u' || types[0][0] == 's');
  unsigned target_bits = bits_of(types[0]);
  // The registers of a conversion between integers may be wider than its types.
  if (of_integers && random() % 3 == 0) target_bits = std::min(64U, 2 * target_bits);
  made.targets = {draw_register(random, target_bits)};
  for (std::size_t i = 1; i < types.size(); ++i) {
    unsigned bits = bits_of(types[i]);
    if (of_integers && random() % 3 == 0) bits = std::min(64U, 2 * bits);
    made.sources.push_back(draw_source(random, bits, types[i], !converts && types[i] != "pred"));
    Source& source = made.sources.back();
    // Places, lengths and shifts that are constant: ptxas takes larger ones, and places outside of the register, for others than
    // the GPU would in a register.
    const bool shifts = form.name == "bfe" || form.name == "shl" || form.name == "shr";
    if (!shifts || i == 1 || !source.constant) continue;
    source.bits &= form.name == "bfe" && i == 2 ? 31 : 127;
    source.text = std::to_string(source.bits);
  }
  code_.push_back(std::move(made));
}

void DrawnProgram::draw_vector(std::mt19937_64& random) {
  const unsigned whole = random() % 2 == 0 ? 32 : 64, part = whole / 2;
  Instruction made;
  made.form = random() % 2 == 0 ? "pack" : "unpack";
  const Register first = draw_register(random, part);
  const Register second{part, (first.number + 1) % Registers::each};
  if (made.form == "pack") {
    made.targets = {draw_register(random, whole)};
    made.sources = {{false, first, 0, {}}, {false, second, 0, {}}};
  } else {
    made.targets = {first, second};
    made.sources = {{false, draw_register(random, whole), 0, {}}};
  }
  code_.push_back(std::move(made));
}

std::string DrawnProgram::ptx() const {
  constexpr std::size_t each = Registers::each;
  std::string text = fmt::format(".visible .entry {}(\n\t.param .u64 {}_param_0\n)\n{{\n", name_, name_);
  text += fmt::format("\t.reg .pred %p<{}>;\n\t.reg .b16 %rs<{}>;\n\t.reg .b32 %r<{}>;\n\t.reg .b64 %rd<{}>;\n", each, each, each,
                      each + 1);
  text += fmt::format("\tld.param.u64 %rd{}, [{}_param_0];\n", each, name_);
  const auto address = [&](std::size_t word) { return fmt::format("[%rd{}+{}]", each, 8 * word); };
  for (std::size_t i = 0; i < each; ++i) {
    text += fmt::format("\tld.global.u16 %rs{}, {};\n\tsetp.ne.s16 %p{}, %rs{}, 0;\n", i, address(i), i, i);
    text += fmt::format("\tld.global.u16 %rs{}, {};\n\tld.u32 %r{}, {};\n\tld.global.b64 %rd{}, {};\n", i, address(each + i), i,
                        address(2 * each + i), i, address(3 * each + i));
  }
  text += code();
  for (std::size_t i = 0; i < each; ++i) {
    text += fmt::format("\tst.global.u16 {}, %rs{};\n\tst.u32 {}, %r{};\n\tst.global.b64 {}, %rd{};\n", address(each + i), i,
                        address(2 * each + i), i, address(3 * each + i), i);
    text += fmt::format("\tselp.b32 %r{}, 1, 0, %p{};\n\tst.global.v2.u32 {}, {{%r{}, %r{}}};\n", i, i, address(i), i, i);
  }
  return text + "\tret;\n}\n";
}

std::string DrawnProgram::code() const {
  std::string text;
  for (const Instruction& instruction : code_) {
    std::vector<std::string> targets, sources;
    for (const Register& target : instruction.targets) targets.push_back(register_name(target.bits, target.number));
    for (const Source& source : instruction.sources)
      sources.push_back(source.constant ? source.text : register_name(source.from.bits, source.from.number));
    text += "\t";
    if (instruction.guarded) text += fmt::format("@{}%p{} ", instruction.unless ? "!" : "", instruction.guard.number);
    if (instruction.form == "pack")
      text += fmt::format("mov.b{} {}, {{{}, {}}};\n", instruction.targets[0].bits, targets[0], sources[0], sources[1]);
    else if (instruction.form == "unpack")
      text += fmt::format("mov.b{} {{{}, {}}}, {};\n", instruction.sources[0].from.bits, targets[0], targets[1], sources[0]);
    else
      text += fmt::format("{} {}, {};\n", instruction.form, targets[0], fmt::join(sources, ", "));
  }
  return text;
}

Registers DrawnProgram::run(Registers registers, bool* open) const {
  for (const Instruction& instruction : code_) {
    const bool guard = (registers.predicates[instruction.guard.number] & 1) != 0;
    if (instruction.guarded && guard == instruction.unless) continue;
    std::vector<std::uint64_t> operands;
    for (const Source& source : instruction.sources)
      operands.push_back(source.constant ? source.bits : of(registers, source.from.bits)[source.from.number]);
    const auto put = [&](const Register& target, std::uint64_t bits) {
      of(registers, target.bits)[target.number] = target.bits == 64 ? bits : bits & ((std::uint64_t{1} << target.bits) - 1);
    };
    const unsigned part = instruction.form == "pack" ? instruction.sources[0].from.bits : instruction.targets[0].bits;
    if (instruction.form == "pack") {
      put(instruction.targets[0], operands[1] << part | operands[0]);
    } else if (instruction.form == "unpack") {
      put(instruction.targets[0], operands[0]);
      put(instruction.targets[1], operands[0] >> part);
    } else {
      if (open != nullptr && leaves_open(instruction.form, operands)) *open = true;
      put(instruction.targets[0], evaluate(instruction.form, operands));
    }
  }
  return registers;
}

Registers DrawnProgram::inputs(std::mt19937_64& random) {
  Registers registers;
  for (std::size_t i = 0; i < Registers::each; ++i) {
    registers.predicates[i] = random() % 2;
    registers.words16[i] = draw_bits(random, 16) & 0xffff;
    registers.words32[i] = draw_bits(random, 32) & 0xffffffff;
    registers.words64[i] = draw_bits(random, 64);
  }
  return registers;
}

Words words_of(const Registers& registers) {
  Words words{};
  for (std::size_t i = 0; i < Registers::each; ++i) {
    words[i] = registers.predicates[i];
    words[Registers::each + i] = registers.words16[i];
    words[2 * Registers::each + i] = registers.words32[i];
    words[3 * Registers::each + i] = registers.words64[i];
  }
  return words;
}

// As the program leaves them: words of 16 and 32 bits are written alone, predicates twice.
std::string difference(const Words& got, const Registers& expected, const Words& before) {
  const Words wanted = words_of(expected);
  std::string text;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::size_t kind = i / Registers::each;
    const std::uint64_t mask = kind == 1 ? 0xffff : kind == 2 ? 0xffffffff : ~std::uint64_t{0};
    // Registers of 32 bits are used for predicates at the end, behind their own stores.
    const std::uint64_t value = kind == 0 ? wanted[i] | wanted[i] << 32 : (wanted[i] & mask) | (before[i] & ~mask);
    if (got[i] != value) text += fmt::format("word {}: {:#x}, expected {:#x}\n", i, got[i], value);
  }
  return text;
}

}  // namespace softgpu::test
