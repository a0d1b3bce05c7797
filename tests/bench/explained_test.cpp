// What a library knows of missing ranks, behind the sentence of a run that did not come through.
#include "bench/session/explained.hpp"

#include "base/error.hpp"
#include "tests/test.hpp"
#include "transports/failure_diagnostics.hpp"

namespace railgauge {
namespace {

using test::ContainsSubstring;

class Alone final : public Group {
 public:
  explicit Alone(std::string lost = {}) : Group(0, {"here"}), lost_(std::move(lost)) {}
  std::vector<Blob> allgather(const Blob& mine) override { return {mine}; }
  void barrier() override {}
  std::vector<Blob> exchange(std::span<const int>, std::span<const Blob>) override { return {}; }
  std::unique_ptr<Group> split(int) override { return nullptr; }
  void check() const override {
    if (!lost_.empty()) throw Error(Fault::lost, lost_);
  }

 private:
  std::string lost_;
};

class Silent : public Endpoint {
 public:
  void attach(const Region&) override {}
  std::unique_ptr<Exchange> prepare(std::size_t, std::vector<std::vector<Message>>) override { return nullptr; }
  const Mapping* mapping() const override { return nullptr; }
};

class Speaking final : public Silent, public FailureDiagnostics {
 public:
  std::string testimony() override {
    ++asked;
    return "; somebody says: rank 3 is missing";
  }
  int asked = 0;
};

void wait_in_vain() { throw Error(Fault::lost, "rank 0 has waited 30 s"); }

TEST_CASE("explained: what did not come through is said with what the library knows") {
  const Alone group;
  Speaking speaking;
  Silent silent;
  CHECK_THROWS_WITH(explained(group, speaking, wait_in_vain), "rank 0 has waited 30 s; somebody says: rank 3 is missing");
  CHECK_THROWS_WITH(explained(group, silent, wait_in_vain), "rank 0 has waited 30 s");
  CHECK(speaking.asked == 1);
}

TEST_CASE("explained: nobody is asked where all went well, for other faults, and of ranks that are known to be lost") {
  Speaking speaking;
  bool done = false;
  explained(Alone(), speaking, [&] { done = true; });
  CHECK(done);
  CHECK_THROWS_WITH(explained(Alone(), speaking, [] { throw Error(Fault::usage, "no such thing"); }), "no such thing");
  CHECK_THROWS_WITH(explained(Alone("rank 2 on here has ended"), speaking, wait_in_vain), "rank 2 on here has ended");
  CHECK(speaking.asked == 0);
}

}  // namespace
}  // namespace railgauge
