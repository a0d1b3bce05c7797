// Streams, and what may begin of what is in them.
#include "tests/softgpu/engine/gpu.hpp"

#include <algorithm>
#include <utility>

namespace softgpu {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

Limits limits_of(const Config& config) {
  Limits limits;
  limits.multiprocessors = config.sms;
  return limits;
}

}  // namespace

Gpu::Gpu(int number, int physical, const Config& config, Machine& machine)
    : number_(number),
      physical_(physical),
      config_(config),
      machine_(machine),
      device_(machine.world, machine.memory, static_cast<std::uint32_t>(physical), limits_of(config)),
      draw_(config.seed * 2003 + static_cast<std::uint64_t>(physical)),
      queues_(std::max(1U, config.connections)) {
  streams_.push_back(std::make_unique<Stream>(*this, Stream::Kind::legacy, 0, machine.world));
}

// In the queue that serves the fewest; which of several is left open.
Stream* Gpu::create(Stream::Kind kind) {
  std::vector<unsigned> served(queues_.size());
  for (const auto& stream : streams_) ++served[stream->queue()];
  const unsigned fewest = *std::min_element(served.begin(), served.end());
  std::vector<unsigned> least;
  for (unsigned queue = 0; queue < served.size(); ++queue)
    if (served[queue] == fewest) least.push_back(queue);
  const unsigned queue = least[draw_.below(least.size())];
  streams_.push_back(std::make_unique<Stream>(*this, kind, queue, machine_.world));
  return streams_.back().get();
}

void Gpu::destroy(Stream& stream) {
  stream.destroyed = true;
  if (stream.pending.empty()) std::erase_if(streams_, [&](const auto& one) { return one.get() == &stream; });
}

bool Gpu::owns(const Stream* stream) const {
  return std::any_of(streams_.begin(), streams_.end(), [&](const auto& one) { return one.get() == stream && !one->destroyed; });
}

std::vector<SharedOp> Gpu::in_flight() const {
  std::vector<SharedOp> all;
  for (const auto& stream : streams_)
    if (stream->last) all.push_back(stream->last);
  return all;
}

SharedOp Gpu::put(Stream& stream, std::unique_ptr<Work> work, std::vector<SharedOp> after, Knowledge told, Lateness lateness) {
  auto op = std::make_shared<Op>();
  op->stream = &stream;
  op->work = std::move(work);
  op->after = std::move(after);
  op->told = std::move(told);
  if (stream.kind() == Stream::Kind::blocking && legacy().last) op->after.push_back(legacy().last);
  if (stream.kind() == Stream::Kind::legacy)
    for (const auto& other : streams_)
      if (other->kind() == Stream::Kind::blocking && other->last) op->after.push_back(other->last);
  if (config_.late && draw_.one_in(lateness == Lateness::often ? 2 : 32))
    op->not_before = steady_clock::now() + microseconds(draw_.below(lateness == Lateness::often ? 1000 : 300));
  if (failure_) {
    op->done = true;
    return op;
  }
  stream.pending.push_back(op);
  stream.last = op;
  queues_[stream.queue()].push_back(op);
  return op;
}

void Gpu::fail(Failure failure) {
  if (!failure_) failure_ = std::move(failure);
  for (const auto& stream : streams_) {
    for (const SharedOp& op : stream->pending) {
      op->done = true;
      op->work.reset();
    }
    stream->pending.clear();
  }
  for (auto& queue : queues_) queue.clear();
}

bool Gpu::is_ready(Op& op, Op::Time now) const {
  if (op.stream->pending.front().get() != &op || now < op.not_before) return false;
  const auto is_open = [](const SharedOp& other) { return !other->done; };
  return std::none_of(op.after.begin(), op.after.end(), is_open) && op.work->can_begin();
}

bool Gpu::begin_what_can(std::vector<SharedOp>& running, Draw& draw) {
  const Op::Time now = steady_clock::now();
  const std::size_t first = draw.below(queues_.size());
  bool left = false;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    std::deque<SharedOp>& queue = queues_[(first + i) % queues_.size()];
    while (!queue.empty() && is_ready(*queue.front(), now)) {
      Op& op = *queue.front();
      op.stream->actor.acquire(op.told);
      for (const SharedOp& other : op.after) op.stream->actor.acquire(other->left);
      op.after.clear();
      running.push_back(queue.front());
      queue.pop_front();
    }
    left = left || !queue.empty();
  }
  return left;
}

void Gpu::end(const SharedOp& op) {
  Stream& stream = *op->stream;
  op->done = true;
  op->ended = steady_clock::now();
  op->left = stream.actor.release();
  op->work.reset();
  op->told = Knowledge();
  if (!stream.pending.empty() && stream.pending.front() == op) stream.pending.pop_front();
  if (stream.destroyed && stream.pending.empty()) destroy(stream);
}

void Gpu::weigh(Draw& draw) {
  for (const auto& stream : streams_) stream->weight = std::uint64_t{1} << (3 * draw.below(3));
}

}  // namespace softgpu
