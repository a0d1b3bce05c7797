// Packs, unpacks and compares the offers of two ranks.
#include "transports/ucx/matching.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/error.hpp"
#include "transports/matching.hpp"

namespace railgauge::ucx {
namespace {

constexpr std::uint64_t mark = 0x72675f7563783031;  // "rg_ucx01"
using Head = std::array<std::uint64_t, 6>;          // mark, lane, number, sends, receives, bytes of the address

void append(Blob& blob, const void* from, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(from);
  blob.insert(blob.end(), first, first + bytes);
}

}  // namespace

Blob pack(const Offer& offer) {
  const Head head{mark, offer.lane, offer.number, offer.send_bytes.size(), offer.receive_bytes.size(), offer.address.size()};
  Blob blob;
  append(blob, head.data(), sizeof head);
  append(blob, offer.send_bytes.data(), offer.send_bytes.size() * sizeof(std::uint64_t));
  append(blob, offer.receive_bytes.data(), offer.receive_bytes.size() * sizeof(std::uint64_t));
  append(blob, offer.address.data(), offer.address.size());
  return blob;
}

Offer unpack(const Blob& blob, int peer) {
  const auto refuse = [&] {
    return Error(Fault::usage, fmt::format("rank {} is not preparing the same thing over ucx: its {} bytes are no offer of "
                                           "messages",
                                           peer, blob.size()));
  };
  Head head{};
  if (blob.size() < sizeof head) throw refuse();
  std::memcpy(head.data(), blob.data(), sizeof head);
  const std::size_t words = (blob.size() - sizeof head) / sizeof(std::uint64_t);
  if (head[0] != mark || head[3] > words || head[4] > words - head[3] ||
      blob.size() != sizeof head + (head[3] + head[4]) * sizeof(std::uint64_t) + head[5])
    throw refuse();
  Offer offer;
  offer.lane = head[1];
  offer.number = head[2];
  const std::byte* next = blob.data() + sizeof head;
  for (auto* list : {&offer.send_bytes, &offer.receive_bytes}) {
    list->resize(list == &offer.send_bytes ? head[3] : head[4]);
    if (!list->empty()) std::memcpy(list->data(), next, list->size() * sizeof(std::uint64_t));
    next += list->size() * sizeof(std::uint64_t);
  }
  offer.address.assign(next, next + head[5]);
  return offer;
}

void check_match(const Offer& mine, int rank, const Offer& theirs, int peer) {
  if (mine.lane != theirs.lane)
    throw Error(Fault::usage,
                fmt::format("rank {} prepares lane {} while rank {} prepares lane {}", rank, mine.lane, peer, theirs.lane));
  railgauge::check_match(mine.send_bytes, rank, theirs.receive_bytes, peer);
  railgauge::check_match(theirs.send_bytes, peer, mine.receive_bytes, rank);
}

}  // namespace railgauge::ucx
