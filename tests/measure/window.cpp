// Agreed starts: the same on all ranks, far enough apart for the slowest, and further where many came late.
#include "bench/measure/window.hpp"

#include <vector>

#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;
using After = StartWindow::After;

namespace {

BatchReport told(double now, double after_news, double between_batches, double between_samples,
                 std::vector<std::uint8_t> late = {}) {
  BatchReport news;
  news.now = now;
  news.after_news = after_news;
  news.between_batches = between_batches;
  news.between_samples = between_samples;
  news.late = std::move(late);
  return news;
}

}  // namespace

TEST_CASE("nothing is agreed before the ranks have told how long they need") {
  StartWindow window;
  CHECK_FALSE(window.agreed());
  const std::vector<BatchReport> silent{told(5, 0, 0, 0), told(7, 0, 0, 0)};
  window.learn(silent);
  CHECK_FALSE(window.agreed());
  const std::vector<BatchReport> all{told(10, 0, 0, 1e-3), told(3, 0, 0, 2e-3)};
  window.learn(all);
  CHECK(window.agreed());
  window.forget();
  CHECK_FALSE(window.agreed());
}

TEST_CASE("starts follow rank 0's clock with room for the slowest rank") {
  const std::vector<BatchReport> all{told(10, 5e-3, 1e-3, 1e-4), told(99, 4e-3, 3e-3, 2e-4)};
  StartWindow here, there;
  here.learn(all);
  there.learn(all);
  double last = 10;
  for (const auto& [after, needed] :
       {std::pair{After::news, 5e-3}, std::pair{After::sample, 2e-4}, std::pair{After::sample, 2e-4},
        std::pair{After::batch, 3e-3}, std::pair{After::sample, 2e-4}}) {
    const double next = here.next(after);
    CHECK(next == there.next(after));
    CHECK(next - last > needed);
    CHECK(next - last < 2 * needed);
    last = next;
  }
}

TEST_CASE("where batches have one sample, or news one batch, the interval that is known serves") {
  StartWindow window;
  const std::vector<BatchReport> batches{told(1, 0, 1e-3, 0)};
  window.learn(batches);
  CHECK(window.agreed());
  CHECK(window.next(After::sample) > 1 + 1e-3);
  StartWindow other;
  const std::vector<BatchReport> samples{told(1, 0, 0, 1e-3)};
  other.learn(samples);
  CHECK(other.next(After::batch) > 1 + 1e-3);
}

TEST_CASE("many late starts make the intervals longer, none make them shorter again") {
  StartWindow window;
  const auto period = [&](std::vector<std::uint8_t> late) {
    const std::vector<BatchReport> all{told(0, 0, 0, 1e-3, late), told(0, 0, 0, 1e-3, std::vector<std::uint8_t>(late.size(), 0))};
    window.learn(all);
    const double first = window.next(After::news);
    return window.next(After::sample) - first;
  };
  const double calm = period({0, 0, 0, 0});
  double last = calm;
  for (int turn = 0; turn < 6; ++turn) {
    const double longer = period({0, 1, 0, 1});
    CHECK(longer >= last);
    last = longer;
  }
  CHECK(last > 4 * calm);
  CHECK(last < 10 * calm);
  for (int turn = 0; turn < 20; ++turn) last = period({0, 0, 0, 0});
  CHECK_THAT(last, WithinAbs(calm, 1e-12));
}

TEST_CASE("what a rank notes is told once, without single interruptions") {
  StartWindow window;
  for (int i = 0; i < 99; ++i) window.note(After::sample, 1e-4);
  window.note(After::sample, 1);
  window.note(After::batch, 2e-3);
  window.note(After::news, 3e-3);
  BatchReport news;
  window.tell(news);
  CHECK(news.between_samples == 1e-4);
  CHECK(news.between_batches == 2e-3);
  CHECK(news.after_news == 3e-3);
  window.tell(news);
  CHECK(news.between_samples == 0);
  CHECK(news.between_batches == 0);
  CHECK(news.after_news == 0);
}
