// Jobs that are printed.
#include "bench/jobs/jobs.hpp"

#include <yaml-cpp/yaml.h>

#include "base/error.hpp"
#include "tests/test.hpp"

namespace railgauge::jobs {
namespace {

using test::ContainsSubstring;

Job some_job() {
  Job job;
  job.nodes = 16;
  job.gpus_per_node = 8;
  job.ranks_per_node = 8;
  job.image = "registry.example/railgauge:1";
  job.queue = "users";
  job.resources = {{"rdma/ib", "8"}};
  job.token = "00112233445566778899aabbccddeeff";
  job.words = {"bench", "all_reduce", "--bytes", "8:1G", "-o", "it's here.jsonl"};
  return job;
}

std::string sentence_of(const Job& job, std::string_view kind) {
  try {
    require_sound(job, kind_of(kind));
    return "";
  } catch (const Error& error) { return error.what(); }
}

std::vector<std::string> strings(const YAML::Node& list) {
  std::vector<std::string> all;
  for (const YAML::Node& each : list) all.push_back(each.as<std::string>());
  return all;
}

}  // namespace

TEST_CASE("jobs: a Slurm script asks for what was said, and quotes what a shell would change") {
  Job job = some_job();
  job.image.clear();
  job.partition = "gpu";
  const std::string text = slurm(job);
  for (const char* line : {"#!/bin/bash\n", "#SBATCH --nodes=16\n", "#SBATCH --ntasks-per-node=8\n",
                           "#SBATCH --gpus-per-node=8\n", "#SBATCH --time=30\n", "#SBATCH --partition=gpu\n",
                           "exec srun --mpi=pmix ", "  railgauge bench all_reduce --bytes 8:1G -o 'it'\\''s here.jsonl'\n"})
    CHECK_THAT(text, ContainsSubstring(line));
  job.gpus_per_node = 0;
  CHECK(slurm(job).find("gpus") == std::string::npos);
}

TEST_CASE("jobs: a script for torchrun has the token and the words, and asks for the place of a node among several") {
  Job job = some_job();
  job.image.clear();
  CHECK(sentence_of(job, "torchrun").empty());
  const std::string text = torchrun(job);
  for (const char* part :
       {"export RAILGAUGE_TOKEN=00112233445566778899aabbccddeeff\n", "--nnodes=16 --nproc_per_node=8 ", "NODE_RANK:?",
        "MASTER_ADDR:?", "--no_python railgauge bench all_reduce --bytes 8:1G -o 'it'\\''s here.jsonl'\n"})
    CHECK_THAT(text, ContainsSubstring(part));
  job.nodes = 1;
  CHECK(torchrun(job).find(":?") == std::string::npos);
}

TEST_CASE("jobs: pods have the devices, the token and the words") {
  struct Row {
    std::string (*text)(const Job&);
    std::size_t documents, main;
    std::vector<std::string> steps;  // from the document to the spec of the pods that measure
    const char* root;
  };
  const Row rows[] = {
      {jobset,
       2,
       1,
       {"spec", "replicatedJobs", "0", "template", "spec", "template", "spec"},
       "railgauge-nodes-0-0.railgauge:29400"},
      {indexed_job, 3, 2, {"spec", "template", "spec"}, "railgauge-0.railgauge:29400"},
  };
  for (const Row& row : rows) {
    const std::vector<YAML::Node> documents = YAML::LoadAll(row.text(some_job()));
    REQUIRE(documents.size() == row.documents);
    CHECK(documents[0]["stringData"]["token"].as<std::string>() == some_job().token);
    YAML::Node pod = YAML::Clone(documents[row.main]);
    CHECK(pod["metadata"]["labels"]["kueue.x-k8s.io/queue-name"].as<std::string>() == "users");
    for (const std::string& step : row.steps) {
      const YAML::Node next = step == "0" ? pod[0] : pod[step];
      pod.reset(next);
    }
    // No two of them on one node.
    const YAML::Node apart = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0];
    CHECK(apart["topologyKey"].as<std::string>() == "kubernetes.io/hostname");
    CHECK(apart["labelSelector"]["matchLabels"]["app.kubernetes.io/instance"].as<std::string>() == "railgauge");
    CHECK_THAT(row.text(some_job()),
               ContainsSubstring("labels:\n") && ContainsSubstring("app.kubernetes.io/instance: railgauge"));
    const YAML::Node container = pod["containers"][0];
    std::vector<std::string> words{"railgauge"};
    for (const std::string& word : some_job().words) words.push_back(word);
    CHECK(strings(container["command"]) == words);
    CHECK(container["resources"]["limits"]["nvidia.com/gpu"].as<int>() == 8);
    CHECK(container["resources"]["limits"]["rdma/ib"].as<std::string>() == "8");
    CHECK(pod["restartPolicy"].as<std::string>() == "Never");
    std::map<std::string, std::string> variables;
    for (const YAML::Node& each : container["env"])
      variables[each["name"].as<std::string>()] = each["value"] ? each["value"].as<std::string>() : "from elsewhere";
    CHECK(variables == std::map<std::string, std::string>{{"RAILGAUGE_NODES", "16"},
                                                          {"RAILGAUGE_LOCAL_RANKS", "8"},
                                                          {"RAILGAUGE_RENDEZVOUS", row.root},
                                                          {"RAILGAUGE_RENDEZVOUS_TIMEOUT", "600"},
                                                          {"RAILGAUGE_NODE", "from elsewhere"},
                                                          {"RAILGAUGE_TOKEN", "from elsewhere"}});
  }
}

TEST_CASE("jobs: an MPIJob's launcher starts all ranks and takes no GPU") {
  const YAML::Node document = YAML::Load(mpijob(some_job()));
  const YAML::Node replicas = document["spec"]["mpiReplicaSpecs"];
  CHECK(document["spec"]["slotsPerWorker"].as<int>() == 8);
  CHECK(replicas["Worker"]["replicas"].as<int>() == 16);
  const YAML::Node launcher = replicas["Launcher"]["template"]["spec"]["containers"][0];
  CHECK_FALSE(launcher["resources"]);
  CHECK(document["spec"]["launcherCreationPolicy"].as<std::string>() == "WaitForWorkersReady");
  CHECK(replicas["Worker"]["template"]["metadata"]["labels"]["app.kubernetes.io/instance"].as<std::string>() == "railgauge");
  CHECK_FALSE(replicas["Launcher"]["template"]["spec"]["affinity"]);
  const std::vector<std::string> command = strings(launcher["command"]);
  CHECK(command[0] == "mpirun");
  CHECK(std::find(command.begin(), command.end(), "128") != command.end());
  CHECK(command.back() == "it's here.jsonl");
}

TEST_CASE("jobs: what is wrong is said by its option") {
  CHECK(sentence_of(some_job(), "jobset").empty());
  const auto with = [](const auto& change) {
    Job job = some_job();
    change(job);
    return job;
  };
  for (const char* name : {"", "Rail", "-a", "a-", "1a", "a_b", "a.b", "a234567890123456789012345678901234567890x"})
    CHECK_THAT(sentence_of(with([&](Job& job) { job.name = name; }), "jobset"), ContainsSubstring("--name"));
  for (const char* name : {"a b", "$(reboot)", "a\"b", "a\nb", "`x`"}) {
    CHECK_THAT(sentence_of(with([&](Job& job) { job.image = name; }), "mpijob"), ContainsSubstring("--image"));
    CHECK_THAT(sentence_of(with([&](Job& job) { job.partition = name; }), "jobset"), ContainsSubstring("--partition"));
  }
  for (const auto& [name, count] : {std::pair("rdma", "1"), {"rdma/ib", "0"}, {"rdma/ib", ""}, {"rdma/ib", "x"}, {"", "1"}})
    CHECK_THAT(sentence_of(with([&, its = name, number = count](Job& job) { job.resources = {{its, number}}; }), "job"),
               ContainsSubstring("--resource"));
  CHECK_THAT(sentence_of(with([](Job& job) { job.image.clear(); }), "job"), ContainsSubstring("--print job needs --image"));
  CHECK_THAT(sentence_of(some_job(), "slurm"), ContainsSubstring("--image says nothing"));
  CHECK_THAT(sentence_of(with([](Job& job) { job.mpi = "none"; }), "job"), ContainsSubstring("--mpi"));
  CHECK_THAT(sentence_of(with([](Job& job) { job.queue = "A"; }), "job"), ContainsSubstring("--queue"));
  CHECK_THAT(sentence_of(with([](Job& job) { job.words = {"a\nb"}; }), "job"), ContainsSubstring("control characters"));
  CHECK_THAT(sentence_of(with([](Job& job) { job.token = "x"; }), "job"), ContainsSubstring("token"));
  CHECK_THROWS_WITH(kind_of("pbs"), "--print pbs: choose one of slurm, mpijob, jobset, job, torchrun");
}

}  // namespace railgauge::jobs
