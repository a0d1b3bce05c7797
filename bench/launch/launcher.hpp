// What railgauge asks of a launcher, once: who this rank is, and where rank 0 awaits the others. After that the launcher is not
// spoken to again, because its fences never return when a rank is dead, but to end ranks that no longer answer.
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
  // Collective over all ranks: rank 0 gives its address (the others anything) and all return it. Where ranks did not come by
  // the deadline, those that did go on alone if the launcher can do without: the rendezvous at that address names who is absent.
  // Else throws Error(lost); Error(usage) with the call that failed.
  [[nodiscard]] virtual std::string publish(const std::string& address, Seconds deadline) = 0;
  // Asks the launcher to end all ranks that are left, this one too, and to give `code` as the exit code of the run. Returns once
  // it was asked, or cannot be within seconds; never throws. May be called when the session is gone and ranks are dead.
  using EndAll = std::function<void(int code)>;
  [[nodiscard]] virtual EndAll end_all() = 0;
};

// What a launcher plugin's one exported symbol, railgauge_launcher, returns.
struct LauncherTable {
  std::uint32_t abi = plugin_abi;
  const char* name = "";
  // Null, with the reason as a sentence fragment, when no such launcher started this process.
  std::unique_ptr<LauncherSession> (*open)(std::string& reason) = nullptr;
};

}  // namespace railgauge
