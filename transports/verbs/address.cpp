// Packs and unpacks addresses.
#include "transports/verbs/address.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/error.hpp"

namespace railgauge::verbs {
namespace {

constexpr std::size_t end_words = 5;
constexpr std::size_t name_words = 10;
constexpr std::size_t longest_name = name_words * sizeof(std::uint64_t) - 1;

// The words of fixed place, in order.
constexpr std::array numbers{&Address::lid, &Address::mtu,    &Address::reads,    &Address::ethernet, &Address::iwarp,
                             &Address::cm,  &Address::routed, &Address::receives, &Address::left,     &Address::left_key};

template <typename Value>
constexpr std::size_t words_of = (sizeof(Value) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
constexpr std::size_t fixed_words = numbers.size() + words_of<ibv_gid> + words_of<sockaddr_storage> + name_words + 1;

void append_bytes(std::vector<std::uint64_t>& words, const void* from, std::size_t bytes, std::size_t count) {
  std::vector<std::uint64_t> room(count);
  std::memcpy(room.data(), from, bytes);
  words.insert(words.end(), room.begin(), room.end());
}

}  // namespace

Address address_of(const Port& port, std::uint32_t mtu) {
  Address address;
  address.lid = port.attributes().lid;
  address.mtu = mtu != 0 ? mtu : 128U << port.attributes().active_mtu;  // IBV_MTU_256 is 1
  address.reads =
      static_cast<std::uint64_t>(std::max(1, std::min(port.device().max_qp_rd_atom, port.device().max_qp_init_rd_atom)));
  address.ethernet = port.ethernet() ? 1 : 0;
  address.iwarp = port.iwarp() ? 1 : 0;
  address.routed = (port.attributes().flags & IBV_QPF_GRH_REQUIRED) != 0 ? 1 : 0;
  address.gid = port.gid().address;
  address.where = port.where();
  if (port.listener() != nullptr) {
    address.cm = 1;
    address.listens = port.listener()->address();
  }
  return address;
}

void append(std::vector<std::uint64_t>& words, const Address& address) {
  for (const auto number : numbers) words.push_back(address.*number);
  append_bytes(words, &address.gid, sizeof address.gid, words_of<ibv_gid>);
  append_bytes(words, &address.listens, sizeof address.listens, words_of<sockaddr_storage>);
  append_bytes(words, address.where.data(), std::min(address.where.size(), longest_name), name_words);
  words.push_back(address.ends.size());
  for (const Address::QueuePair& end : address.ends)
    for (const std::uint64_t word : {end.number, end.first_packet, end.token, end.consumed, end.consumed_key})
      words.push_back(word);
}

Address take_address(std::span<const std::uint64_t>& words, int peer) {
  const auto refuse = [&] { return Error(Fault::usage, fmt::format("rank {} told no address of its queue pairs", peer)); };
  if (words.size() < fixed_words || words[fixed_words - 1] > (words.size() - fixed_words) / end_words) throw refuse();
  Address address;
  std::size_t at = 0;
  for (const auto number : numbers) address.*number = words[at++];
  std::memcpy(&address.gid, &words[at], sizeof address.gid);
  at += words_of<ibv_gid>;
  std::memcpy(&address.listens, &words[at], sizeof address.listens);
  at += words_of<sockaddr_storage>;
  std::array<char, longest_name + 1> name{};
  std::memcpy(name.data(), &words[at], longest_name);
  address.where = name.data();
  at += name_words;
  address.ends.resize(words[at++]);
  for (Address::QueuePair& end : address.ends) {
    end = {words[at], words[at + 1], words[at + 2], words[at + 3], words[at + 4]};
    at += end_words;
  }
  words = words.subspan(at);
  return address;
}

std::string peer_text(int rank, const std::string& node, const Address& address) {
  const std::string at = address.cm != 0         ? "address " + address_text(address.listens)
                         : address.ethernet != 0 ? "GID " + gid_text(address.gid)
                                                 : fmt::format("LID {}", address.lid);
  return fmt::format("rank {} ({}, {}, {})", rank, node, address.where, at);
}

void check_compatible(const Address& mine, int rank, const Address& theirs, int peer) {
  const auto differ = [&](std::string_view what, std::uint64_t here, std::uint64_t there) {
    if (here != there)
      throw Error(Fault::usage,
                  fmt::format("rank {} on {} and rank {} on {} cannot be connected: one of them {}, the other does not", rank,
                              mine.where, peer, theirs.where, what));
  };
  differ("uses iWARP", mine.iwarp, theirs.iwarp);
  differ("has an Ethernet port", mine.ethernet, theirs.ethernet);
  differ("connects by rdma_cm", mine.cm, theirs.cm);
  if (mine.ends.size() != theirs.ends.size())
    throw Error(Fault::usage, fmt::format("rank {} uses {} queue pairs and rank {} uses {} (verbs.queue_pairs)", rank,
                                          mine.ends.size(), peer, theirs.ends.size()));
}

}  // namespace railgauge::verbs
