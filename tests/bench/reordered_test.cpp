// Groups with other numbers for their ranks do what every group must.
#include "bench/group/reordered.hpp"

#include "bench/launch/thread_group.hpp"
#include "tests/launch/group_checks.hpp"
#include "tests/test.hpp"

namespace railgauge {

TEST_CASE("reordered: a group whose ranks have other numbers is like any other") {
  for (const int ranks : {1, 2, 3, 5, 8})
    for (const int step : {1, 3, 7}) {
      CAPTURE(ranks, step);
      std::vector<int> order;  // every rank once: from the last, or by steps
      for (int place = 0; place < ranks; ++place)
        order.push_back(ranks % step == 0 || step == 1 ? ranks - 1 - place : place * step % ranks);
      for (const auto& check : {test::check_allgather, test::check_exchange, test::check_split}) {
        const auto thrown = run_as_threads(ranks, Seconds{60}, [&](Group& group) {
          const std::unique_ptr<Group> mine = reordered(group.split(0), order);
          test::expect(order[static_cast<std::size_t>(mine->rank())] == group.rank(), "rank");
          check(*mine);
        });
        if (const auto cause = first_cause(thrown)) std::rethrow_exception(cause);
      }
    }
}

}  // namespace railgauge
