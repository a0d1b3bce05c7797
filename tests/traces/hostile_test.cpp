// Damaged and malicious traces: one sentence each.
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/traces/made.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes.push_back(static_cast<char>((value & 127) | 128));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}
std::string field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string field(int number, std::uint64_t value) { return varint(static_cast<std::uint64_t>(number) << 3) + varint(value); }
std::string message(const std::string& bytes) { return varint(bytes.size()) + bytes; }
const std::string header = message(field(1, "0.0.4"));
std::string node(std::uint64_t id, std::uint64_t before) {
  return message(field(1, id) + field(3, 4) + field(5, varint(before)));
}

std::vector<std::string> samples() {
  std::vector<std::string> all = {
      header + node(1, 0) + node(2, 1),
      R"({"schema":"1.0.1","nodes":[{"name":"record_param_comms","id":3,"inputs":[[[1,2,0,64,4,"cuda:0"]],5,7,0,"allreduce",[],[]],"input_types":["GenericList[Tensor(float)]"],"outputs":[]}]})",
      R"([{"comms":"all_reduce","in_msg_size":64,"out_msg_size":64,"dtype":"float32","world_size":2}])",
      R"({"traceEvents":[{"cat":"kernel","name":"ncclDevKernel_AllReduce","ts":1.5,"dur":2,"args":{"Collective name":"allreduce","In msg nelems":8,"dtype":"Float"}}]})",
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD all_gpus: 4\n1\na -1 5 ALLREDUCE 64 5 NONE 0 5 NONE 0 1\n",
      "h:1:2 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x1 count 4 datatype 7 op 0 root 0 comm 0x3 [nranks=2] "
      "stream 0x4\n"};
  all.push_back(gzipped(all[1]));
  return all;
}

}  // namespace

TEST_CASE("hostile: the samples are read as they are") {
  for (const std::string& sample : samples()) CHECK(refusal_of(sample) == "");
}

TEST_CASE("hostile: Chakra's messages that are cut, giant or circular") {
  CHECK(refusal_of(header + node(1, 2) + node(2, 1)) == "t: node 1: it depends on itself, by way of others or directly");
  CHECK(refusal_of(header + node(1, 1)) == "t: node 1: it depends on itself, by way of others or directly");
  CHECK(refusal_of(header + node(1, 0) + node(1, 0)) == "t: node 1: the id is there twice");
  CHECK(refusal_of(header + "\xff\xff\xff\xff\xff\xff") == "t: message 1: its length is none");
  CHECK(refusal_of(header + varint(1 << 30)) == "t: message 1: it has 1073741824 bytes, and 2097152 are the most that is read");
  CHECK(refusal_of(header + varint(100) + "abc") == "t: message 1: the file is truncated");
  CHECK(refusal_of(header + message("\xff\xff\xff")) == "t: message 1: it is no message of Chakra");
  const std::string call =
      message(field(3, 7) + field(10, field(1, "comm_type") + field(9, 5000)) + field(10, field(1, "comm_size") + field(9, 4)));
  CHECK(refusal_of(header + call) == "t: node 0: no comm_type 5000 is known");
  const std::string giant = message(field(3, 7) + field(10, field(1, "comm_type") + field(9, 0)) +
                                    field(10, field(1, "comm_size") + field(13, ~std::uint64_t{0})));
  CHECK(refusal_of(header + giant) == "t: node 0: more elements than any memory holds");
}

TEST_CASE("hostile: JSON that is deep, endless or of no numbers") {
  CHECK_THAT(refusal_of(R"({"schema":"1","nodes":[)" + std::string(100'000, '[')),
             ContainsSubstring("it is nested more than 64 deep"));
  CHECK_THAT(refusal_of(R"({"schema":"1","other":)" + std::string(100'000, '[')), ContainsSubstring("no format of traces"));
  CHECK_THAT(refusal_of(R"({"schema":"1","nodes":[],"other":)" + std::string(100'000, '[')),
             ContainsSubstring("it is nested more than 1000 deep"));
  CHECK(refusal_of(R"({"schema":"1","nodes":[1,1]})") == "t: element 0 of its list is no object");
  std::string wide = R"({"schema":"1","nodes":[{"inputs":[)";
  for (int i = 0; i < 250'000; ++i) wide += "0,";
  CHECK_THAT(refusal_of(wide), ContainsSubstring("one element has more than 200000 values"));
  CHECK_THAT(refusal_of(R"({"traceEvents":[{"cat":"kernel","name":"k","ts":NaN,"dur":1}]})"),
             ContainsSubstring("no valid JSON at byte"));
  CHECK_THAT(refusal_of(R"({"traceEvents":[{"cat":"kernel","name":"k","ts":"a","dur":1}]})"),
             ContainsSubstring("event 0 (k) has no ts and dur that are numbers"));
  CHECK_THAT(refusal_of(R"({"traceEvents":[{"cat":"kernel","name":"k","ts":1,"dur":-1}]})"),
             ContainsSubstring("event 0 (k) has no ts and dur that are numbers"));
  CHECK_THAT(refusal_of(R"([{"comms":"all_reduce","in_msg_size":99999999999999999999999,"dtype":"float32"}])"),
             ContainsSubstring("in_msg_size is no number of elements"));
}

TEST_CASE("hostile: numbers of ranks that no job has are refused by name") {
  const std::string most = ": 200000 ranks are the most that are read";
  CHECK(refusal_of(R"([{"comms":"all_reduce","in_msg_size":1,"dtype":"float32","world_size":999999999,"pg_id":1}])") ==
        "t: entry 0: world_size 999999999" + most);
  CHECK(refusal_of(R"([{"comms":"broadcast","in_msg_size":1,"dtype":"float32","root":200001}])") ==
        "t: entry 0: root 200001" + most);
  CHECK(refusal_of(R"([{"comms":"all_reduce","in_msg_size":1,"dtype":"float32","global_ranks":[0,200000]}])") ==
        "t: entry 0: a group names rank 200000, and 200000 ranks are the most that are read");
  const auto profile = [](const std::string& member, const std::string& details) {
    return R"({"distributedInfo":{)" + member +
           R"(},"traceEvents":[{"cat":"kernel","name":"ncclDevKernel_AllReduce","ts":1,"dur":2,)" +
           R"("args":{"Collective name":"allreduce","In msg nelems":8,"dtype":"Float")" + details + "}}]}";
  };
  CHECK(refusal_of(profile(R"("world_size":200001)", "")) == "t: distributedInfo: world_size 200001" + most);
  CHECK(refusal_of(profile(R"("rank":4294967296)", "")) == "t: distributedInfo: rank 4294967296" + most);
  CHECK(refusal_of(profile(R"("pg_config":[{"pg_name":"0","pg_size":5000000}])", "")) == "t: pg_size 5000000" + most);
  CHECK(refusal_of(profile("", R"(,"Group size":18446744073709551615)")) == "t: event 0: Group size 18446744073709551615" + most);
  CHECK(refusal_of(profile("", R"(,"Src Rank":300000)")) == "t: event 0: Src Rank 300000" + most);
  CHECK(refusal_of(profile("", R"(,"In split size":["a"])")) == "t: event 0: expected numbers in [\"a\"]");
}

TEST_CASE("hostile: archives that unpack to far more than they are") {
  const std::string begin = R"({"schema":"1","nodes":[)", blanks(std::size_t{18} << 20, ' ');
  CHECK(refusal_of(gzipped(begin + blanks)) == "t: it unpacks to more than 64 times its size, which no trace does");
  CHECK(refusal_of(begin + blanks) == "t: 16 MiB without anything that belongs to a trace");
  std::string damaged = gzipped(samples()[1]);
  damaged.resize(damaged.size() / 2);
  CHECK_THAT(refusal_of(damaged), ContainsSubstring("t: "));
  CHECK(refusal_of("") != "");
}

TEST_CASE("hostile: truncated and altered samples are read or refused in one sentence") {
  constexpr std::uint64_t seed = 7;
  std::mt19937_64 draw(seed);
  const int rounds = thorough() ? 2000 : 60;
  for (const std::string& sample : samples()) {
    for (std::size_t length = 0; length < sample.size(); length += std::max<std::size_t>(sample.size() / 40, 1))
      CHECK(refusal_of(sample.substr(0, length)).find('\n') == std::string::npos);
    for (int round = 0; round < rounds; ++round) {
      std::string altered = sample;
      for (int change = 0; change < 3; ++change) altered[draw() % altered.size()] = static_cast<char>(draw());
      INFO("seed " << seed << ", round " << round);
      const std::string said = refusal_of(altered);
      CHECK(said.find('\n') == std::string::npos);
      CHECK_FALSE(said.starts_with("another fault"));
    }
  }
}
