// What of an environment results hold, and above all what not.
#include "reports/environment.hpp"

#include <random>
#include <set>
#include <string>

#include "tests/test.hpp"

using namespace railgauge;

namespace {
using Environment = std::map<std::string, std::string, std::less<>>;
}

TEST_CASE("variables that change what is measured are told, in order and with their values") {
  const Environment environment{{"UCX_TLS", "rc,sm"},    {"NCCL_ALGO", "Ring"},           {"CUDA_VISIBLE_DEVICES", "0,1"},
                                {"HOME", "/root"},       {"LD_PRELOAD", "/home/me/x.so"}, {"PATH", "/bin"},
                                {"OMP_NUM_THREADS", "4"}};
  CHECK(told_environment(environment) == Variables{{"CUDA_VISIBLE_DEVICES", "0,1"},
                                                   {"LD_PRELOAD", "set"},
                                                   {"NCCL_ALGO", "Ring"},
                                                   {"OMP_NUM_THREADS", "4"},
                                                   {"UCX_TLS", "rc,sm"}});
}

TEST_CASE("secrets, identities and places to write to are never told") {
  for (const char* const name : {"",
                                 "UCX_",
                                 "HOME",
                                 "SLURM_JOB_ID",
                                 "AWS_SECRET_ACCESS_KEY",
                                 "NCCL_TOKEN",
                                 "UCX_PASSWORD",
                                 "NCCL_AUTH_FILE",
                                 "ucx_tls",
                                 "FI_OPX_KEY",
                                 "NCCL_api_Token",
                                 "UCX_SeCrEt_X",
                                 "HSA_PASSPHRASE",
                                 "IBV_CREDENTIALS",
                                 "NCCL_COMM_ID",
                                 "NCCL_HOSTID",
                                 "NCCL_TOPO_DUMP_FILE",
                                 "NCCL_DEBUG_FILE",
                                 "UCX_LOG_FILE",
                                 "OMPI_MCA_orte_hnp_uri",
                                 "OMPI_MCA_ess_base_jobid",
                                 "PMIX_SERVER_URI41",
                                 "CUDA_VISIBLE_DEVICES_",
                                 "XUCX_TLS",
                                 "LD_PRELOAD_X"}) {
    INFO(name);
    CHECK(find_variable(name) == nullptr);
    CHECK(told_environment({{name, "x"}}).empty());
  }
}

TEST_CASE("values are of one line and not long") {
  const Variables told = told_environment({{"UCX_TLS", std::string(100'000, 'x')}, {"NCCL_ALGO", "a\nb\x1b[31m\xff"}});
  REQUIRE(told.size() == 2);
  CHECK(told[0].second == "a b [31m\xef\xbf\xbd");
  CHECK(told[1].second == std::string(256, 'x'));
}

TEST_CASE("each row has a reason, a pattern of its own and no secret in it") {
  std::set<std::string_view> patterns;
  for (const VariableRow& row : measured_variables()) {
    INFO(row.pattern);
    CHECK(patterns.insert(row.pattern).second);
    CHECK_FALSE(row.reason.empty());
    std::string name(row.pattern);
    if (name.ends_with('*')) name.replace(name.size() - 1, 1, "X");
    REQUIRE(find_variable(name) != nullptr);
    CHECK(find_variable(name)->pattern == row.pattern);
    for (const char* const word : {"_TOKEN", "_KEY", "_PASSWORD", "_SECRET"}) CHECK(find_variable(name + word) == nullptr);
  }
}

TEST_CASE("any environment is told in printable text") {
  constexpr std::uint64_t seed = 3;
  std::mt19937_64 random(seed);
  for (int turn = 0; turn < 500; ++turn) {
    INFO("seed " << seed << ", turn " << turn);
    std::string name = "UCX_", value;
    for (auto left = random() % 40; left != 0; --left) name += static_cast<char>(random() % 255 + 1);
    for (auto left = random() % 600; left != 0; --left) value += static_cast<char>(random() % 256);
    for (const auto& [told, with] : told_environment({{name, value}})) {
      CHECK(told.find_first_of("\n\r\x1b") == std::string::npos);
      CHECK(with.find_first_of("\n\r\x1b") == std::string::npos);
    }
  }
}
