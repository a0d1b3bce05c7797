// Files that are damaged, malicious or of another format: one sentence with the line.
#include <boost/beast/zlib/deflate_stream.hpp>
#include <boost/crc.hpp>
#include <functional>

#include "base/error.hpp"
#include "bench/schedule/proof/proof.hpp"
#include "bench/schedule/read/gzip.hpp"
#include "bench/schedule/read/read.hpp"
#include "tests/schedule/programs.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

std::string sentence(const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  return "no error";
}

std::string refusal(const std::string& text) {
  return sentence([&] { (void)read_algorithm_text(text, "a.xml"); });
}

std::string ring_text() {
  Program program = right_programs(2)[0];
  return msccl_xml(program);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string little_endian(std::uint32_t value) {
  std::string text;
  for (int i = 0; i < 4; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string packed(const std::string& text, const std::string& name = "") {
  namespace zlib = boost::beast::zlib;
  zlib::deflate_stream stream;
  zlib::z_params state;
  std::string body(text.size() + 1000, '\0');
  state.next_in = text.data();
  state.avail_in = text.size();
  state.next_out = body.data();
  state.avail_out = body.size();
  boost::system::error_code error;
  stream.write(state, zlib::Flush::finish, error);
  body.resize(body.size() - state.avail_out);
  boost::crc_32_type checksum;
  checksum.process_bytes(text.data(), text.size());
  std::string head("\x1f\x8b\x08\0\0\0\0\0\0\3", 10);
  if (!name.empty()) {
    head[3] = 8;
    head += name + '\0';
  }
  return head + body + little_endian(checksum.checksum()) + little_endian(static_cast<std::uint32_t>(text.size()));
}

}  // namespace

TEST_CASE("programs: what is wrong in a file is one sentence with its line") {
  const std::string whole = ring_text();
  struct Row {
    const char *from, *to, *said;
  };
  for (const auto& [from, to, said] :
       {Row{"<algo", "<!DOCTYPE a [<!ENTITY x \"y\">]><algo", "a.xml:1: the document type declares"},
        Row{"<algo", "<rules", "a.xml:"},
        Row{" ngpus=\"2\"", "", "a.xml:1: <algo> lacks the attribute ngpus"},
        Row{"ngpus=\"2\"", "ngpus=\"1000000000\"", "a.xml:1: <algo>: ngpus=\"1000000000\" is no number from 1 to 1024"},
        Row{"ngpus=\"2\"", "ngpus=\"3\"", "a.xml:1: ngpus is 3, and there is no <gpu> of id 2"},
        Row{"nchunksperloop=\"4\"", "nchunksperloop=\"99999999999999999999\"", "a.xml:1: <algo>: nchunksperloop="},
        Row{"nchunksperloop=\"4\"", "nchunksperloop=\"2\"", "a.xml:2: rank 0 has 4 blocks of input, and all_reduce has 2"},
        Row{"coll=\"allreduce\"", "coll=\"custom\"", "a.xml:1: <algo>: coll=\"custom\""},
        Row{"proto=\"Simple\"", "proto=\"simple\"", "a.xml:1: <algo>: proto=\"simple\" is none of"},
        Row{"inplace=\"1\" outofplace=\"0\"", "inplace=\"0\" outofplace=\"0\"",
            "a.xml:1: <algo>: inplace and outofplace are both 0"},
        Row{"s_chunks=\"0\"", "s_chunks=\"65537\"", "a.xml:2: <gpu>: s_chunks="},
        Row{"<gpu id=\"1\"", "<gpu id=\"0\"", "<gpu>: there are two of id 0, the other in line 2"},
        Row{"<tb id=\"1\"", "<tb id=\"7\"", "a.xml:2: rank 0 has a thread block 7 and none of id 1"},
        Row{"send=\"1\"", "send=\"5\"", "a.xml:3: rank 0, thread block 0 sends to rank 5, and ranks are 0 to 1"},
        Row{"send=\"1\"", "send=\"0\"", "a.xml:3: rank 0, thread block 0 sends to its own rank"},
        Row{"send=\"1\"", "send=\"-1\"", "a.xml:4: rank 0, thread block 0, step 0 (s) sends, and its thread block has no peer"},
        Row{"recv=\"1\"", "recv=\"-1\"", "a.xml:5: rank 0, thread block 0, step 1 (rrcs) receives, and"},
        Row{"chan=\"1\"", "chan=\"0\"",
            "a.xml:8: rank 0, thread block 1 sends to rank 1 on channel 0, and so does rank 0, thread block 0"},
        Row{"step s=\"1\"", "step s=\"2\"", "a.xml:5: <step>: s=\"2\" where step 1 of thread block 0 is expected"},
        Row{"type=\"s\"", "type=\"ra\"", "a.xml:4: <step>: type=\"ra\" has a name in MSCCL"},
        Row{"type=\"s\"", "type=\"put\"", "a.xml:4: <step>: type=\"put\" is none of"},
        Row{"srcbuf=\"i\"", "srcbuf=\"x\"", "a.xml:4: <step>: srcbuf=\"x\" is no buffer"},
        Row{"srcoff=\"0\"", "srcoff=\"4\"",
            "a.xml:4: rank 0, thread block 0, step 0 (s) names blocks 4 to 4 of input, which has 4"},
        Row{"srcoff=\"0\"", "srcoff=\"-1\"", "a.xml:4: <step>: srcoff=\"-1\" is no number"},
        Row{" srcoff=\"0\"", "", "a.xml:4: <step> lacks the attribute srcoff"},
        Row{"cnt=\"1\"", "cnt=\"72\"", "a.xml:4: rank 0, thread block 0, step 0 (s) names 72 blocks, and 1 to 71 are possible"},
        Row{"cnt=\"1\"", "cnt=\"4\"", "no error"},
        Row{"depid=\"-1\" deps=\"-1\"", "depid=\"9\" deps=\"0\"",
            "a.xml:4: rank 0, thread block 0, step 0 (s) waits for thread block 9"},
        Row{"depid=\"-1\" deps=\"-1\"", "depid=\"1\" deps=\"9\"",
            "a.xml:4: rank 0, thread block 0, step 0 (s) waits for step 9 of thread block 1, which has 3"},
        Row{"<step ", "<op ", "a.xml:4: <op> is of a dialect of msccl-tools that no executor reads"},
        Row{"<step ", "<step a=\"\" a=\"\" ", "a.xml:4: <step> has the attribute a twice"},
        Row{"<tb id=\"0\"", "<deep id=\"0\"", "a.xml:3: <deep> does not belong here"}}) {
    INFO(from << " -> " << to);
    std::string text = replaced(whole, from, to);
    if (std::string(to) == "<rules") text = replaced(text, "</algo>", "</rules>");
    if (std::string(to).starts_with("<deep")) text = replaced(text, "</tb>", "</deep>");
    CHECK_THAT(refusal(text), ContainsSubstring(said));
  }
}

TEST_CASE("programs: what is no such file is told so") {
  CHECK_THAT(refusal(" \n"), ContainsSubstring("a.xml: the file is empty"));
  CHECK_THAT(refusal("rank 0"), ContainsSubstring("a.xml:1: this is no XML"));
  CHECK_THAT(refusal("<algo coll=\"allreduce\" ngpus=\"2\" nchunksperloop=\"2\"><gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\" "
                     "s_chunks=\"1\">" +
                     std::string(3000, ' ') + "<tb"),
             ContainsSubstring("a.xml:1: "));
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<algo>";
  CHECK_THAT(refusal(deep), ContainsSubstring("a.xml:1: "));
  CHECK_THAT(sentence([] { (void)read_algorithm("/absent/a.xml"); }), ContainsSubstring("/absent/a.xml: No such file"));
  CHECK_THAT(sentence([] { (void)read_algorithm("/"); }), ContainsSubstring("/: "));
}

TEST_CASE("programs: a file that ends anywhere is one sentence") {
  const std::string whole = ring_text();
  for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
    const std::string said = refusal(whole.substr(0, length));
    INFO(length);
    CHECK(said.starts_with("a.xml:"));
  }
}

// Every rank sends its block to the last one, which reduces them in one order more after another.
Program many_sets(std::int32_t ranks, std::uint32_t orders) {
  Program program;
  program.name = "many sets";
  program.protocol = "Simple";
  program.collective = Collective::reduce;
  program.blocks = 1;
  program.channels = 1;
  program.out_of_place = true;
  program.ranks.resize(static_cast<std::size_t>(ranks));
  ProgramRank& last = program.ranks.back();
  last.scratch = static_cast<std::uint32_t>(ranks) + orders;
  ThreadBlock reducing;
  for (std::int32_t rank = 0; rank + 1 < ranks; ++rank) {
    ThreadBlock sending, receiving;
    sending.send_peer = ranks - 1;
    sending.steps.push_back({.kind = StepType::s, .count = 1});
    program.ranks[static_cast<std::size_t>(rank)].thread_blocks.push_back(sending);
    receiving.receive_peer = rank;
    receiving.steps.push_back({.kind = StepType::r,
                               .target_buffer = Buffer::scratch,
                               .target = static_cast<std::uint32_t>(rank),
                               .count = 1,
                               .announced = true});
    last.thread_blocks.push_back(receiving);
    reducing.steps.push_back({.kind = StepType::nop, .awaited_thread_block = rank, .awaited_step = 0});
  }
  for (ProgramRank& rank : program.ranks) rank.input = rank.output = 1;
  for (std::uint32_t order = 0; order < orders; ++order)
    for (std::int32_t i = 0; i + 1 < ranks; ++i) {
      const auto source = (order + static_cast<std::uint32_t>(i)) % static_cast<std::uint32_t>(ranks - 1);
      reducing.steps.push_back({.kind = i == 0 ? StepType::cpy : StepType::re,
                                .source_buffer = Buffer::scratch,
                                .target_buffer = Buffer::scratch,
                                .source = source,
                                .target = static_cast<std::uint32_t>(ranks) + order,
                                .count = 1});
    }
  last.thread_blocks.push_back(reducing);
  return program;
}

TEST_CASE("programs: what forms more sets of contributions than memory is for is refused", "[long]") {
  const Program few = many_sets(64, 8), many = many_sets(900, 620);
  check_program(few, "a.xml");
  check_program(many, "a.xml");
  CHECK_FALSE(prove(few).right());
  CHECK(sentence([&] { (void)prove(many); }) ==
        "its reductions form so many sets of contributions that it cannot be proved in reasonable memory");
}

TEST_CASE("programs: a damaged file is judged or one sentence") {
  constexpr unsigned seed = 2700;
  std::mt19937 random(seed);
  const std::string odd = "<>\"'/= 0129-isor\n\x7f";
  for (Program program : right_programs(3)) {
    const std::string whole = msccl_xml(program);
    for (int round = 0; round < 300; ++round) {
      std::string text = whole;
      for (int change = 0; change < 3; ++change) text[random() % text.size()] = odd[random() % odd.size()];
      INFO("seed " << seed << ", " << program.name << ", round " << round);
      const std::string said = sentence([&] { (void)prove(read_algorithm_text(text, "a.xml")); });
      CHECK((said == "no error" || said.starts_with("a.xml:")));
    }
  }
}

TEST_CASE("programs: dependencies in a circle are a deadlock, and never a hang") {
  Program program = right_programs(2)[0];
  program.ranks[0].thread_blocks[0].steps[0].awaited_thread_block = 1;
  program.ranks[0].thread_blocks[0].steps[0].awaited_step = 0;
  program.ranks[0].thread_blocks[1].steps[0].awaited_thread_block = 0;
  program.ranks[0].thread_blocks[1].steps[0].awaited_step = 0;
  bool told = false;
  for (const ProofFinding& it : prove(program).findings)
    if (it.kind == FindingKind::deadlock) {
      told = true;
      CHECK(it.details ==
            std::vector<std::string>{"rank 0, thread block 0, step 0 (s) waits for rank 0, thread block 1, step 0 (s)",
                                     "rank 0, thread block 1, step 0 (s) waits for rank 0, thread block 0, step 0 (s)"});
    }
  CHECK(told);
}

TEST_CASE("programs: compressed files are read, damaged ones are one sentence") {
  const std::string text = ring_text();
  CHECK(unpack_gzip(packed(text), "a.gz", 1 << 20) == text);
  CHECK(unpack_gzip(packed(text, "ring.xml"), "a.gz", 1 << 20) == text);
  CHECK(sentence([&] { (void)unpack_gzip(packed(text) + packed("junk"), "a.gz", 1 << 20); }) ==
        "a.gz: it is compressed by gzip, and something follows its end");
  CHECK(unpack_gzip(packed(std::string(300000, 'x')), "a.gz", 1 << 20) == std::string(300000, 'x'));
  CHECK(prove(read_algorithm_text(packed(text), "a.gz")).right());
  const auto said = [](const std::string& bytes) { return sentence([&] { (void)unpack_gzip(bytes, "a.gz", 1 << 20); }); };
  CHECK_THAT(said(packed(std::string(3 << 20, 'x'))), ContainsSubstring("a.gz: it holds more than 1 MiB"));
  const std::string whole = packed(text);
  for (std::size_t length = 3; length < whole.size(); ++length) {
    INFO(length);
    CHECK_THAT(said(whole.substr(0, length)), ContainsSubstring("a.gz: it is compressed by gzip, and "));
  }
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    bytes[10 + random() % (bytes.size() - 10)] ^= static_cast<char>(1 << random() % 8);
    // The bits behind the last code mean nothing.
    std::string unpacked;
    const std::string what = sentence([&] { unpacked = unpack_gzip(bytes, "a.gz", 1 << 20); });
    CHECK((what.starts_with("a.gz: it ") || unpacked == text));
  }
}
