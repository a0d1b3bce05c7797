// Text that is put together of operations.
#include "tests/schedule/plans.hpp"

#include <fmt/format.h>

#include <functional>
#include <vector>

namespace railgauge::test {
namespace {

using Lines = std::vector<std::string>;
using Each = std::function<std::string(std::int32_t)>;

std::string joined(const Lines& parts, const char* between = ", ") {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

// Of all ranks but `rank`, in their order.
std::string of_peers(std::int32_t ranks, std::int32_t rank, const Each& each) {
  Lines all;
  for (std::int32_t peer = 0; peer < ranks; ++peer)
    if (peer != rank) all.push_back(each(peer));
  return joined(all);
}
std::string of_places(std::int32_t ranks, const Each& each) { return of_peers(ranks, ranks - 1, each); }

std::string number(std::int32_t it) { return std::to_string(it); }
std::string own(const char* type, std::int32_t index) {
  return fmt::format(R"({{"type": "{}", "index": {}, "size": 1}})", type, index);
}
std::string remote(std::int32_t buffer, std::int32_t index) {
  return fmt::format(R"({{"buffer_id": {}, "index": {}, "size": 1}})", buffer, index);
}
std::string move(const char* name, const std::string& sources, const std::string& targets, const char* type = "memory") {
  return fmt::format(R"({{"name": "{}", "src_buff": [{}], "dst_buff": [{}], "channel_type": "{}"}})", name, sources, targets,
                     type);
}
std::string tell(const char* name, const std::string& channels, const char* type = "memory") {
  return fmt::format(R"({{"name": "{}", "channel_ids": [{}], "channel_type": "{}"}})", name, channels, type);
}
std::string semaphore(const char* name) { return fmt::format(R"({{"name": "{}", "semaphore_ids": [0]}})", name); }

std::string thread_block(std::int32_t id, const Lines& operations, const std::string& peers, const char* type) {
  return fmt::format(
      "   {{\"id\": {}, \"ops\": [\n    {}],\n    \"channels\": [{{\"channel_type\": \"{}\", \"channel_ids\": [{}]}}],\n    "
      "\"remote_buffer_refs\": [{{\"access_channel_type\": \"{}\", \"remote_buffer_ids\": [{}]}}]}}",
      id, joined(operations, ",\n    "), type, peers, type, peers);
}

struct Chunks {
  std::int32_t input, output, scratch;
};

std::string rank(std::int32_t ranks, std::int32_t id, Chunks chunks, const char* buffer, const char* type, const Lines& blocks) {
  const std::string peers = of_peers(ranks, id, number);
  const std::string buffers = of_peers(ranks, id, [&](std::int32_t peer) {
    return fmt::format(R"({{"rank": {}, "type": "{}", "access_channel_types": ["{}"]}})", peer, buffer, type);
  });
  return fmt::format(
      "  {{\"id\": {}, \"input_chunks\": {}, \"output_chunks\": {}, \"scratch_chunks\": {}, \"semaphores\": [{{\"init_value\": "
      "0}}],\n"
      "   \"channels\": [{{\"channel_type\": \"{}\", \"connected_to\": [{}]}}], \"remote_buffers\": [{}],\n   \"threadblocks\": "
      "[\n{}]}}",
      id, chunks.input, chunks.output, chunks.scratch, type, peers, buffers, joined(blocks, ",\n"));
}

std::string plan(const char* name, const char* collective, const char* protocol, bool in_place, const Lines& ranks) {
  return fmt::format("{{\"name\": \"{}\", \"collective\": \"{}\", \"protocol\": \"{}\", \"inplace\": {},\n \"gpus\": [\n{}]}}\n",
                     name, collective, protocol, in_place, joined(ranks, ",\n"));
}

}  // namespace

std::string read_reduce_plan(std::int32_t ranks) {
  const std::string all = of_places(ranks, number);
  Lines lines;
  for (std::int32_t me = 0; me < ranks; ++me) {
    const std::string operands = own("i", me) + ", " + of_places(ranks, [&](std::int32_t place) { return remote(place, me); });
    const std::string nop = R"({"name": "nop"})";
    const Lines operations{tell("rlxsignal", all), tell("rlxwait", all), nop, move("rres", operands, operands), nop,
                           tell("signal", all),    tell("wait", all)};
    lines.push_back(rank(ranks, me, {ranks, ranks, 0}, "i", "memory", {thread_block(0, operations, all, "memory")}));
  }
  return plan("read_reduce", "allreduce", "Simple", true, lines);
}

std::string packet_plan(std::int32_t ranks) {
  const std::string all = of_places(ranks, number);
  Lines lines;
  for (std::int32_t me = 0; me < ranks; ++me) {
    const std::string parts = of_peers(ranks, me, [&](std::int32_t peer) { return own("i", peer); });
    const std::string there = of_places(ranks, [&](std::int32_t place) { return remote(place, me); });
    const std::string sums = of_places(ranks, [&](std::int32_t place) { return remote(place, ranks + me); });
    const std::string received = own("i", me) + ", " + of_peers(ranks, me, [&](std::int32_t peer) { return own("s", peer); });
    const std::string results = of_peers(ranks, me, [&](std::int32_t peer) { return own("s", ranks + peer); });
    const Lines first{move("ppkt", parts, there), move("respkt", received, own("i", me) + ", " + sums)};
    const Lines second{move("upkt", results, parts)};
    lines.push_back(rank(ranks, me, {ranks, ranks, 2 * ranks}, "s", "memory",
                         {thread_block(0, first, all, "memory"), thread_block(1, second, all, "memory")}));
  }
  return plan("packets", "allreduce", "LL", true, lines);
}

std::string port_plan(std::int32_t ranks) {
  const std::string all = of_places(ranks, number);
  Lines lines;
  for (std::int32_t me = 0; me < ranks; ++me) {
    std::string copies, there;
    for (std::int32_t place = 0; place < ranks - 1; ++place) {
      copies += (place > 0 ? ", " : "") + own("o", me);
      there += (place > 0 ? ", " : "") + remote(place, me);
    }
    const std::string nop = R"({"name": "nop"})";
    const Lines first{move("copy", own("i", 0), own("o", me)), nop, semaphore("sem_release")};
    const Lines second{
        tell("signal", all, "port"),        tell("wait", all, "port"),   semaphore("sem_acquire"),   nop,
        move("put", copies, there, "port"), tell("signal", all, "port"), tell("flush", all, "port"), tell("wait", all, "port")};
    lines.push_back(
        rank(ranks, me, {1, ranks, 0}, "o", "port", {thread_block(0, first, "", "port"), thread_block(1, second, all, "port")}));
  }
  return plan("port", "allgather", "Simple", false, lines);
}

std::string former_plan(std::int32_t ranks) {
  Lines lines;
  for (std::int32_t me = 0; me < ranks; ++me) {
    const std::string ids =
        of_places(ranks, [&](std::int32_t place) { return fmt::format(R"({{"id": {}, "off": {}}})", place, me); });
    const auto tells = [&](const char* name, const char* side) {
      return fmt::format(R"({{"name": "{}", "{}_buff": {{"src": "i", "dst": "i"}}, "{}_cids": [{}], "ctype": "sm", "cnt": 1}})",
                         name, side, side, ids);
    };
    const auto after = [](int step) { return fmt::format(R"({{"name": "nop", "deps": [{{"tb": 0, "step": {}}}]}})", step); };
    const std::string reads = fmt::format(
        R"({{"name": "rrcs", "i_buff": {{"src": "i", "dst": "i"}}, "i_cids": [{}], "o_buff": {{"src": "i", "dst": "i"}}, "o_cids": [{}], "srcbuff": "i", "srcoff": {}, "dstbuff": "i", "dstoff": {}, "ctype": "sm", "cnt": 1}})",
        ids, ids, me, me);
    const Lines operations{tells("signal", "o"), tells("wait", "i"), after(1), reads, after(3),
                           tells("signal", "o"), tells("wait", "i")};
    lines.push_back(fmt::format(
        "  {{\"id\": {}, \"inputChunks\": {}, \"outputChunks\": 0, \"scratchChunks\": 0, \"threadblocks\": [{{\"id\": 0, "
        "\"ops\": [\n    "
        "{}],\n    \"channels\": [{{\"src\": \"i\", \"dst\": \"i\", \"ctype\": \"sm\", \"cids\": [{}]}}]}}],\n   \"channels\": "
        "[{{\"srcbuff\": \"i\", \"dstbuff\": \"i\", \"type\": \"sm\", \"connectedTo\": [{}]}}]}}",
        me, ranks, joined(operations, ",\n    "), of_places(ranks, number), of_peers(ranks, me, number)));
  }
  return plan("former", "allreduce", "Simple", true, lines);
}

}  // namespace railgauge::test
