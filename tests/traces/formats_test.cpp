// Small traces of each format, made here: ranks, groups, sizes, gaps and dependences.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/workload/agree.hpp"
#include "bench/workload/read/formats.hpp"
#include "bench/workload/read/read.hpp"
#include "tests/test.hpp"
#include "tests/traces/made.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

using Calls = std::vector<std::string>;

double computed(const Workload& workload, int rank) {
  double seconds = 0;
  for (const WorkNode& node : workload.nodes.at(static_cast<std::size_t>(rank))) seconds += node.duration.count();
  return seconds;
}

std::string log_line(int process, const std::string& text) {
  return fmt::format("node1:{}:{} [{}] NCCL INFO {}\n", 100 + process, 200 + process, process, text);
}
std::string init(int process, int rank, int ranks, const std::string& comm, const std::string& id) {
  return log_line(
      process, fmt::format("ncclCommInitRank comm {} rank {} nranks {} cudaDev 0 nvmlDev 0 busId 1000 commId {} - Init COMPLETE",
                           comm, rank, ranks, id));
}
std::string call(int process, const std::string& name, std::uint64_t count, int root, const std::string& comm) {
  return log_line(
      process,
      fmt::format(
          "{}: opCount 1f sendbuff 0x7f00 recvbuff 0x7f01 count {} datatype 7 op 0 root {} comm {} [nranks=2] stream 0x55", name,
          count, root, comm));
}

std::string kernel(double start, double duration, const std::string& name, const std::string& details = "") {
  return fmt::format(R"({{"ph":"X","cat":"kernel","name":"{}","ts":{},"dur":{},"args":{{"stream":7{}}}}})", name, start, duration,
                     details);
}
std::string nccl(double start, double duration, int elements) {
  return kernel(
      start, duration, "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
      fmt::format(
          R"(,"Collective name":"allreduce","In msg nelems":{},"Out msg nelems":{},"Group size":2,"dtype":"Float","Process Group Name":"0","Process Group Ranks":"[0, 1]")",
          elements, elements));
}
std::string profile(const std::string& events) {
  return R"({"schemaVersion":1,"distributedInfo":{"backend":"nccl","rank":1,"world_size":2},"traceEvents":[)" + events + "]}";
}

std::string execution_trace(const std::string& nodes) { return R"({"schema":"1.0.1","nodes":[)" + nodes + "]}"; }
std::string record(int id, const std::string& tensors, int sequence, const std::string& group, int rank,
                   const std::string& call) {
  return fmt::format(
      R"({{"name":"record_param_comms","id":{},"inputs":[{},{},{},{},"{}",[],[]],"input_types":["GenericList[Tensor(float)]"],"outputs":[]}})",
      id, tensors, sequence, group, rank, call);
}

}  // namespace

TEST_CASE("formats: a file is known by its content") {
  const auto format = [](std::string_view head) {
    const TraceFormat* const found = find_trace_format(head);
    return found == nullptr ? std::string() : std::string(found->name);
  };
  CHECK(format("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2") == "simai");
  CHECK(format(" [ {\"comms\"") == "param");
  CHECK(format(R"({"schema": "1.0.1", "pid": 3, "nodes": [)") == "pytorch-et");
  CHECK(format(R"({"schemaVersion": 1, "deviceProperties": [)") == "kineto");
  CHECK(format("a:1:2 [0] NCCL INFO Bootstrap") == "nccl-log");
  CHECK(format(std::string_view("\x07\x0a\x05"
                                "0.0.4\x48",
                                9)) == "chakra");
  CHECK(format("hello").empty());
  CHECK(format("").empty());
}

TEST_CASE("formats: NCCL's log, whose communicators are known by their commId") {
  std::string log = "node1:100:100 [0] NCCL INFO Bootstrap : Using eth0\n";
  // Two pairs in a job of four; each process has its own addresses.
  for (int rank = 0; rank < 4; ++rank) {
    log += init(rank, rank, 4, fmt::format("0xa{}", rank), "0xbeef");
    log += init(rank, rank % 2, 2, fmt::format("0xb{}", rank), rank < 2 ? "0x1" : "0x2");
    log += call(rank, "AllReduce", 1000, 0, fmt::format("0xa{}", rank));
    log += call(rank, "AllGather", 50, 0, fmt::format("0xb{}", rank));
    log += call(rank, rank % 2 == 0 ? "Send" : "Recv", 7, 1 - rank % 2, fmt::format("0xb{}", rank));
    log += call(rank, "Broadcast", 9, 3, fmt::format("0xa{}", rank));
  }
  const Workload workload = read_workload_bytes(log, "log.txt");
  CHECK(workload.ranks == 4);
  CHECK(ranks_without_trace(workload).empty());
  CHECK(calls_of(workload, 2) ==
        Calls{"all_reduce 1000 float32", "all_gather 100 float32", "send 7 float32 to 3", "broadcast 9 float32 3"});
  CHECK(calls_of(workload, 3)[2] == "receive 7 float32 from 2");
  CHECK(workload.groups[static_cast<std::size_t>(workload.nodes[3][1].group)].ranks == std::vector<int>{2, 3});
  // The broadcast waits for the message in front of it.
  CHECK(workload.nodes[3][3].after == std::vector<std::uint32_t>{2});
}

TEST_CASE("formats: NCCL's log is refused where lines are torn or ranks unknown") {
  CHECK(refusal_of(log_line(0, "AllReduce: opCount 1 sendbuff 0x7f00 recvbuff 0x7f01 cou")) ==
        "t:1: the line of a call is torn: let each process log into a file of its own, NCCL_DEBUG_FILE=log.%h.%p");
  CHECK(refusal_of(call(0, "AllFoo", 1, 0, "0xa")) == "t:1: no call AllFoo of NCCL is known");
  CHECK_THAT(refusal_of(log_line(0, "Bootstrap")), ContainsSubstring("it has no lines of calls: run with NCCL_DEBUG=INFO"));
  const std::string alone = init(0, 0, 4, "0xa", "0x1") + init(0, 0, 2, "0xb", "0x2") + call(0, "AllReduce", 4, 0, "0xb");
  CHECK(refusal_of(alone) == "t: rank 1 of group communicator of 2 ranks is in no file: give the files of all 2 of its ranks");
}

TEST_CASE("formats: PARAM's trace, with waits, gaps and counts") {
  const Workload workload = read_workload_bytes(R"([
    {"comms": "init", "pg_id": 0, "global_ranks": [0, 1], "world_size": 2},
    {"comms": "all_reduce", "req": 1, "startTime_ns": 1000000, "in_msg_size": 64, "out_msg_size": 64, "dtype": "float32", "pg_id": 0},
    {"compute": "gemm", "mm_dim": 100, "count": 2, "startTime_ns": 3000000, "dtype": "float32"},
    {"comms": "wait", "req": 1, "startTime_ns": 4000000},
    {"comms": "all_to_allv", "startTime_ns": 9000000, "in_msg_size": 5, "out_msg_size": 3, "in_split": [1, 4], "out_split": [1, 2], "dtype": "half"},
    {"comms": "broadcast", "root": 1, "startTime_ns": 9500000, "in_msg_size": 8, "out_msg_size": 8, "dtype": "Int"},
    {"comms": "send", "dst_rank": 1, "req": 4, "in_msg_size": 8, "out_msg_size": 8, "dtype": "Int"}
  ])",
                                                "rank-0.json");
  CHECK(workload.ranks == 2);
  CHECK(calls_of(workload, 0) ==
        Calls{"all_reduce 64 float32", "all_to_all_v 5 float16", "broadcast 8 int32 1", "send 8 int32 to 1"});
  CHECK_THAT(computed(workload, 0), WithinAbs(0.003, 1e-9));  // 2 ms behind the call, 1 ms of gemm
  const std::vector<WorkNode>& nodes = workload.nodes[0];
  CHECK(nodes[2].flops == 4e6);
  // What follows the wait depends on the call and on the computation.
  CHECK(nodes[3].work == WorkKind::marker);
  CHECK(nodes[3].after == std::vector<std::uint32_t>{0, 2});
  CHECK(refusal_of(R"([{"comms": "frobnicate"}])") == "t: entry 0: no call frobnicate is known");
}

TEST_CASE("formats: Kineto: what overlaps, and what waits") {
  // A call under a computation that goes on, then one that the rank waits for, then a gap of the host, then a computation.
  const Workload workload = read_workload_bytes(
      profile(kernel(0, 100, "gemm") + "," + nccl(20, 50, 1000) + "," + nccl(110, 90, 2000) + "," + kernel(230, 40, "gemm")),
      "x.json");
  CHECK(workload.ranks == 2);
  CHECK(ranks_without_trace(workload) == std::vector<int>{0});
  CHECK(calls_of(workload, 1) == Calls{"all_reduce 1000 float32", "all_reduce 2000 float32"});
  const std::vector<WorkNode>& nodes = workload.nodes[1];
  // 20 us, the first call, 80 us and a gap of 10, the second call, and 30 us of gap with 40 of computation behind it.
  CHECK_THAT(computed(workload, 1), WithinAbs(180e-6, 1e-9));
  const WorkNode& last = nodes.back();
  CHECK_THAT(last.duration.count(), WithinAbs(70e-6, 1e-9));
  bool waits_for_second = false;
  for (const std::uint32_t before : last.after)
    waits_for_second = waits_for_second || nodes[before].elements == 2000 || nodes[before].work == WorkKind::marker;
  CHECK(waits_for_second);
  for (const WorkNode& node : nodes)
    if (node.work == WorkKind::compute)
      for (const std::uint32_t before : node.after) CHECK(nodes[before].elements != 1000);
  CHECK_THAT(refusal_of(profile(kernel(0, 1, "ncclKernel_AllReduce_RING_LL_Sum_float"))),
             ContainsSubstring("NCCL's kernel does not say what it carried"));
  CHECK_THAT(refusal_of(profile(kernel(0, 1, "gemm"))), ContainsSubstring("it has neither record_param_comms nor NCCL kernels"));
}

TEST_CASE("formats: SimAI's layers forward and backward") {
  const std::string text =
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: 0 pp_comm "
      "0\n2\n"
      "a -1 1000 ALLREDUCE 64 2000 NONE 0 3000 ALLREDUCE 32 10\nb -1 1000 NONE 0 2000 ALLREDUCE 128 3000 NONE 0 10\n";
  const Workload workload = read_workload_bytes(text, "w.txt");
  CHECK(calls_of(workload, 0) == Calls{"all_reduce 32 bfloat16", "all_reduce 64 bfloat16", "all_reduce 16 bfloat16"});
  CHECK_THAT(computed(workload, 0), WithinAbs(12020e-9, 1e-12));
  CHECK(workload.groups[static_cast<std::size_t>(workload.nodes[0][1].group)].ranks == std::vector<int>{0, 1});
  CHECK(workload.groups[static_cast<std::size_t>(workload.nodes[0].back().group)].ranks.size() > 1);
  CHECK(refusal_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD ep: 3 all_gpus: 4\n1\n") ==
        "t:1: 4 data-parallel ranks do not divide into groups of 3 experts");
  CHECK(refusal_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD all_gpus: 4\n1\na -1 5\n") == "t:3: a layer has 12 fields, and here are 3");
  CHECK(refusal_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD all_gpus: 4\n2\n") == "t:2: line 2 says 2 layers, and there are 0");
}

TEST_CASE("formats: ranks that do not agree are named") {
  const auto trace = [](int rank, int elements) {
    return execution_trace(record(3, "[[1,2,0," + std::to_string(elements) + ",4,\"cuda:0\"]]", 5, "7", rank, "allreduce"));
  };
  const Workload one = read_workload_bytes(trace(0, 64), "eg_0.json");
  CHECK(calls_of(one, 0) == Calls{"all_reduce 64 float32"});
  std::string folder = (std::filesystem::temp_directory_path() / "railgauge-traces.XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::vector<std::string> paths{folder + "/eg_0.json", folder + "/eg_1.json"};
  for (int rank = 0; rank < 2; ++rank) std::ofstream(paths[static_cast<std::size_t>(rank)]) << trace(rank, 64 + rank);
  CHECK_THROWS_WITH((void)read_workload(paths),
                    ContainsSubstring("call 1 of group group 1 is all_reduce of 64 elements float32 sum on rank 0, and "
                                      "all_reduce of 65 elements float32 sum on rank 1"));
  std::ofstream(paths[1], std::ios::trunc) << trace(1, 64);
  CHECK(read_workload(paths).ranks == 2);
  std::filesystem::remove_all(folder);
}

TEST_CASE("formats: a wait of PyTorch is for the call of its group, which counts its own calls") {
  const auto trace = [](const std::string& group_of_wait) {
    const std::string tensor = R"([[1,2,0,64,4,"cuda:0"]])";
    return execution_trace(
        record(3, tensor, 5, R"(["a","first"])", 0, "allreduce") + "," +
        record(4, tensor, 5, R"(["b","second"])", 0, "allreduce") + "," +
        fmt::format(R"({{"name":"record_param_comms","id":5,"inputs":[5,{},0,"wait",[],[]]}},)", group_of_wait) +
        record(6, tensor, 6, R"(["b","second"])", 0, "allreduce"));
  };
  const auto awaited = [&](const std::string& group_of_wait) {
    return read_workload_bytes(trace(group_of_wait), "eg_0.json").nodes[0][2].after;
  };
  CHECK(awaited(R"(["a","first"])") == std::vector<std::uint32_t>{0});
  CHECK(awaited(R"(["b","second"])") == std::vector<std::uint32_t>{1});
  CHECK(awaited("0") == std::vector<std::uint32_t>{1});  // it does not say: the last call of that number
  CHECK(awaited(R"(["c",""])").empty());
}
