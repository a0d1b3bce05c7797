// Runs `railgauge validate` from its options to its exit code: starts or finds the ranks, makes one process their conductor, and
// goes through the stages.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/invocation.hpp"
#include "bench/session/session.hpp"
#include "bench/validate/stages/validation_run.hpp"
#include "topo/read/request.hpp"

namespace railgauge::validate {

struct ValidateOptions {
  ValidationOptions run;
  SessionOptions session;
  std::map<std::string, Settings> settings;  // by transport
  std::optional<int> ranks;                  // of this machine; empty under a launcher
  Seconds budget{600};
  std::vector<std::string> stages;  // names; empty: all but those that run only where --stages names them
  std::vector<std::string> skip;
  std::vector<std::string> outputs;  // files
  std::string format;
  topo::SourceOptions topology;  // of the fabric; where it names no source, switches are unknown
  std::string journal;           // file in which measurements are noted, and from which they are taken again; empty: none
  Network network;               // the interfaces by which ranks speak, and those that are measured
  agents::Patience patience;
};

// Returns the exit code. Throws Error where something was wrong before anything was measured.
[[nodiscard]] int run_validate(const ValidateOptions& given, const Invocation& invocation);

}  // namespace railgauge::validate
