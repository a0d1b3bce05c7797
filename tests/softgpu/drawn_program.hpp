// A straight PTX program drawn at random over all forms that the translator knows, and what it must give.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace softgpu::test {

// Registers of each width, which the program begins with, and ends with.
struct Registers {
  static constexpr std::size_t each = 6;
  std::array<std::uint64_t, each> predicates{}, words16{}, words32{}, words64{};
};

class DrawnProgram {
 public:
  DrawnProgram(std::mt19937_64& random, std::string name, std::size_t instructions);

  // An entry that reads 24 words of 8 bytes from its parameter's address, and writes as many there.
  [[nodiscard]] std::string ptx() const;
  // Its instructions alone, a line each.
  [[nodiscard]] std::string code() const;
  // `open`, if given, becomes whether an instruction met what leaves_open() is true of.
  [[nodiscard]] Registers run(Registers registers, bool* open = nullptr) const;

  // NaNs, infinities, subnormals, extremes, and any bits at all.
  [[nodiscard]] static Registers inputs(std::mt19937_64& random);

 private:
  // Predicates are registers of 1 bit.
  struct Register {
    unsigned bits = 0;
    std::size_t number = 0;
  };
  struct Source {
    bool constant = false;
    Register from;
    std::uint64_t bits = 0;  // of a constant
    std::string text;
  };
  struct Instruction {
    std::string form;  // "pack" and "unpack" are mov with a vector
    std::vector<Register> targets;
    std::vector<Source> sources;
    bool guarded = false, unless = false;
    Register guard;
  };
  void draw_form(std::mt19937_64& random);
  void draw_vector(std::mt19937_64& random);
  Register draw_register(std::mt19937_64& random, unsigned bits) const;
  Source draw_source(std::mt19937_64& random, unsigned bits, const std::string& type, bool may_be_constant) const;

  std::string name_;
  std::vector<Instruction> code_;
};

// The memory that a program reads and writes.
using Words = std::array<std::uint64_t, 4 * Registers::each>;
[[nodiscard]] Words words_of(const Registers& registers);

// What a program has left in memory, against what it must: a line for each word that differs. `before`: what it read.
[[nodiscard]] std::string difference(const Words& got, const Registers& expected, const Words& before);

}  // namespace softgpu::test
