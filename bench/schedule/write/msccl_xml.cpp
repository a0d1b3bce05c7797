// Attributes in the order in which msccl-tools writes them.
#include "bench/schedule/write/msccl_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr const char* letters[] = {"i", "o", "s"};

const char* letter(Buffer buffer) { return letters[static_cast<std::size_t>(buffer)]; }

struct XmlSpelling {
  Collective collective;
  const char* name;
};
constexpr XmlSpelling xml_spellings[] = {
    {Collective::all_reduce, "allreduce"}, {Collective::all_gather, "allgather"},
    {Collective::all_to_all, "alltoall"},  {Collective::reduce_scatter, "reducescatter"},
    {Collective::broadcast, "broadcast"},  {Collective::reduce, "reduce"},
    {Collective::gather, "gather"},        {Collective::scatter, "scatter"},
};

const char* spelling(Collective collective) {
  const auto* const found = std::find_if(std::begin(xml_spellings), std::end(xml_spellings),
                                         [&](const XmlSpelling& it) { return it.collective == collective; });
  if (found == std::end(xml_spellings))
    throw Error(Fault::usage, fmt::format("MSCCL XML has no collective {}", name(collective)));
  return found->name;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
    }
  return result;
}

// What is no operand of its kind says what is: readers pass over it.
std::string line_of(const Step& it, std::size_t number) {
  const bool source = reads_source(it.kind) || !writes_target(it.kind), target = writes_target(it.kind);
  std::string notes;
  if (it.note.round != Step::none) notes += fmt::format(" round=\"{}\"", it.note.round);
  if (it.note.data != Step::none) notes += fmt::format(" data=\"{}\"", it.note.data);
  return fmt::format(
      "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{}\" depid=\"{}\" "
      "deps=\"{}\" "
      "hasdep=\"{:d}\"{}/>\n",
      number, name(it.kind), letter(source ? it.source_buffer : it.target_buffer), source ? it.source : it.target,
      letter(target ? it.target_buffer : it.source_buffer), target ? it.target : it.source, it.count, it.awaited_thread_block,
      it.awaited_step, it.announced, notes);
}

}  // namespace

std::string to_msccl_xml(const Program& program) {
  std::string text = fmt::format(
      "<algo name=\"{}\" proto=\"{}\" nchannels=\"{}\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" inplace=\"{:d}\" "
      "outofplace=\"{:d}\" minBytes=\"{}\" maxBytes=\"{}\">\n",
      escaped(program.name), program.protocol, program.channels, program.blocks, program.ranks.size(),
      spelling(program.collective), program.in_place, program.out_of_place, program.least_bytes, program.most_bytes);
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const ProgramRank& mine = program.ranks[rank];
    text += fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", rank, mine.input, mine.output,
                        mine.scratch);
    for (std::size_t id = 0; id < mine.thread_blocks.size(); ++id) {
      const ThreadBlock& block = mine.thread_blocks[id];
      text += fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", id, block.send_peer, block.receive_peer,
                          block.channel);
      for (std::size_t step = 0; step < block.steps.size(); ++step) {
        if (one_sided(block.steps[step].kind))
          throw Error(Fault::usage, fmt::format("MSCCL XML cannot say what {} does: its ranks access each other's memory",
                                                text_of(block.steps[step], static_cast<std::int32_t>(rank), id, step)));
        text += line_of(block.steps[step], step);
      }
      text += "    </tb>\n";
    }
    text += "  </gpu>\n";
  }
  return text + "</algo>\n";
}

}  // namespace railgauge
