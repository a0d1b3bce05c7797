// The contract of a launcher plugin. railgauge asks the launcher once for the placement of this rank and the address of rank 0.
// Later it only asks the launcher to end ranks that no longer answer, because a launcher's fence never returns when a rank is
// dead.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/plugin.hpp"
#include "base/units.hpp"

namespace railgauge {

struct Placement {
  int rank = 0, size = 1;
  int local_rank = 0, local_size = 1;  // among the ranks of this node
  std::string node = "localhost";      // as the launcher names it
};

class LauncherSession {
 public:
  virtual ~LauncherSession() = default;
  [[nodiscard]] virtual Placement placement() const = 0;
  // Collective over all ranks: rank 0 passes its address (the others any text), and all ranks return it. Where ranks are absent
  // at the deadline, the others continue if the launcher permits: the rendezvous at that address names the absent ranks. Else
  // throws Error(lost); throws Error(usage) with the call that failed.
  [[nodiscard]] virtual std::string publish(const std::string& address, Seconds deadline) = 0;
  // Asks the launcher to end all remaining ranks, this one too, and to return `code` as the exit code of the run. Returns once
  // the launcher has the request, or after some seconds; never throws. Valid also after the session ends and when ranks are
  // dead.
  using EndAll = std::function<void(int code)>;
  [[nodiscard]] virtual EndAll end_all() = 0;
};

// The table that a launcher plugin's one exported function, railgauge_launcher, returns; static storage of the plugin.
struct LauncherTable {
  std::uint32_t abi = plugin_abi;
  const char* name = "";
  // Null, with the reason as a sentence fragment, when no such launcher started this process.
  std::unique_ptr<LauncherSession> (*open)(std::string& reason) = nullptr;
};

}  // namespace railgauge
