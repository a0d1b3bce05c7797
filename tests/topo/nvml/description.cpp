// Reads the lines of description.hpp.
#include "tests/topo/nvml/description.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace railgauge::fake_nvml {
namespace {

using Words = std::vector<std::string>;

class Reader {
 public:
  Machine machine;

  void line(const std::string& text) {
    std::istringstream stream(text);
    const Words words{std::istream_iterator<std::string>(stream), {}};
    if (words.empty() || words[0].starts_with('#')) return;
    if (words.size() < 2) throw std::runtime_error("too short");
    if (words[0] == "system") system(words);
    if (words[0] == "gpu")
      for (const unsigned i : range(words[1], machine.gpus.size())) gpu(at(i), {words.begin() + 2, words.end()});
    if (words[0] == "link") links(words);
    if (words[0] == "pair") pairs(words);
  }

 private:
  static std::vector<unsigned> range(const std::string& text, std::size_t all) {
    std::vector<unsigned> numbers;
    const std::size_t dash = text.find('-');
    const bool every = text == "*";
    const unsigned first = every ? 0 : static_cast<unsigned>(std::stoul(text));
    const unsigned last = every                       ? static_cast<unsigned>(all) - 1
                          : dash == std::string::npos ? first
                                                      : static_cast<unsigned>(std::stoul(text.substr(dash + 1)));
    for (unsigned i = first; i <= last; ++i) numbers.push_back(i);
    return numbers;
  }

  Gpu& at(unsigned index) {
    while (machine.gpus.size() <= index) {
      machine.gpus.emplace_back();
      machine.gpus.back().index = static_cast<unsigned>(machine.gpus.size() - 1);
    }
    return machine.gpus[index];
  }

  void system(const Words& words) {
    if (words[1] == "fail")
      machine.fail[words.at(2)] = std::stoi(words.at(3));
    else if (words[1] == "hang")
      machine.hang = words.at(2);
    else if (words[1] == "crash")
      machine.crash = words.at(2);
    else if (words[1] == "garbage")
      machine.garbage = true;
    else
      machine.system[words[1]] = words.at(2);
  }

  static Counter counter(const std::string& value, const std::string& step) { return {std::stoull(value), std::stoull(step)}; }

  static void gpu(Gpu& gpu, const Words& words) {
    if (words[0] == "field") {
      gpu.fields[static_cast<unsigned>(std::stoul(words.at(1)))] = std::stoull(words.at(2));
    } else if (words[0] == "energy") {
      gpu.energy = counter(words.at(1), words.at(2));
    } else if (words[0] == "held") {
      gpu.held[static_cast<unsigned>(std::stoul(words.at(1)))] = counter(words.at(2), words.at(3));
    } else if (words[0] == "part") {
      gpu.parts.emplace_back();
      gpu.parts.back().words = {{"instances", {words.at(1), words.at(2)}}, {"uuid", {words.at(3)}}, {"name", gpu.words["name"]}};
    } else {
      gpu.words[words[0]] = {words.begin() + 1, words.end()};
    }
  }

  void links(const Words& words) {
    const std::size_t colon = words[1].find(':');
    for (const unsigned i : range(words[1].substr(0, colon), machine.gpus.size()))
      for (const unsigned l : range(words[1].substr(colon + 1), at(i).links.size())) link(at(i).links[l], words);
  }

  void link(Link& link, const Words& words) {
    if (words.at(2) == "off") {
      link.active = false;
    } else if (words[2] == "field" || words[2] == "error") {
      (words[2] == "field" ? link.fields : link.errors)[static_cast<unsigned>(std::stoul(words.at(3)))] =
          std::stoull(words.at(4));
    } else {
      link.version = static_cast<unsigned>(std::stoul(words[2]));
      const std::string& kind = words.at(3);
      if (kind == "gpu") link.remote = at(static_cast<unsigned>(std::stoul(words.at(4)))).words["pci"].at(0);
      if (kind == "switch" || kind == "npu") link.remote = words.at(4);
      if (kind == "hidden") link.remote = "FFFFFFFF:FFFF:FF.F";
      link.type = kind == "gpu" ? 0 : kind == "npu" ? 1 : 2;
    }
  }

  void pairs(const Words& words) {
    auto& into = words.at(3) == "ancestor" ? machine.ancestors : machine.p2p;
    for (const unsigned a : range(words[1], machine.gpus.size()))
      for (const unsigned b : range(words.at(2), machine.gpus.size()))
        into[{a, b}] = into[{b, a}] = static_cast<unsigned>(std::stoul(words.at(4)));
  }
};

}  // namespace

Machine read_machine(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  Reader reader;
  unsigned number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    try {
      reader.line(line);
    } catch (const std::exception& error) { throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what()); }
  }
  return reader.machine;
}

}  // namespace railgauge::fake_nvml
