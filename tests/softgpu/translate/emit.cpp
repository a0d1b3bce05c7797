#include "tests/softgpu/translate/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>

#include "tests/softgpu/translate/access.hpp"
#include "tests/softgpu/translate/forms.hpp"
#include "tests/softgpu/translate/token.hpp"

namespace softgpu::translate {
namespace {

// A name as C takes it.
std::string identifier(std::string_view name) {
  std::string text = "v_";
  for (const char c : name) text += c == '%' || c == '$' ? '_' : c;
  return text;
}

constexpr std::pair<std::string_view, std::string_view> special_registers[] = {
    {"%tid.x", "t->tid[0]"},
    {"%tid.y", "t->tid[1]"},
    {"%tid.z", "t->tid[2]"},
    {"%ntid.x", "t->ntid[0]"},
    {"%ntid.y", "t->ntid[1]"},
    {"%ntid.z", "t->ntid[2]"},
    {"%ctaid.x", "t->ctaid[0]"},
    {"%ctaid.y", "t->ctaid[1]"},
    {"%ctaid.z", "t->ctaid[2]"},
    {"%nctaid.x", "t->nctaid[0]"},
    {"%nctaid.y", "t->nctaid[1]"},
    {"%nctaid.z", "t->nctaid[2]"},
    {"%globaltimer", "sg_globaltimer()"},
};

class Emitter {
 public:
  Emitter(const Program& program, const Entry& entry, unsigned index, std::string_view prefix, std::string& text)
      : program_(program), entry_(entry), index_(index), prefix_(prefix), text_(text) {}

  void emit() {
    write("static void entry_{}(struct sg_thread* t) {{\n", index_);
    for (const auto& [name, bits] : entry_.registers) write("  uint{}_t {} = 0;\n", std::max(bits, 8U), identifier(name));
    for (const Instruction& instruction : entry_.code) {
      if (instruction.label.empty()) continue;
      if (!labels_.emplace(instruction.label).second) fail(instruction, "label " + instruction.label + " stands twice");
    }
    for (const Instruction& instruction : entry_.code) statement(instruction);
    write("}}\n");
    tables();
  }

 private:
  template <class... Arguments>
  void write(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }
  [[noreturn]] void fail(const Instruction& at, const std::string& what) const {
    throw Unknown(fmt::format("{}:{}: {}", program_.path, at.line, what));
  }

  [[nodiscard]] std::string number(const Instruction& at, const Operand& operand) const {
    const bool wide = operand.kind == Operand::Kind::float64;
    const std::string& type = at.modifiers.back();
    if (operand.kind != Operand::Kind::integer && type != (wide ? "f64" : "f32") && type != (wide ? "b64" : "b32"))
      fail(at, "a constant of another width in " + at.form());
    return fmt::format("0x{:x}ULL", operand.bits);
  }

  // An operand that is read. Addresses of variables are offsets in their space but for parameters.
  [[nodiscard]] std::string value(const Instruction& at, const Operand& operand) const {
    if (operand.kind == Operand::Kind::address || operand.kind == Operand::Kind::vector)
      fail(at, "unknown operand of " + at.form());
    if (operand.kind != Operand::Kind::variable) return number(at, operand);
    return (operand.negated ? "!" : "") + variable(at, operand.name);
  }
  [[nodiscard]] std::string variable(const Instruction& at, const std::string& name) const {
    if (entry_.registers.count(name) != 0) return identifier(name);
    if (const auto found = entry_.shared.find(name); found != entry_.shared.end())
      return fmt::format("{}u", found->second.offset);
    if (const auto found = entry_.parameters.find(name); found != entry_.parameters.end())
      return fmt::format("((uint64_t)t->parameters + {}u)", found->second.offset);
    for (const auto& [special, code] : special_registers)
      if (special == name) return std::string(code);
    fail(at, "unknown name " + name);
  }
  [[nodiscard]] std::string target(const Instruction& at, const Operand& operand) const {
    if (operand.kind != Operand::Kind::variable || (operand.name != "_" && entry_.registers.count(operand.name) == 0))
      fail(at, "no register as result of " + at.form());
    return operand.name == "_" ? "" : identifier(operand.name) + " = ";
  }

  void statement(const Instruction& at) {
    if (!at.label.empty()) {
      write("{}:;\n", identifier(at.label));
      seen_.insert(at.label);
      return;
    }
    write("  ");
    if (!at.predicate.empty()) write("if ({}{}) ", at.unless ? "!" : "", identifier(at.predicate));
    std::string unknown;
    if (const auto access = access_of(at, unknown)) {
      if (!unknown.empty()) fail(at, fmt::format("unknown modifier {} of {}", unknown, at.form()));
      memory(at, *access);
    } else if (at.name == "bra") {
      branch(at);
    } else if (at.name == "ret" || at.name == "exit") {
      write("return;\n");
    } else if (at.name == "cvta") {
      generic_address(at);
    } else if (at.name == "mov" && at.operands.size() == 2 && at.operands[1].kind == Operand::Kind::vector) {
      pack(at);
    } else if (at.name == "mov" && at.operands.size() == 2 && at.operands[0].kind == Operand::Kind::vector) {
      unpack(at);
    } else {
      calculate(at);
    }
  }

  void calculate(const Instruction& at) {
    const Form* form = find_form(at.form());
    if (form == nullptr) fail(at, "unknown instruction " + at.form());
    need_operands(at, form->operands);
    std::string name = at.form();
    std::replace(name.begin(), name.end(), '.', '_');
    write("{}sg_{}(", target(at, at.operands[0]), name);
    for (std::size_t i = 1; i < at.operands.size(); ++i) write("{}{}", i == 1 ? "" : ", ", value(at, at.operands[i]));
    write(");\n");
  }
  void need_operands(const Instruction& at, std::size_t count) const {
    if (at.operands.size() != count)
      fail(at, fmt::format("{} operands of {}, which has {}", at.operands.size(), at.form(), count));
  }

  void branch(const Instruction& at) {
    if (!at.modifiers.empty() && at.modifiers != std::vector<std::string>{"uni"}) fail(at, "unknown instruction " + at.form());
    need_operands(at, 1);
    const std::string& label = at.operands[0].name;
    if (labels_.count(label) == 0) fail(at, "unknown label " + label);
    if (seen_.count(label) != 0)
      write("{{ if (--t->fuel < 0) sg_yield(t); goto {}; }}\n", identifier(label));
    else
      write("goto {};\n", identifier(label));
  }

  // Addresses of global memory and of parameters are generic already.
  void generic_address(const Instruction& at) {
    need_operands(at, 2);
    const std::string form = at.form(), from = value(at, at.operands[1]);
    std::string add;
    if (form == "cvta.shared.u64")
      add = " + (uint64_t)t->shared";
    else if (form == "cvta.to.shared.u64")
      add = " - (uint64_t)t->shared";
    else if (form != "cvta.to.global.u64" && form != "cvta.global.u64" && form != "cvta.param.u64")
      fail(at, "unknown instruction " + form);
    write("{}{}{};\n", target(at, at.operands[0]), from, add);
  }

  void pack(const Instruction& at) {
    const auto& parts = at.operands[1].elements;
    const unsigned part_bits = part_bits_of(at, parts.size());
    write("{}", target(at, at.operands[0]));
    for (std::size_t i = 0; i < parts.size(); ++i)
      write("{}(uint64_t)(uint{}_t){} << {}", i == 0 ? "" : " | ", part_bits, value(at, parts[i]), i * part_bits);
    write(";\n");
  }
  void unpack(const Instruction& at) {
    const auto& parts = at.operands[0].elements;
    const unsigned part_bits = part_bits_of(at, parts.size());
    write("{{ const uint64_t whole = {};", value(at, at.operands[1]));
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i].name != "_") write(" {}(uint{}_t)(whole >> {});", target(at, parts[i]), part_bits, i * part_bits);
    write(" }}\n");
  }
  [[nodiscard]] unsigned part_bits_of(const Instruction& at, std::size_t parts) const {
    const std::string& type = at.modifiers.back();
    const unsigned bits = type == "b32" ? 32 : type == "b64" ? 64 : 0;
    if (at.modifiers.size() != 1 || bits == 0 || (parts != 2 && parts != 4)) fail(at, "unknown form of " + at.form());
    return bits / static_cast<unsigned>(parts);
  }

  [[nodiscard]] std::string address(const Instruction& at, const Operand& operand, const MemoryAccess& access) const {
    if (operand.kind != Operand::Kind::address) fail(at, "no address in " + at.form());
    std::string text = operand.name.empty() ? "0" : variable(at, operand.name);
    if (operand.bits != 0) text += fmt::format(" + 0x{:x}ULL", operand.bits);
    if (access.space == shared_space) text = fmt::format("(uint64_t)t->shared + (uint32_t)({})", text);
    return text;
  }

  // bar.warp.sync of all its threads, bar.sync BARRIER, THREADS and bar.red.or.pred RESULT, BARRIER, THREADS, VALUE; without
  // THREADS: all.
  void barrier(const Instruction& at, const MemoryAccess& access) {
    if (access.of_warp) {
      need_operands(at, 1);
      const Operand& mask = at.operands[0];
      if (mask.kind != Operand::Kind::integer || static_cast<std::uint32_t>(mask.bits) != ~std::uint32_t{0})
        fail(at, "unknown mask of " + at.form());
      write("sg_warp_barrier(t, {});\n", site(at, access));
      return;
    }
    const std::size_t fewest = access.has_result ? 3 : 1, first = access.has_result ? 1 : 0;
    if (at.operands.size() != fewest && at.operands.size() != fewest + 1) fail(at, "unknown operands of " + at.form());
    write("{}sg_barrier(t, {}, {}, {}, {});\n", access.has_result ? target(at, at.operands[0]) : "",
          value(at, at.operands[first]), at.operands.size() == fewest ? "0" : value(at, at.operands[first + 1]),
          access.has_result ? value(at, at.operands.back()) : "0", site(at, access));
  }

  void memory(const Instruction& at, const MemoryAccess& access) {
    if (access.kind == SG_BARRIER) {
      barrier(at, access);
      return;
    }
    const std::size_t stands_at = access.kind == SG_STORE || !access.has_result ? 0 : 1;
    const bool compares = access.kind == SG_ATOM && access.operation == SG_CAS;
    need_operands(at, access.kind == SG_ATOM ? stands_at + 2 + (compares ? 1 : 0) : 2);
    write("{{ const uint64_t a = {};", address(at, at.operands[stands_at], access));
    if (access.kind == SG_ATOM)
      atomic(at, access, stands_at + 1, compares);
    else if (access.order != SG_WEAK)
      synchronising(at, access);
    else
      weak(at, access, at.operands[stands_at]);
    write(" }}\n");
  }

  void atomic(const Instruction& at, const MemoryAccess& access, std::size_t first, bool compares) {
    const std::string new_value = value(at, at.operands[compares ? first + 1 : first]);
    const std::string other = compares ? value(at, at.operands[first]) : "0";
    write(" {}sg_atom(t, {}, {}, a, {}, {}, {}, {});", access.has_result ? target(at, at.operands[0]) : "", access.operation,
          access.type[0] == 's' ? 1 : 0, new_value, other, access.bytes, site(at, access));
  }
  void synchronising(const Instruction& at, const MemoryAccess& access) {
    if (access.kind == SG_LOAD)
      write(" {}(sg_{})sg_load(t, a, {}, {});", target(at, at.operands[0]), access.type, access.bytes, site(at, access));
    else
      write(" sg_store(t, a, (sg_{}){}, {}, {});", access.type, value(at, at.operands[1]), access.bytes, site(at, access));
  }
  void weak(const Instruction& at, const MemoryAccess& access, const Operand& place) {
    const auto parameter = entry_.parameters.find(place.name);
    const bool is_known = access.space == parameter_space && parameter != entry_.parameters.end();
    const unsigned bytes = access.bytes * access.elements;
    if (is_known && (place.bits > parameter->second.bytes || parameter->second.bytes - place.bits < bytes))
      fail(at, "beyond the parameter " + place.name);
    if (!is_known) write(" if (t->checked) sg_check(t, a, {}, {});", bytes, site(at, access));
    const Operand& other = at.operands[access.kind == SG_LOAD ? 0 : 1];
    const bool is_vector = other.kind == Operand::Kind::vector;
    if ((is_vector ? other.elements.size() : 1) != access.elements) fail(at, "unknown operands of " + at.form());
    for (unsigned i = 0; i < access.elements; ++i) {
      const Operand& element = is_vector ? other.elements[i] : other;
      if (access.kind == SG_LOAD)
        write(" {}sg_ld_{}(a + {});", target(at, element), access.type, i * access.bytes);
      else
        write(" sg_st_{}(a + {}, {});", access.type, i * access.bytes, value(at, element));
    }
  }

  std::size_t site(const Instruction& at, const MemoryAccess& access) {
    sites_.emplace_back(at.location, access);
    return sites_.size() - 1;
  }

  void tables() {
    write("static const struct sg_site sites_{}[] = {{\n", index_);
    for (const auto& [location, access] : sites_) {
      const Line inner = own_line(location), outer = location.empty() || location.back() == inner ? Line() : location.back();
      write("  {{{}, {}, {}, {}, {}, {}, {}}},\n", file_index(inner.file), inner.line, file_index(outer.file), outer.line,
            access.kind, access.order, access.scope);
    }
    write("  {{0}}}};\nstatic const struct sg_parameter parameters_{}[] = {{", index_);
    for (const std::string& name : entry_.parameter_names) {
      const Variable& parameter = entry_.parameters.find(name)->second;
      write("{{{}, {}}}, ", parameter.offset, parameter.bytes);
    }
    write("{{0}}}};\n");
  }
  // The innermost line in a file of ours, not of a library.
  [[nodiscard]] Line own_line(const Location& location) const {
    for (const Line& line : location) {
      const auto file = program_.files.find(line.file);
      if (file != program_.files.end() && file->second.starts_with(prefix_)) return line;
    }
    return location.empty() ? Line() : location.front();
  }
  [[nodiscard]] std::size_t file_index(std::uint32_t file) const {
    const auto found = program_.files.find(file);
    return found == program_.files.end() ? 0 : static_cast<std::size_t>(std::distance(program_.files.begin(), found)) + 1;
  }

 public:
  void kernel(std::uint32_t registers) {
    write("  {{\"{}\", entry_{}, sites_{}, files, parameters_{}, {}, {}, {}, {}, {}, {}}},\n", entry_.name, index_, index_,
          index_, sites_.size(), entry_.parameter_names.size(), entry_.parameter_bytes, entry_.shared_bytes, registers,
          entry_.most_threads);
  }

 private:
  const Program& program_;
  const Entry& entry_;
  unsigned index_;
  std::string_view prefix_;
  std::string& text_;
  std::set<std::string, std::less<>> labels_, seen_;
  std::vector<std::pair<Location, MemoryAccess>> sites_;
};

}  // namespace

std::string emit(const Program& program, const Registers& registers, std::string_view prefix) {
  std::string text =
      "/* Made by softgpu_translate from " + program.path + ". */\n#include \"tests/softgpu/translate/semantics.h\"\n\n";
  text += "static const char* const files[] = {\"unknown\",\n";
  for (const auto& [number, path] : program.files)
    text += fmt::format("  \"{}\",\n", path.starts_with(prefix) ? path.substr(prefix.size()) : path);
  text += "};\n";
  std::vector<Emitter> emitters;
  for (const Entry& entry : program.entries) {
    emitters.emplace_back(program, entry, static_cast<unsigned>(emitters.size()), prefix, text);
    emitters.back().emit();
  }
  text += "static const struct sg_kernel kernels[] = {\n";
  for (std::size_t i = 0; i < emitters.size(); ++i) {
    const auto found = registers.find(program.entries[i].name);
    emitters[i].kernel(found == registers.end() ? 32 : found->second);
  }
  text +=
      "};\n__attribute__((constructor)) static void announce(void) { sg_register(kernels, sizeof kernels / sizeof *kernels); }\n";
  return text;
}

Registers registers_of(std::string_view output) {
  Registers registers;
  std::string name;
  const std::string_view compiling = "Compiling entry function '", used = "Used ";
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    const std::string_view line = output.substr(at, end - at);
    at = end + 1;
    if (const std::size_t found = line.find(compiling); found != std::string_view::npos) {
      const std::string_view rest = line.substr(found + compiling.size());
      name = rest.substr(0, rest.find('\''));
    } else if (const std::size_t place = line.find(used); place != std::string_view::npos && !name.empty()) {
      const std::string_view rest = line.substr(place + used.size());
      std::from_chars(rest.data(), rest.data() + rest.size(), registers[name]);
    }
  }
  return registers;
}

}  // namespace softgpu::translate
