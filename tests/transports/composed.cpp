// Which two transports can be one, and what the whole can do then.
#include "transports/composed/composed.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

// A transport that can do what it is told, and connects nothing.
class Claimed final : public Transport {
 public:
  Claimed(std::string name, Abilities abilities) : name_(std::move(name)), abilities_(std::move(abilities)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Abilities abilities() const override { return abilities_; }
  [[nodiscard]] std::unique_ptr<Endpoint> connect(Group&, const Place&) override { return nullptr; }

 private:
  std::string name_;
  Abilities abilities_;
};

std::unique_ptr<Transport> claimed(const std::string& name, const Abilities& abilities) {
  return std::make_unique<Claimed>(name, abilities);
}

Abilities of_processes() { return {.processes = true, .memory = {MemoryKind::host}}; }
Abilities between_hosts() { return {.processes = true, .hosts = true, .memory = {MemoryKind::host}}; }

std::string refusal(std::unique_ptr<Transport> within, std::unique_ptr<Transport> across) {
  try {
    (void)compose(std::move(within), std::move(across));
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a transport whose messages are over in a stream alone is refused beside another, with what to use") {
  Abilities streamed = between_hosts();
  streamed.stream_ordered = true;
  const std::string what =
      "messages of nccl are in a GPU's stream, in which no other transport can follow them: use nccl alone, "
      "or with GPUs cuda_ipc+ucx or cuda_ipc+verbs";
  CHECK_THAT(refusal(claimed("nccl", streamed), claimed("ucx", between_hosts())), ContainsSubstring("nccl+ucx: " + what));
  CHECK_THAT(refusal(claimed("shm", of_processes()), claimed("nccl", streamed)), ContainsSubstring("shm+nccl: " + what));
  CHECK_THAT(refusal(claimed("shm", of_processes()), claimed("memory", of_processes())),
             ContainsSubstring("shm+memory: memory does not cross hosts"));
}

TEST_CASE("two transports as one send the memory that both do, and try what one of them tries") {
  Abilities within = of_processes();
  within.memory = {MemoryKind::cuda};
  within.shares = true;
  within.fabric = true;
  Abilities across = between_hosts();
  across.ports = true;
  across.threads = true;
  across.tries = {MemoryKind::pinned, MemoryKind::cuda};
  const Abilities both = compose(claimed("cuda_ipc", within), claimed("verbs", across))->abilities();
  CHECK(both.memory.empty());
  CHECK(both.tries == std::vector{MemoryKind::cuda});
  CHECK(both.shares);
  CHECK(both.fabric);
  CHECK(both.ports);
  CHECK(both.hosts);
  CHECK(both.processes);
  CHECK(!both.threads);
  CHECK(!both.maps_peers);
  CHECK(!both.stream_ordered);

  within.memory = {MemoryKind::host, MemoryKind::pinned};
  const Abilities host = compose(claimed("shm", within), claimed("ucx", across))->abilities();
  CHECK(host.memory == std::vector{MemoryKind::host});
  CHECK(host.tries == std::vector{MemoryKind::pinned});
}
