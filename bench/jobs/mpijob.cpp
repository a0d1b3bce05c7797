// kubeflow.org/v2beta1 MPIJob: a launcher pod that runs mpirun, and worker pods whose sshd it reaches.
#include <string_view>

#include "bench/jobs/pod.hpp"

namespace railgauge::jobs {
namespace {

// What ci/image builds is called railgauge, in whatever registry it was put: "registry.example:5000/team/railgauge:0.1.0".
bool image_of_ours(std::string_view image) {
  image.remove_prefix(image.rfind('/') == std::string_view::npos ? 0 : image.rfind('/') + 1);
  return image.substr(0, image.find_first_of(":@")) == "railgauge";
}

}  // namespace

std::string mpijob(const Job& job) {
  std::vector<std::string> command = {"mpirun",
                                      "--allow-run-as-root",
                                      "--hostfile",
                                      "/etc/mpi/hostfile",  // Open MPI 5 does not read the variables that the operator sets for 4
                                      "-np",
                                      std::to_string(job.nodes * job.ranks_per_node),
                                      "--map-by",
                                      "slot",
                                      "--bind-to",
                                      "none"};
  for (const std::string& word : command_of(job)) command.push_back(word);

  Job launcher = job;  // needs no devices
  launcher.gpus_per_node = 0;
  launcher.resources.clear();
  Document root;
  root["apiVersion"] = "kubeflow.org/v2beta1";
  root["kind"] = "MPIJob";
  root["metadata"] = metadata(job);
  Document& spec = root["spec"];
  spec["slotsPerWorker"] = job.ranks_per_node;
  spec["mpiImplementation"] = "OpenMPI";
  if (image_of_ours(job.image)) spec["sshAuthMountPath"] = "/home/mpiuser/.ssh";  // its user is not root
  spec["launcherCreationPolicy"] = "WaitForWorkersReady";  // ssh does not try again where a worker has no name yet
  spec["runPolicy"]["cleanPodPolicy"] = "Running";
  spec["runPolicy"]["backoffLimit"] = 0;
  spec["runPolicy"]["activeDeadlineSeconds"] = job.minutes * 60;
  Document& replicas = spec["mpiReplicaSpecs"];
  replicas["Launcher"]["replicas"] = 1;
  replicas["Launcher"]["restartPolicy"] = "Never";
  replicas["Launcher"]["template"]["spec"] = pod_spec(launcher, "launcher", command, {});
  replicas["Worker"]["replicas"] = job.nodes;
  replicas["Worker"]["template"] = alone_on_its_node(job, pod_spec(job, "worker", {}, {}));
  return manifest("# Needs the MPI Operator, and an image that has railgauge, Open MPI and sshd. kubectl create -f FILE\n",
                  {root});
}

}  // namespace railgauge::jobs
