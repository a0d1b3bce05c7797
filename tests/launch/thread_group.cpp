// Ranks as threads: every call, and what the others learn of a rank that throws, returns or stays away.
#include "bench/launch/thread_group.hpp"

#include <atomic>
#include <mutex>

#include "base/error.hpp"
#include "tests/launch/group_checks.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

using test::ContainsSubstring;

std::string sentence(const std::exception_ptr& thrown) {
  if (!thrown) return "";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) { return error.what(); }
}

void expect_none(const std::vector<std::exception_ptr>& thrown) {
  for (const auto& each : thrown) CHECK(sentence(each).empty());
}

// One-shot signal between ranks that is no part of the group.
class Gate {
 public:
  void open() { open_.store(true), open_.notify_all(); }
  void pass() const { open_.wait(false); }

 private:
  std::atomic<bool> open_{false};
};

}  // namespace

TEST_CASE("threads: allgather, exchange and split for many rank counts") {
  for (const int ranks : {1, 2, 3, 4, 5, 8, 17, 64}) {
    CAPTURE(ranks);
    expect_none(run_as_threads(ranks, Seconds{60}, test::check_allgather));
    expect_none(run_as_threads(ranks, Seconds{60}, test::check_exchange));
    expect_none(run_as_threads(ranks, Seconds{60}, test::check_split));
  }
}

TEST_CASE("threads: nodes are as given") {
  expect_none(run_as_threads(
      3, Seconds{60},
      [](Group& group) {
        test::expect(group.nodes() == std::vector<std::string>(3, "n7"), "nodes");
        test::expect(group.split(0)->nodes() == std::vector<std::string>(3, "n7"), "nodes after split");
      },
      "n7"));
}

TEST_CASE("threads: a rank that throws is named to all who wait") {
  const auto thrown = run_as_threads(6, Seconds{60}, [](Group& group) {
    group.barrier();
    if (group.rank() == 2) throw Error(Fault::wrong_data, "element 7 is wrong");
    if (group.rank() == 0) {
      while (true) group.check();
    }
    const std::vector<int> peers{group.rank() == 1 ? 2 : 1};
    if (group.rank() < 4) (void)group.exchange(peers, std::vector<Blob>(1));
    group.barrier();
  });
  CHECK(sentence(thrown[2]) == "element 7 is wrong");
  for (const std::size_t rank : {0U, 1U, 3U, 4U, 5U}) {
    REQUIRE(thrown[rank]);
    CHECK(sentence(thrown[rank]) == "rank 2 ended: element 7 is wrong");
    try {
      std::rethrow_exception(thrown[rank]);
    } catch (const Error& error) { CHECK(error.fault() == Fault::lost); }
  }
}

TEST_CASE("threads: the first cause is what the lost rank itself threw") {
  const auto thrown = run_as_threads(4, Seconds{60}, [](Group& group) {
    if (group.rank() == 3) throw Error(Fault::wrong_data, "element 7 is wrong");
    group.barrier();
  });
  CHECK(sentence(thrown[0]) == "rank 3 ended: element 7 is wrong");
  CHECK(first_cause(thrown) == thrown[3]);
  // What a rank says of another one in its own words is its own failure.
  const auto own = std::make_exception_ptr(Error(Fault::lost, "rank 1 ended: by hearsay"));
  const auto other = std::make_exception_ptr(Error(Fault::usage, "by hearsay"));
  CHECK(first_cause({own, other}) == own);
  // Whose rank threw nothing is the last that is known.
  const auto lost = std::make_exception_ptr(RankLost(1, "rank 1 was lost"));
  CHECK(first_cause({lost, nullptr}) == lost);
  CHECK(first_cause({nullptr, nullptr}) == nullptr);
}

TEST_CASE("threads: a rank that returned is named by the call that needs it") {
  for (const bool by_exchange : {false, true}) {
    const auto thrown = run_as_threads(3, Seconds{60}, [&](Group& group) {
      if (group.rank() == 1) return;
      const std::vector<int> peer{1};
      if (by_exchange && group.rank() == 0) (void)group.exchange(peer, std::vector<Blob>(1));
      if (!by_exchange) group.barrier();
    });
    // Rank 2 may have said it first: then this is the end of the sentence.
    const std::string call = by_exchange ? "exchange" : "barrier";
    CHECK_THAT(sentence(thrown[0]), ContainsSubstring("rank 1 had ended before the " + call + " that needs it"));
    CHECK(!thrown[1]);
  }
}

TEST_CASE("threads: what a rank gave before it returned still arrives") {
  expect_none(run_as_threads(2, Seconds{60}, [](Group& group) {
    const std::vector<int> peer{1 - group.rank()};
    for (int turn = 0; turn < 50; ++turn) {
      const auto got = group.exchange(peer, std::vector<Blob>{test::letter(group.rank(), peer[0], turn)});
      test::expect(got[0] == test::letter(peer[0], group.rank(), turn), "order of exchanges");
    }
  }));
}

TEST_CASE("threads: the deadline names the absent ranks") {
  Gate over;
  std::atomic<int> left{3};
  const auto thrown = run_as_threads(5, Seconds{2}, [&](Group& group) {
    if (group.rank() == 1 || group.rank() == 3) return over.pass();
    try {
      group.barrier();
    } catch (const Error& error) {
      const std::string text = error.what();
      if (--left == 0) over.open();
      over.pass();  // so that nobody's end is the others' news
      throw std::runtime_error(text);
    }
  });
  for (const std::size_t rank : {0U, 2U, 4U})
    CHECK(sentence(thrown[rank]) == "ranks 1 and 3 did not come to the barrier within 2 s");
}

TEST_CASE("threads: only the deaths of members count in a group made by split") {
  const auto thrown = run_as_threads(6, Seconds{60}, [&](Group& group) {
    const auto half = group.split(group.rank() / 3);
    if (group.rank() == 4) throw std::runtime_error("four");
    if (group.rank() > 4) half->barrier();
    if (group.rank() == 3) {
      while (true) half->check();
    }
    // The lower half goes on, whatever the upper one does.
    for (int turn = 0; turn < 100; ++turn) test::check_allgather(*half);
    half->check();
  });
  for (const std::size_t rank : {0U, 1U, 2U}) CHECK(sentence(thrown[rank]).empty());
  CHECK(sentence(thrown[3]) == "rank 4 ended: four");
  CHECK(sentence(thrown[5]) == "rank 4 ended: four");
}

TEST_CASE("threads: wrong arguments are refused") {
  expect_none(run_as_threads(2, Seconds{60}, [](Group& group) {
    for (const int peer : {-1, 2}) {
      try {
        const std::vector<int> peers{peer};
        (void)group.exchange(peers, std::vector<Blob>(1));
        test::expect(false, "a peer that is none was taken");
      } catch (const Error& error) { test::expect(error.fault() == Fault::usage, "fault of a wrong peer"); }
    }
  }));
  CHECK_THROWS_AS(run_as_threads(0, Seconds{1}, [](Group&) {}), Error);
}

}  // namespace railgauge
