// relay: joins two networks by a cable that takes time and loses frames: an interface in each, and what one sends reaches the
// other after a delay, however much it is, or never. For kernels without netem.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "base/descriptor.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using railgauge::Descriptor;

int checked(int result, const std::string& call) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), call);
  return result;
}

struct Cable {
  std::chrono::microseconds delay;
  double loss;  // share of the frames, in each direction
  std::uint64_t seed;
};

// An interface of that name in the network, whose frames we read and write. Frames come as large as the kernel makes them, with
// what it needs to cut them later (the header before each), or one core would not carry a gigabit a second. A cable that loses
// some gets them as they are on a wire: else dozens in a row would be lost together.
Descriptor make_interface(const std::string& network, const std::string& name, bool large) {
  const Descriptor place(checked(open(network.c_str(), O_RDONLY | O_CLOEXEC), "open " + network));
  checked(setns(place.get(), CLONE_NEWNET), "setns to " + network);
  Descriptor device(checked(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "open /dev/net/tun"));
  ifreq request{};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  checked(ioctl(device.get(), TUNSETIFF, &request), "TUNSETIFF " + name);
  checked(ioctl(device.get(), TUNSETOFFLOAD, large ? TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 : TUN_F_CSUM), "TUNSETOFFLOAD " + name);
  return device;
}

struct Frame {
  Clock::time_point due;
  std::vector<char> bytes;
};

// One direction: what was read of an end and is not due at the other. Each draws for itself which frames are lost.
struct Direction {
  Direction(int source, int target, const Cable& cable, std::uint64_t number)
      : from(source), to(target), delay(cable.delay), lost(cable.loss), random(2 * cable.seed + number) {}
  int from, to;
  Clock::duration delay;
  std::bernoulli_distribution lost;
  std::mt19937_64 random;
  std::deque<Frame> frames;
  std::vector<char> buffer = std::vector<char>(70'000);  // more than the largest frame

  void read_all() {
    while (true) {
      const ssize_t count = read(from, buffer.data(), buffer.size());
      if (count <= 0) return;  // nothing more, or the interface is down
      if (!lost(random)) frames.push_back({Clock::now() + delay, {buffer.begin(), buffer.begin() + count}});
    }
  }
  void write_due() {
    while (!frames.empty() && frames.front().due <= Clock::now()) {
      (void)!write(to, frames.front().bytes.data(),
                   frames.front().bytes.size());  // lost where the interface is down, as in a cable
      frames.pop_front();
    }
  }
};

void run(const std::array<std::string, 4>& ends, const Cable& cable) {
  const bool large = cable.loss == 0;
  const Descriptor a = make_interface(ends[0], ends[1], large), b = make_interface(ends[2], ends[3], large);
  std::puts("ready");
  std::fflush(stdout);
  std::array<Direction, 2> directions{Direction(a.get(), b.get(), cable, 0), Direction(b.get(), a.get(), cable, 1)};
  std::array<pollfd, 2> polled{pollfd{a.get(), POLLIN, 0}, pollfd{b.get(), POLLIN, 0}};
  while (true) {
    auto wait = Clock::duration(std::chrono::seconds(1));
    for (const Direction& each : directions)
      if (!each.frames.empty()) wait = std::min(wait, each.frames.front().due - Clock::now());
    wait = std::max(wait, Clock::duration::zero());
    const auto seconds = std::chrono::floor<std::chrono::seconds>(wait);
    const timespec patience{seconds.count(), std::chrono::nanoseconds(wait - seconds).count()};
    if (ppoll(polled.data(), polled.size(), &patience, nullptr) < 0 && errno != EINTR) checked(-1, "ppoll");
    for (Direction& each : directions) {
      each.read_all();
      each.write_due();
    }
    // An interface that is down asks to be read again and again.
    if (((polled[0].revents | polled[1].revents) & POLLERR) != 0) usleep(1000);
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count < 6 || count > 8) throw std::invalid_argument("five to seven words are expected");
    const auto number = [&](int place) { return count > place ? std::stod(words[place]) : 0.0; };
    const Cable cable{std::chrono::microseconds(std::llround(number(5))), number(6) / 100, static_cast<std::uint64_t>(number(7))};
    if (!(cable.loss >= 0 && cable.loss <= 1)) throw std::invalid_argument("PERCENT is between 0 and 100");
    run({words[1], words[2], words[3], words[4]}, cable);
  } catch (const std::logic_error& error) {
    std::fprintf(
        stderr,
        "relay: %s\nusage: relay NETWORK INTERFACE NETWORK INTERFACE MICROSECONDS [PERCENT [SEED]]: networks are files, as "
        "/run/netns/a, and PERCENT of the frames are lost\n",
        error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "relay: %s\n", error.what());
    return 2;
  }
}
