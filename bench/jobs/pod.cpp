// Pods, and what goes with them.
#include "bench/jobs/pod.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace railgauge::jobs {
namespace {

Document variable(const std::string& name, const std::string& value) {
  Document node;
  node["name"] = name;
  node["value"] = value;
  return node;
}

}  // namespace

Document metadata(const Job& job) {
  Document node;
  node["name"] = job.name;
  if (!job.queue.empty()) node["labels"]["kueue.x-k8s.io/queue-name"] = job.queue;
  return node;
}

Document pod_spec(const Job& job, const std::string& container, const std::vector<std::string>& command,
                  const Document& environment) {
  Document one;
  one["name"] = container;
  one["image"] = job.image;
  if (!command.empty()) one["command"] = command;
  if (!environment.empty()) one["env"] = environment;
  Document limits;
  if (job.gpus_per_node > 0) limits["nvidia.com/gpu"] = job.gpus_per_node;
  for (const auto& [name, count] : job.resources) limits[name] = count;
  if (!limits.empty()) one["resources"]["limits"] = limits;
  // RDMA registers memory, which a limit on locked memory would refuse.
  one["securityContext"]["capabilities"]["add"].push_back("IPC_LOCK");
  Document mount;
  mount["name"] = "shm";
  mount["mountPath"] = "/dev/shm";
  one["volumeMounts"].push_back(mount);

  Document volume;
  volume["name"] = "shm";
  volume["emptyDir"]["medium"] = "Memory";
  Document spec;
  spec["containers"].push_back(one);
  spec["volumes"].push_back(volume);
  return spec;
}

Document alone_on_its_node(const Job& job, const Document& pod) {
  const std::string label = "app.kubernetes.io/instance";
  Document apart;
  apart["labelSelector"]["matchLabels"][label] = job.name;
  apart["topologyKey"] = "kubernetes.io/hostname";
  Document all;
  all["metadata"]["labels"][label] = job.name;
  all["spec"] = pod;
  all["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"].push_back(apart);
  return all;
}

Document rendezvous_variables(const Job& job, const std::string& root) {
  Document all;
  all.push_back(variable("RAILGAUGE_NODES", std::to_string(job.nodes)));
  all.push_back(variable("RAILGAUGE_LOCAL_RANKS", std::to_string(job.ranks_per_node)));
  all.push_back(variable("RAILGAUGE_RENDEZVOUS", root));
  // An image may have to be pulled first.
  constexpr int most_seconds = 600, seconds_of_minute = 60;
  all.push_back(
      variable("RAILGAUGE_RENDEZVOUS_TIMEOUT", std::to_string(std::min(most_seconds, seconds_of_minute * job.minutes / 2))));
  Document node;
  node["name"] = "RAILGAUGE_NODE";
  node["valueFrom"]["fieldRef"]["fieldPath"] = "spec.nodeName";
  all.push_back(node);
  Document token;
  token["name"] = "RAILGAUGE_TOKEN";
  token["valueFrom"]["secretKeyRef"]["name"] = job.name + "-token";
  token["valueFrom"]["secretKeyRef"]["key"] = "token";
  all.push_back(token);
  return all;
}

Document token_secret(const Job& job) {
  Document secret;
  secret["apiVersion"] = "v1";
  secret["kind"] = "Secret";
  secret["metadata"]["name"] = job.name + "-token";
  secret["stringData"]["token"] = job.token;
  return secret;
}

Document indexed_spec(const Job& job, const Document& pod) {
  Document spec;
  spec["completionMode"] = "Indexed";
  spec["completions"] = job.nodes;
  spec["parallelism"] = job.nodes;
  spec["backoffLimit"] = 0;
  spec["activeDeadlineSeconds"] = job.minutes * 60;
  spec["template"] = alone_on_its_node(job, pod);
  spec["template"]["spec"]["restartPolicy"] = "Never";
  return spec;
}

std::vector<std::string> command_of(const Job& job) {
  std::vector<std::string> command = job.program;
  command.insert(command.end(), job.words.begin(), job.words.end());
  return command;
}

std::string manifest(const std::string& remark, const std::vector<Document>& documents) {
  std::string text = remark;
  for (const Document& document : documents) text += "---\n" + to_yaml(document);
  return text;
}

}  // namespace railgauge::jobs
