// What the verbs transport decides without a device: settings, GIDs, what ranks tell each other, how messages are spread.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "transports/native.hpp"
#include "transports/registry/registry.hpp"
#include "transports/verbs/endpoint.hpp"
#include "transports/verbs/gid.hpp"
#include "transports/verbs/layout.hpp"
#include "transports/verbs/matching.hpp"
#include "transports/verbs/native/operations.hpp"
#include "transports/verbs/settings.hpp"
#include "transports/words.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::verbs;

namespace {

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  return "accepted";
}

ibv_gid gid_of(std::initializer_list<std::uint8_t> head, std::initializer_list<std::uint8_t> tail) {
  ibv_gid gid{};
  std::copy(head.begin(), head.end(), gid.raw);
  std::copy(tail.begin(), tail.end(), gid.raw + 16 - tail.size());
  return gid;
}
const ibv_gid link_local = gid_of({0xfe, 0x80}, {2, 0, 0, 1});
const ibv_gid ipv4 = gid_of({}, {0xff, 0xff, 10, 0, 0, 7});
const ibv_gid ipv6 = gid_of({0x20, 0x01, 0x0d, 0xb8}, {9});

Address some_address(std::mt19937& random) {
  Address address;
  address.lid = random() & 0xffff;
  address.mtu = 256U << random() % 5;
  address.reads = random() % 17;
  address.ethernet = random() % 2;
  address.receives = random() % 500;
  address.left = random();
  address.left_key = random();
  for (std::uint8_t& byte : address.gid.raw) byte = static_cast<std::uint8_t>(random());
  address.where = "mlx5_bond_0/1";
  address.ends.resize(random() % 5);
  for (Address::QueuePair& end : address.ends) end = {random(), random(), random(), random(), random()};
  return address;
}

Offer some_offer(std::mt19937& random) {
  Offer offer{.lane = random() % 4,
              .channel = random(),
              .grants = random(),
              .granted = random(),
              .granted_key = random(),
              .sends = {},
              .receives = {},
              .address = {}};
  offer.sends.resize(random() % 6);
  for (Offer::Sent& one : offer.sends) one = {random(), random() % 2};
  offer.receives.resize(random() % 6);
  std::uint64_t round = 0;
  for (Offer::Received& one : offer.receives) one = {random() % 3, random() % 2, round += random() % 2, random(), random()};
  if (random() % 2 == 0) offer.address = some_address(random);
  return offer;
}

Blob repacked(const Blob& blob) { return pack(unpack(blob, 3)); }

}  // namespace

TEST_CASE("verbs settings: what each means, and what is refused", "[verbs]") {
  const Options options = read_options({{"ports", "mlx5_0:1,mlx5_1/2"},
                                        {"gid", "3"},
                                        {"mtu", "1024"},
                                        {"queue_pairs", "4"},
                                        {"events", "on"},
                                        {"connect", "rdma_cm"},
                                        {"retries", "0"}});
  CHECK(options.ports == std::vector<std::string>{"mlx5_0:1", "mlx5_1/2"});
  CHECK(options.gid == 3);
  CHECK(options.mtu == 1024);
  CHECK(options.queue_pairs == 4);
  CHECK(options.events);
  CHECK(options.cm);
  CHECK(options.retries == 0);
  CHECK_FALSE(read_options({}).events);

  struct Wrong {
    std::string name, value, says;
  };
  for (const Wrong& wrong :
       {Wrong{"speed", "1", "no setting \"speed\": it has ports, gid, events, mtu"},
        Wrong{"mtu", "1000", "256, 512, 1024, 2048 or 4096"}, Wrong{"mtu", "128", "from 256 to 4096"},
        Wrong{"queue_pairs", "0", "from 1 to 64"}, Wrong{"queue_pairs", "99999999999", "from 1 to 64"},
        Wrong{"depth", "8x", "from 8 to 16384"}, Wrong{"events", "yes", "auto, on or off"},
        Wrong{"connect", "cm", "tree or rdma_cm"}, Wrong{"gid", "-1", "from 0 to 255"}, Wrong{"ports", "a,,b", "a list such as"}})
    CHECK_THAT(refusal([&] { (void)read_options({{wrong.name, wrong.value}}); }), ContainsSubstring(wrong.says));
}

TEST_CASE("verbs ports: names as people and other tools write them", "[verbs]") {
  CHECK(parse_port("mlx5_0:2").text() == "mlx5_0/2");
  CHECK(parse_port("mlx5_0/2").text() == "mlx5_0/2");
  CHECK(parse_port("mlx5_0").text() == "mlx5_0/1");
  for (const char* wrong : {"", ":1", "mlx5_0:", "mlx5_0:0", "mlx5_0:x", "mlx5_0:1:1", "mlx5_0:256"})
    CHECK_THAT(refusal([&] { (void)parse_port(wrong); }), ContainsSubstring("is no port of an RDMA device"));
}

TEST_CASE("verbs ports: ranks of a host take them round-robin, lanes one after the other", "[verbs]") {
  const std::vector<PortName> ports{{"a", 1}, {"b", 1}, {"c", 2}};
  const auto chosen = [&](std::size_t lanes, std::size_t number, const std::string& named, std::span<const PortName> asked = {}) {
    Place place;
    place.lanes.resize(lanes);
    place.lanes.back().port = named;
    std::string text;
    for (const PortName& port : ports_of(place, asked, ports, number)) text += port.text() + " ";
    return text;
  };
  CHECK(chosen(1, 0, "") == "a/1 ");
  CHECK(chosen(1, 4, "") == "b/1 ");
  CHECK(chosen(4, 1, "") == "b/1 c/2 a/1 b/1 ");
  CHECK(chosen(2, 1, "d:7") == "b/1 d/7 ");
  const std::vector<PortName> asked{{"e", 1}, {"f", 1}};
  CHECK(chosen(3, 0, "d:7", asked) == "e/1 f/1 e/1 ");
}

TEST_CASE("verbs GIDs: version 2 before 1, IPv4 before others, link-local last", "[verbs]") {
  const std::vector<Gid> full{{0, GidKind::roce_v1, link_local}, {1, GidKind::roce_v2, link_local}, {2, GidKind::roce_v1, ipv4},
                              {3, GidKind::roce_v2, ipv4},       {4, GidKind::roce_v2, ipv6},       {5, GidKind::roce_v2, ipv4}};
  const auto best = [](std::vector<Gid> table) {
    std::mt19937 random(7);
    const auto first = choose_gid(table, {})->index;
    for (int i = 0; i < 20; ++i) {
      std::shuffle(table.begin(), table.end(), random);
      CHECK(choose_gid(table, {})->index == first);
    }
    return first;
  };
  CHECK(best(full) == 3);
  CHECK(best({full[0], full[1], full[2], full[4]}) == 4);
  CHECK(best({full[0], full[1], full[2]}) == 1);
  CHECK(best({full[0], full[2]}) == 2);
  CHECK(best({{1, GidKind::infiniband, ipv6}, {0, GidKind::infiniband, link_local}}) == 0);
  CHECK(choose_gid(full, 4)->index == 4);
  CHECK_FALSE(choose_gid(full, 6).has_value());
  CHECK_FALSE(choose_gid({}, {}).has_value());
  CHECK(gid_text(ipv4) == "10.0.0.7");
  CHECK(gid_text(ipv6) == "2001:db8::9");
}

TEST_CASE("verbs offers: come out as they went in, and what is cut or foreign is refused", "[verbs]") {
  std::mt19937 random(11);
  for (int i = 0; i < 200; ++i) {
    const Offer offer = some_offer(random);
    const Blob blob = pack(offer);
    REQUIRE(repacked(blob) == blob);
    REQUIRE(unpack(blob, 3).receives.size() == offer.receives.size());
    for (const std::size_t bytes : {std::size_t{0}, blob.size() / 2, blob.size() - 8})
      CHECK_THAT(refusal([&] { (void)repacked({blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(bytes)}); }),
                 ContainsSubstring("rank 3"));
    std::vector<std::uint64_t> words = to_words(blob);
    words[random() % words.size()] = ~std::uint64_t{0} >> random() % 8;
    try {
      (void)unpack(to_blob(words), 3);  // may be an offer with another number in it
    } catch (const Error& error) { CHECK_THAT(error.what(), ContainsSubstring("rank 3")); }
  }
}

TEST_CASE("verbs offers: the two ends must mean the same messages", "[verbs]") {
  Offer mine, theirs;
  mine.sends = {{100, 0}, {7, 1}};
  theirs.receives = {{100, 0, 0, 1, 2}, {7, 1, 0, 1, 2}};
  CHECK(refusal([&] { check_match(mine, 0, theirs, 1); }) == "accepted");
  theirs.receives[1].elided = 0;
  CHECK_THAT(refusal([&] { check_match(mine, 0, theirs, 1); }),
             ContainsSubstring("message 1 from rank 0 to rank 1 needs a credit"));
  theirs.receives[1].bytes = 8;
  CHECK_THAT(refusal([&] { check_match(mine, 0, theirs, 1); }), ContainsSubstring("7 bytes are sent, 8 are received"));
  theirs.receives.pop_back();
  CHECK_THAT(refusal([&] { check_match(mine, 0, theirs, 1); }),
             ContainsSubstring("prepares 2 messages to rank 1, which expects 1"));
  theirs.lane = 1;
  CHECK_THAT(refusal([&] { check_match(mine, 0, theirs, 1); }), ContainsSubstring("lane"));
}

TEST_CASE("verbs credits: those of one round are one grant", "[verbs]") {
  const std::vector<Offer::Received> receives{{8, 0, 0}, {8, 0, 0}, {0, 0, 1}, {8, 1, 2}, {8, 0, 3}, {8, 0, 5}, {8, 0, 5}};
  const Grants grants(receives);
  CHECK(grants.count() == 3);
  std::vector<std::uint64_t> ordinals;
  for (const Offer::Received& one : receives) ordinals.push_back(grants.of(one));
  CHECK(ordinals == std::vector<std::uint64_t>{1, 1, 0, 0, 2, 3, 3});
}

TEST_CASE("verbs messages: spread over queue pairs without gap or overlap, and evenly", "[verbs]") {
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t queue_pairs = 1 + random() % 9;
    const std::size_t bytes = random() % (i % 2 == 0 ? 1000 : 10'000'000);
    const std::uint64_t ordinal = random();
    const Striping parts = stripe(ordinal, bytes, queue_pairs);
    REQUIRE(parts.first < queue_pairs);
    REQUIRE(parts.count >= 1);
    REQUIRE(parts.count <= queue_pairs);
    // The last part has the rest.
    REQUIRE((parts.count - 1) * parts.step <= bytes);
    const std::size_t rest = bytes - (parts.count - 1) * parts.step;
    REQUIRE(rest >= parts.step);
    REQUIRE(rest < parts.step + 64 * parts.count + (parts.count == 1 ? bytes : 0) + 1);
    if (parts.count > 1) REQUIRE(parts.step % 64 == 0);
  }
  CHECK(stripe(0, 64 << 10, 4).count == 1);
  CHECK(stripe(0, 1 << 20, 4).count == 4);
  CHECK(stripe(5, 8, 4).first == 1);
}

TEST_CASE("operations: those that are known without the plugin are those that it has") {
  std::vector<std::string> known, own;
  for (const KnownTransport& transport : known_transports({}))
    for (const KnownOperation& operation : transport.operations)
      known.push_back(fmt::format("{} {}", operation.name, operation.only_bytes));
  for (const NativeRow& row : natives.rows) own.push_back(fmt::format("{} {}", row.name, row.only_bytes));
  CHECK(known == own);
}
