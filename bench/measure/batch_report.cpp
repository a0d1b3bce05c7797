// How bench/measure/batch_report.hpp travels: numbers as they lie in memory, texts behind their length.
#include "bench/measure/batch_report.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <type_traits>

#include "base/error.hpp"

namespace railgauge {
namespace {

class Writer {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes(&value, sizeof(value));
  }
  void text(const std::string& text) {
    number<std::uint64_t>(text.size());
    bytes(text.data(), text.size());
  }
  void bytes(const void* from, std::size_t size) {
    const auto* const first = static_cast<const std::byte*>(from);
    blob.insert(blob.end(), first, first + size);
  }
  Blob blob;
};

class Reader {
 public:
  Reader(const Blob& blob, int rank) : blob_(blob), rank_(rank) {}
  template <class T>
  T number() {
    T value{};
    std::memcpy(&value, next(sizeof(value)), sizeof(value));
    return value;
  }
  // How many elements of so many bytes follow.
  std::size_t count(std::size_t bytes) {
    const auto elements = number<std::uint64_t>();
    if (elements > (blob_.size() - at_) / bytes) cut();
    return elements;
  }
  std::string text() {
    const auto size = number<std::uint64_t>();
    return {reinterpret_cast<const char*>(next(size)), size};
  }

 private:
  [[noreturn]] void cut() const { throw Error(Fault::lost, fmt::format("the news of rank {} about its samples is cut", rank_)); }
  const std::byte* next(std::uint64_t size) {
    if (size > blob_.size() - at_) cut();
    const std::byte* const here = blob_.data() + at_;
    at_ += size;
    return here;
  }
  const Blob& blob_;
  std::size_t at_ = 0;
  int rank_;
};

Blob pack(const BatchReport& news) {
  Writer writer;
  writer.number(news.elapsed);
  writer.number(news.clock_cost);
  writer.number(news.wrong);
  writer.number<std::uint64_t>(news.seconds.size());
  writer.bytes(news.seconds.data(), news.seconds.size() * sizeof(double));
  writer.number<std::uint64_t>(news.host.size());
  writer.bytes(news.host.data(), news.host.size() * sizeof(double));
  writer.number<std::uint64_t>(news.starts.size());
  writer.bytes(news.starts.data(), news.starts.size() * sizeof(double));
  writer.number(news.now);
  writer.number(news.after_news);
  writer.number(news.between_batches);
  writer.number(news.between_samples);
  writer.number<std::uint64_t>(news.late.size());
  writer.bytes(news.late.data(), news.late.size());
  writer.number<std::uint8_t>(news.mistake ? 1 : 0);
  if (news.mistake) {
    writer.number<std::int32_t>(news.mistake->rank);
    writer.number(news.mistake->index);
    writer.number(news.mistake->wrong);
    writer.text(news.mistake->expected);
    writer.text(news.mistake->got);
  }
  return std::move(writer.blob);
}

// `samples` and `hosts`: how many times by either clock are expected.
BatchReport unpack(const Blob& blob, int rank, std::size_t samples, std::size_t hosts) {
  Reader reader(blob, rank);
  BatchReport news;
  news.elapsed = reader.number<double>();
  news.clock_cost = reader.number<double>();
  news.wrong = reader.number<std::uint64_t>();
  const auto count = reader.number<std::uint64_t>();
  if (count != samples)
    throw Error(Fault::lost, fmt::format("rank {} took {} samples where this rank took {}: the ranks no longer run the same",
                                         rank, count, samples));
  news.seconds.resize(count);
  for (double& seconds : news.seconds) seconds = reader.number<double>();
  news.host.resize(reader.count(sizeof(double)));
  if (news.host.size() != hosts)
    throw Error(Fault::lost, fmt::format("rank {} {} a device's clock, unlike this rank: the ranks no longer run the same", rank,
                                         hosts == 0 ? "has" : "has not"));
  for (double& seconds : news.host) seconds = reader.number<double>();
  news.starts.resize(reader.count(sizeof(double)));
  for (double& start : news.starts) start = reader.number<double>();
  news.now = reader.number<double>();
  news.after_news = reader.number<double>();
  news.between_batches = reader.number<double>();
  news.between_samples = reader.number<double>();
  news.late.resize(reader.count(1));
  for (std::uint8_t& late : news.late) late = reader.number<std::uint8_t>();
  if (reader.number<std::uint8_t>() != 0) {
    Mistake mistake;
    mistake.rank = reader.number<std::int32_t>();
    mistake.index = reader.number<std::uint64_t>();
    mistake.wrong = reader.number<std::uint64_t>();
    mistake.expected = reader.text();
    mistake.got = reader.text();
    news.mistake = std::move(mistake);
  }
  return news;
}

}  // namespace

std::vector<BatchReport> exchange_news(Group& group, const BatchReport& mine) {
  const std::vector<Blob> blobs = group.allgather(pack(mine));
  std::vector<BatchReport> all;
  all.reserve(blobs.size());
  for (std::size_t r = 0; r < blobs.size(); ++r)
    all.push_back(unpack(blobs[r], static_cast<int>(r), mine.seconds.size(), mine.host.size()));
  return all;
}

}  // namespace railgauge
