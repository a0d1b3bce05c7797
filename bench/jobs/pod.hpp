// What the pods of all kinds of Kubernetes jobs have alike, put into a manifest.
#pragma once

#include <string>
#include <vector>

#include "bench/jobs/jobs.hpp"
#include "bench/jobs/yaml.hpp"

namespace railgauge::jobs {

// {name: ..., labels of Kueue}
[[nodiscard]] Document metadata(const Job& job);

// One container on a node of its own with GPUs, other resources, pinned memory and a /dev/shm that is large enough. `command` and
// `environment` (entries of a container's env) may be empty.
[[nodiscard]] Document pod_spec(const Job& job, const std::string& container, const std::vector<std::string>& command,
                                const Document& environment);

// The template of pods of which no two may be on one node: they would be taken for one host, and share its cores.
[[nodiscard]] Document alone_on_its_node(const Job& job, const Document& pod);
// The variables by which ranks of pods meet at `root`, HOST:PORT (bench/launch/environment_launch.hpp).
[[nodiscard]] Document rendezvous_variables(const Job& job, const std::string& root);
// The Secret that their token comes from.
[[nodiscard]] Document token_secret(const Job& job);

// The spec of an Indexed Job with one pod a node.
[[nodiscard]] Document indexed_spec(const Job& job, const Document& pod);

inline constexpr int rendezvous_port = 29'400;

[[nodiscard]] std::vector<std::string> command_of(const Job& job);  // program and words
// Several documents as one file, `remark` above them.
[[nodiscard]] std::string manifest(const std::string& remark, const std::vector<Document>& documents);

}  // namespace railgauge::jobs
