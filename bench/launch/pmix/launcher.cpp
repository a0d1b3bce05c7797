// PMIx as launcher: mpirun of Open MPI, prterun, srun --mpi=pmix.
#include "bench/launch/launcher.hpp"

#include <fmt/format.h>
#include <pmix.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr const char* key = "railgauge.root";

[[noreturn]] void fail(const char* call, pmix_status_t code) {
  throw Error(Fault::usage, fmt::format("{}: {}", call, PMIx_Error_string(code)));
}

struct Release {
  void operator()(pmix_value_t* value) const noexcept { PMIX_VALUE_RELEASE(value); }
};
using Value = std::unique_ptr<pmix_value_t, Release>;

pmix_status_t get(const pmix_proc_t& self, pmix_rank_t rank, const char* name, Value& value) {
  pmix_proc_t process = self;
  process.rank = rank;
  pmix_value_t* found = nullptr;
  const pmix_status_t code = PMIx_Get(&process, name, nullptr, 0, &found);
  value.reset(found);
  return code == PMIX_SUCCESS && found == nullptr ? PMIX_ERR_NOT_FOUND : code;
}

// Servers differ in the widths that they use. -1 when there is no such number.
long long number(const pmix_proc_t& self, pmix_rank_t rank, const char* name) {
  Value value;
  if (get(self, rank, name, value) != PMIX_SUCCESS) return -1;
  switch (value->type) {
    case PMIX_UINT16:
      return value->data.uint16;
    case PMIX_UINT32:
      return value->data.uint32;
    case PMIX_UINT64:
      return static_cast<long long>(value->data.uint64);
    case PMIX_UINT:
      return value->data.uint;
    case PMIX_INT32:
      return value->data.int32;
    case PMIX_INT:
      return value->data.integer;
    case PMIX_PROC_RANK:
      return value->data.rank;
    default:
      return -1;
  }
}

// What PMIx's own thread answers, which may do so after the waiter has gone: hence it owns itself until then.
struct Answered {
  // Whether it came in time.
  bool wait(Seconds deadline) {
    std::unique_lock guard(lock);
    return wake.wait_for(guard, deadline, [&] { return done; });
  }

  std::mutex lock;
  std::condition_variable wake;
  bool done = false;
  pmix_status_t code = PMIX_SUCCESS;
};

// To be called with the lock free.
void answered(Answered& waiter, pmix_status_t code) {
  const std::lock_guard guard(waiter.lock);
  waiter.code = code;
  waiter.done = true;
  waiter.wake.notify_all();
}

struct Asked : Answered {
  std::string text;
};

void value_came(pmix_status_t code, pmix_value_t* value, void* waiter) {
  const std::unique_ptr<std::shared_ptr<Asked>> owner(static_cast<std::shared_ptr<Asked>*>(waiter));
  if (code == PMIX_SUCCESS && value != nullptr && value->type == PMIX_STRING && value->data.string != nullptr)
    (*owner)->text = value->data.string;  // nobody reads it before it is done
  answered(**owner, code);
}

struct Fence : Answered {
  Fence() {
    const bool collect = true;
    PMIX_INFO_LOAD(&information, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
  }
  ~Fence() { PMIX_INFO_DESTRUCT(&information); }
  Fence(const Fence&) = delete;
  Fence& operator=(const Fence&) = delete;

  pmix_info_t information{};
};

void fence_done(pmix_status_t code, void* waiter) {
  const std::unique_ptr<std::shared_ptr<Fence>> owner(static_cast<std::shared_ptr<Fence>*>(waiter));
  answered(**owner, code);
}

// Calls of PMIx have no deadline of their own. Whether this one returned in time; else it goes on, and nobody waits for it.
bool with_patience(Seconds patience, std::function<void()> call) {
  const auto asked = std::make_shared<std::promise<void>>();
  std::future<void> done = asked->get_future();
  try {
    std::thread([asked, call = std::move(call)] {
      call();
      asked->set_value();
    }).detach();
  } catch (const std::system_error&) {
    return false;  // no thread is to be had
  }
  return done.wait_for(patience) == std::future_status::ready;
}

// PMIx again, after it was left: its server takes a client that comes back.
void ask_to_end_all(int code) {
  (void)with_patience(Seconds(5), [code] {
    pmix_proc_t self;
    PMIX_PROC_CONSTRUCT(&self);
    if (PMIx_Init(&self, nullptr, 0) == PMIX_SUCCESS)
      (void)PMIx_Abort(code, "a rank was lost, and what was found is written", nullptr, 0);
  });
}

class PmixSession final : public LauncherSession {
 public:
  explicit PmixSession(const pmix_proc_t& self) : self_(self) {}

  // At once after the exchange: later, with a dead rank, it could wait for ever; and mpirun takes a process that ends without
  // it for a failed one. PMIx's thread is gone before anything is measured.
  ~PmixSession() override {
    if (healthy_ && together_) (void)PMIx_Finalize(nullptr, 0);
    if (healthy_ && !together_) (void)with_patience(Seconds(2), [] { (void)PMIx_Finalize(nullptr, 0); });
  }

  Placement placement() const override {
    Placement placement;
    const long long size = number(self_, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
    if (size < 1) throw Error(Fault::usage, "PMIx does not say how many ranks there are (PMIX_JOB_SIZE)");
    placement.rank = static_cast<int>(self_.rank);
    placement.size = static_cast<int>(size);
    placement.local_rank = static_cast<int>(std::max(0LL, number(self_, self_.rank, PMIX_LOCAL_RANK)));
    placement.local_size = static_cast<int>(std::max(1LL, number(self_, PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE)));
    // Never gethostname() first: several nodes of a simulated cluster, or containers, may share that name.
    Value node;
    char host[256] = "localhost";
    if (get(self_, self_.rank, PMIX_HOSTNAME, node) == PMIX_SUCCESS && node->type == PMIX_STRING &&
        node->data.string != nullptr) {
      placement.node = node->data.string;
    } else if (gethostname(host, sizeof host - 1) == 0) {
      placement.node = host;
    }
    return placement;
  }

  EndAll end_all() override { return ask_to_end_all; }

  std::string publish(const std::string& address, Seconds deadline) override {
    if (self_.rank == 0) {
      pmix_value_t value;
      PMIX_VALUE_CONSTRUCT(&value);
      PMIX_VALUE_LOAD(&value, address.c_str(), PMIX_STRING);
      const pmix_status_t code = PMIx_Put(PMIX_GLOBAL, key, &value);
      PMIX_VALUE_DESTRUCT(&value);
      if (code != PMIX_SUCCESS) fail("PMIx_Put", code);
    }
    if (const pmix_status_t code = PMIx_Commit(); code != PMIX_SUCCESS) fail("PMIx_Commit", code);
    // A fence without one of the ranks never ends, and does not say whom it lacks. Rank 0 does, at the rendezvous: its address
    // can be had without the fence, by asking its node. Who comes later is answered all the same.
    constexpr Seconds to_come{15};
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(deadline);
    together_ = fence(std::min(deadline, to_come));
    if (self_.rank == 0) return address;
    constexpr std::chrono::milliseconds pause{250};
    while (true) {
      const auto asked = std::make_shared<Asked>();
      auto* waiter = new std::shared_ptr<Asked>(asked);  // value_came() takes it
      pmix_proc_t root = self_;
      root.rank = 0;
      if (const pmix_status_t code = PMIx_Get_nb(&root, key, nullptr, 0, value_came, waiter); code != PMIX_SUCCESS) {
        delete waiter;
        fail("PMIx_Get_nb of rank 0's address", code);
      }
      const auto left = until - std::chrono::steady_clock::now();
      if (!asked->wait(std::max(Seconds(1), Seconds(left)))) {
        healthy_ = false;
        throw Error(Fault::lost, fmt::format("rank 0 did not tell the launcher its address within {:g} s", deadline.count()));
      }
      if (asked->code == PMIX_SUCCESS && !asked->text.empty()) return asked->text;
      // Some answer at once that rank 0 has told nothing yet.
      if (together_ || asked->code == PMIX_SUCCESS || left < pause)
        fail("PMIx_Get_nb of rank 0's address", asked->code == PMIX_SUCCESS ? PMIX_ERR_BAD_PARAM : asked->code);
      std::this_thread::sleep_for(pause);
    }
  }

 private:
  // Whether all came, and in time.
  bool fence(Seconds deadline) {
    const auto fence = std::make_shared<Fence>();
    auto* waiter = new std::shared_ptr<Fence>(fence);  // fence_done() takes it
    const pmix_status_t begun = PMIx_Fence_nb(nullptr, 0, &fence->information, 1, fence_done, waiter);
    if (begun != PMIX_SUCCESS) {
      delete waiter;
      healthy_ = false;
      fail("PMIx_Fence_nb", begun);
    }
    if (!fence->wait(deadline)) return false;
    return fence->code == PMIX_SUCCESS;  // or somebody left meanwhile
  }

  pmix_proc_t self_;
  bool healthy_ = true;   // PMIx_Finalize may be called
  bool together_ = true;  // and will return
};

std::unique_ptr<LauncherSession> open(std::string& reason) {
  pmix_proc_t self;
  PMIX_PROC_CONSTRUCT(&self);
  const pmix_status_t code = PMIx_Init(&self, nullptr, 0);
  if (code != PMIX_SUCCESS) {
    reason = fmt::format("PMIx_Init: {}", PMIx_Error_string(code));
    return nullptr;
  }
  return std::make_unique<PmixSession>(self);
}

}  // namespace
}  // namespace railgauge

extern "C" __attribute__((visibility("default"))) const railgauge::LauncherTable* railgauge_launcher() {
  static const railgauge::LauncherTable table{railgauge::plugin_abi, "pmix", railgauge::open};
  return &table;
}
