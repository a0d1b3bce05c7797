// batch/v1 Job, Indexed, with a headless Service: what JobSet makes of its own, for clusters that lack it.
#include <fmt/format.h>

#include "bench/jobs/pod.hpp"

namespace railgauge::jobs {

std::string indexed_job(const Job& job) {
  Document service;
  service["apiVersion"] = "v1";
  service["kind"] = "Service";
  service["metadata"]["name"] = job.name;
  service["spec"]["clusterIP"] = "None";
  service["spec"]["publishNotReadyAddresses"] = true;  // ranks are to meet before they are ready
  service["spec"]["selector"]["job-name"] = job.name;

  Document pod = pod_spec(job, "railgauge", command_of(job),
                          rendezvous_variables(job, fmt::format("{0}-0.{0}:{1}", job.name, rendezvous_port)));
  pod["subdomain"] = job.name;
  Document root;
  root["apiVersion"] = "batch/v1";
  root["kind"] = "Job";
  root["metadata"] = metadata(job);
  const Document spec = indexed_spec(job, pod);
  for (const auto& [key, value] : spec.items()) root["spec"][key] = value;
  return manifest("# Ranks meet by the token of the Secret: print anew for every job. kubectl create -f FILE\n",
                  {token_secret(job), service, root});
}

}  // namespace railgauge::jobs
