// jobset.x-k8s.io/v1alpha2 JobSet: one pod a node, which starts its ranks; they meet at pod 0 by a token.
#include <fmt/format.h>

#include "bench/jobs/pod.hpp"

namespace railgauge::jobs {

std::string jobset(const Job& job) {
  const std::string root_host = fmt::format("{0}-nodes-0-0.{0}:{1}", job.name, rendezvous_port);
  Document nodes;
  nodes["name"] = "nodes";
  nodes["replicas"] = 1;
  nodes["template"]["spec"] =
      indexed_spec(job, pod_spec(job, "railgauge", command_of(job), rendezvous_variables(job, root_host)));
  Document root;
  root["apiVersion"] = "jobset.x-k8s.io/v1alpha2";
  root["kind"] = "JobSet";
  root["metadata"] = metadata(job);
  Document& spec = root["spec"];
  spec["network"]["enableDNSHostnames"] = true;
  spec["network"]["publishNotReadyAddresses"] = true;
  spec["failurePolicy"]["maxRestarts"] = 0;
  spec["replicatedJobs"].push_back(nodes);
  return manifest("# Needs JobSet. Ranks meet by the token of the Secret: print anew for every job. kubectl create -f FILE\n",
                  {token_secret(job), root});
}

}  // namespace railgauge::jobs
