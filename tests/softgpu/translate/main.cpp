// softgpu_translate FILE.ptx OUT.c PTXAS_OUTPUT PREFIX: the kernels of a PTX file as C, for the software GPU.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/softgpu/translate/emit.hpp"

namespace {

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int count, char** arguments) {
  using namespace softgpu::translate;
  if (count != 5) {
    std::fprintf(stderr, "usage: softgpu_translate FILE.ptx OUT.c PTXAS_OUTPUT PREFIX\n");
    return 2;
  }
  try {
    const std::string text = emit(parse(read(arguments[1]), arguments[1]), registers_of(read(arguments[3])), arguments[4]);
    std::ofstream file(arguments[2], std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error(std::string("cannot write ") + arguments[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "softgpu_translate: %s\n", error.what());
    return 1;
  }
  return 0;
}
