// The ways to have ranks: threads of this process.
#include <exception>

#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "tests/transports/conformance.hpp"

namespace railgauge::test {
namespace {

// What a thread throws to die: no kind of Error, so that nothing on its way takes it for one.
struct Died {};

Ending ending_of(const std::exception_ptr& thrown) {
  if (!thrown) return {};
  try {
    std::rethrow_exception(thrown);
  } catch (const Died&) { return {Ending::Kind::died, "died"}; } catch (const Error& error) {
    return {error.fault() == Fault::lost ? Ending::Kind::lost : Ending::Kind::other_error, error.what()};
  } catch (const std::exception& error) { return {Ending::Kind::other_error, error.what()}; }
}

std::vector<Ending> run_threads(const Case& what, const TransportTable& table, const Settings& settings, std::uint32_t seed) {
  const auto body = [&](Group& group) {
    const std::unique_ptr<Transport> transport = table.open(settings);
    Rank rank{group, *transport, seed, [] { throw Died{}; }};
    what.body(rank);
  };
  std::vector<Ending> endings;
  for (const std::exception_ptr& thrown : run_as_threads(what.ranks, deadline, body)) endings.push_back(ending_of(thrown));
  return endings;
}

constexpr Harness table[] = {
    {"threads", [](const Abilities& abilities) { return abilities.threads; }, run_threads},
};

}  // namespace

std::span<const Harness> harnesses() { return table; }

}  // namespace railgauge::test
