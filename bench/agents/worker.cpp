// Orders, one after the other.
#include "bench/agents/worker.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "bench/launch/local.hpp"

namespace railgauge::agents {
namespace {

using nlohmann::json;

constexpr Seconds rendezvous{8};  // of the members of an order, who are all there and are told at the same time

bool read_all(int pipe, std::byte* to, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t count = read(pipe, to, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    to += count;
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

Answer carry_out(TaskContext& context, int rank, const Work& work) {
  Answer answer;
  answer.order = context.order().number;
  answer.rank = rank;
  try {
    answer.figures = work(context);
  } catch (const Error& error) {
    answer.ending = Answer::Ending::failed;
    answer.fault = error.fault();
    answer.sentence = error.what();
    if (context.met()) {
      answer.sentence = cause_of(context.group(), error).sentence;
      context.group().announce(answer.sentence);
    }
  } catch (const std::exception& error) {
    answer.ending = Answer::Ending::failed;
    answer.fault = Fault::usage;
    answer.sentence = error.what();
    if (context.met()) context.group().announce(answer.sentence);
  }
  return answer;
}

}  // namespace

void write_frame(int pipe, const json& message) {
  const wire::Body body = body_of(message);
  const auto length = static_cast<std::uint32_t>(body->size());
  Blob frame(sizeof length);
  std::memcpy(frame.data(), &length, sizeof length);
  frame.insert(frame.end(), body->begin(), body->end());
  for (std::size_t at = 0; at < frame.size();) {
    const ssize_t count = write(pipe, frame.data() + at, frame.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      constexpr int patience = 2000;  // milliseconds: who does not read for so long hangs
      pollfd entry{pipe, POLLOUT, 0};
      if (poll(&entry, 1, patience) > 0) continue;
      throw Error(Fault::lost, "the other end of a pipe does not read");
    }
    if (count <= 0) throw Error(Fault::lost, std::string("the other end of a pipe is gone: write: ") + std::strerror(errno));
    at += static_cast<std::size_t>(count);
  }
}

std::optional<json> read_frame(int pipe) {
  std::uint32_t length = 0;
  if (!read_all(pipe, reinterpret_cast<std::byte*>(&length), sizeof length) || length > longest_frame) return std::nullopt;
  Blob body(length);
  if (!read_all(pipe, body.data(), body.size())) return std::nullopt;
  return message_of(body);
}

ControlTree& TaskContext::group() {
  if (group_) return *group_;
  Introduction me;
  me.rank = place_;
  me.size = static_cast<int>(order_.members.size());
  me.node = order_.nodes[static_cast<std::size_t>(place_)];
  me.network = network_.network;
  std::optional<RootListener> own;
  std::string address;
  if (place_ == 0) {
    own.emplace(network_.reach, network_.network);
    address = own->address();
    if (me.size > 1) write_frame(pipe_, {{"is", "address"}, {"order", order_.number}, {"address", address}});
  } else {
    address = address_of_first();
  }
  group_ = join(me, address, {std::min(rendezvous, order_.limit), order_.limit}, own ? &*own : nullptr);
  return *group_;
}

std::string TaskContext::address_of_first() {
  while (const std::optional<json> message = read_frame(pipe_)) {
    if (message->value("order", std::uint64_t{0}) != order_.number) continue;
    if (kind_of(*message) == "address") return message->at("address").get<std::string>();
    if (kind_of(*message) == "cancel") throw Error(Fault::lost, "another rank of it is lost");
  }
  _exit(0);  // nobody is there to answer to
}

void run_worker(int pipe, int rank, const WorkerNetwork& network, const Work& work) {
  (void)prctl(PR_SET_NAME, "railgauge-work");
  bool bound = false;
  try {
    while (const std::optional<json> message = read_frame(pipe)) {
      if (kind_of(*message) != "order") continue;  // news of an order that is over
      const Order order = order_of(*message);
      const auto place = std::find(order.members.begin(), order.members.end(), rank) - order.members.begin();
      // Cores that its launcher gave it are known only now: nodes of one machine share them.
      if (!std::exchange(bound, true)) {
        const Order::Seat seat = order.seats.at(static_cast<std::size_t>(place));
        (void)bind_rank(seat.place, seat.of);
      }
      Answer answer;
      {
        TaskContext context(order, static_cast<int>(place), network, pipe);
        answer = carry_out(context, rank, work);
      }
      write_frame(pipe, to_json(answer));
    }
  } catch (const std::exception& error) { std::fprintf(stderr, "railgauge: rank %d: %s\n", rank, error.what()); }
  std::fflush(nullptr);
  _exit(0);
}

}  // namespace railgauge::agents
