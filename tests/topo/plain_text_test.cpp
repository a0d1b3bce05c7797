// Encodings, quotes and archives: what a file is before it is a topology.
#include "topo/read/plain_text.hpp"

#include <random>
#include <string>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;
using namespace std::string_literals;

namespace {

std::string plain(const std::string& bytes) { return plain_text(bytes, "f"); }
std::string refusal(const std::string& bytes) {
  return sentence([&] { (void)plain(bytes); });
}

// Of characters below U+10000.
std::string utf16(const std::u16string& text, bool little, bool mark) {
  std::string bytes;
  const auto put = [&](char16_t unit) {
    const char high = static_cast<char>(unit >> 8U);
    const char low = static_cast<char>(unit & 0xffU);
    bytes += little ? std::string{low, high} : std::string{high, low};
  };
  if (mark) put(0xfeff);
  for (const char16_t unit : text) put(unit);
  return bytes;
}
std::string utf16(const std::string& text, bool little, bool mark) {
  return utf16(std::u16string(text.begin(), text.end()), little, mark);
}

const std::string matrix = "\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n";

}  // namespace

TEST_CASE("plain text: UTF-16 in either order, with and without its mark, is the text that was written") {
  for (const bool little : {true, false})
    for (const bool mark : {true, false}) CHECK(plain(utf16(matrix, little, mark)) == matrix);
  CHECK(plain("\xef\xbb\xbf" + matrix) == matrix);
  CHECK(plain(utf16(u"a\u00e9\u20ac\U0001f600\n", true, true)) == "a\u00e9\u20ac\U0001f600\n");
  CHECK_THAT(refusal(utf16(matrix, true, true) + "x"), ContainsSubstring("f:4: the file ends in the middle of a character"));
  CHECK_THAT(refusal(utf16(u"line\n\xd83dx", true, true)), ContainsSubstring("f:2: half a character of UTF-16"));
  CHECK_THAT(refusal(utf16(u"line\n\xdc00x", false, true)), ContainsSubstring("f:2: half a character of UTF-16"));
}

TEST_CASE("plain text: quoted pastes lose their quotes and keep their lines") {
  const auto quoted = [](const std::string& text, const std::string& with) {
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      all += with + text.substr(at, end - at + 1);
      at = end + 1;
    }
    return all;
  };
  CHECK(plain(quoted(matrix, "> ")) == matrix);
  CHECK(plain(quoted(matrix, "> > ")) == matrix);
  CHECK(plain(quoted(quoted(matrix, ">> "), " ")) == matrix);
  CHECK(plain("\n> a\n>\n\n> b\n") == "\na\n\n\nb\n");
  CHECK(plain("> a\n>   indented\n") == "a\n  indented\n");
  CHECK_THAT(refusal("> a\n> b\nc\n"), ContainsSubstring("f:3: the lines before are quoted with `>`"));
  CHECK(plain("a > b\n> c\n") == "a > b\n> c\n");
  CHECK_THAT(refusal(std::string(40, '>') + " a\n"), ContainsSubstring("quoted more often"));
  CHECK(refusal("> \n>\n") == "f: the file is empty");
}

TEST_CASE("plain text: archives, images and white space are refused by name") {
  struct Row {
    std::string bytes, name;
  };
  for (const Row& row :
       {Row{"\x1f\x8b\x08\0\0"s, "gzip: unpack it with `gunzip` first"}, Row{"BZh91AY&SY"s, "bzip2"},
        Row{"\xfd"s + "7zXZ\0\0"s, "xz"}, Row{"\x28\xb5\x2f\xfd\x04"s, "zstd"}, Row{"PK\x03\x04"s, "zip archive"},
        Row{std::string(257, 'a') + "ustar\0"s, "tar archive"}, Row{"%PDF-1.7\n"s, "PDF"}, Row{"\x89PNG\r\n\x1a\n"s, "picture"},
        Row{"\xff\xfe\0\0a\0\0\0"s, "UTF-32"}}) {
    INFO(row.name);
    CHECK_THAT(refusal(row.bytes), ContainsSubstring("f: this file is "));
    CHECK_THAT(refusal(row.bytes), ContainsSubstring(row.name));
  }
  for (const std::string& empty : {""s, " \n\t\r\n"s, "\xef\xbb\xbf"s, "\xff\xfe"s, utf16(" \n"s, true, true)})
    CHECK(refusal(empty) == "f: the file is empty");
  CHECK_THAT(refusal("a\nb\0c\n"s), ContainsSubstring("f:2: this is no text: it has a zero byte"));
}

TEST_CASE("plain text: any bytes are a text or one sentence") {
  constexpr unsigned seed = 77;
  std::mt19937 random(seed);
  const std::string odd = "\xff\xfe\0\0> >\n\xef\xbb\xbf"s + matrix;
  for (int round = 0; round < 5000; ++round) {
    std::string bytes;
    for (auto left = random() % 40; left > 0; --left) bytes += odd[random() % odd.size()];
    INFO("seed " << seed << ", round " << round);
    const std::string said = refusal(bytes);
    CHECK((said == "no error" || said.starts_with("f:")));
  }
}

TEST_CASE("files: PowerShell's and quoted ones are read as every other, and empty ones are no topology in any format") {
  const Scratch scratch;
  const auto graph_in = [&](const std::string& name, const std::string& bytes) {
    fill(scratch.path() / name, bytes);
    return to_json(topo::build(read_evidence(scratch.path() / name)));
  };
  const std::string same = graph_in("m.txt", matrix);
  CHECK(graph_in("w.txt", utf16(matrix, true, true)) == same);
  CHECK(graph_in("q.txt", "> \tGPU0\tGPU1\n> GPU0\t X \tNV4\n> GPU1\tNV4\t X \n") == same);
  for (const Source& source : sources()) {
    INFO(source.name);
    for (const std::string& empty : {""s, " \t\r\n \n"s}) {
      CHECK(sentence([&] { (void)source.read({std::string(source.name), "f", empty}); }) != "no error");
      CHECK(!source.recognise(empty));
      const std::filesystem::path folder = scratch.path() / "folder";
      std::filesystem::create_directories(folder);
      const std::filesystem::path path = folder / source.file;
      fill(path, empty);
      CHECK(sentence([&] { (void)read_evidence(folder); }) == path.string() + ": the file is empty");
      std::filesystem::remove(path);
    }
  }
}
