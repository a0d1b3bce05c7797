// Reads and writes the messages of one connection.
#include "bench/launch/link.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <utility>

namespace railgauge {
namespace {

namespace asio = boost::asio;

// A length is only believed as far as bytes have come: memory grows by this much at most ahead of them.
constexpr std::size_t step = std::size_t{1} << 20;

asio::ip::tcp protocol_of(int socket) {
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  (void)getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length);
  return own.ss_family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4();
}

}  // namespace

Link::Link(asio::io_context& context, Descriptor socket, std::atomic<std::size_t>& unsent) : socket_(context), unsent_(unsent) {
  tune(socket.get());
  const auto protocol = protocol_of(socket.get());
  socket_.assign(protocol, socket.release());
}

void Link::read() {
  asio::async_read(socket_, asio::buffer(head_bytes_), [this](const boost::system::error_code& code, std::size_t) {
    if (!open_) return;
    if (code) return fail(code == asio::error::eof ? "its connection closed" : "its connection broke: " + code.message());
    silent_beats = 0;
    const auto head = wire::decode_head(head_bytes_);
    if (!head) return fail("it sent what is no message of railgauge");
    head_ = *head;
    body_ = std::make_shared<Blob>();
    read_body(0);
  });
}

void Link::read_body(std::size_t have) {
  if (have == head_.length) return deliver();
  const std::size_t more = std::min<std::size_t>(head_.length - have, step);
  body_->resize(have + more);
  asio::async_read(socket_, asio::buffer(body_->data() + have, more),
                   [this, have, more](const boost::system::error_code& code, std::size_t) {
                     if (!open_) return;
                     if (code) return fail("its connection closed within a message");
                     silent_beats = 0;
                     read_body(have + more);
                   });
}

void Link::deliver() {
  events->arrived(*this, head_, std::move(body_));
  if (open_) read();
}

void Link::send(wire::Head head, wire::Body body) {
  if (!open_) return;
  head.length = body ? static_cast<std::uint32_t>(body->size()) : 0;
  queue_.push_back({encode(head), std::move(body)});
  ++unsent_;
  if (queue_.size() == 1) write();
}

void Link::write() {
  const Item& item = queue_.front();
  const std::array<asio::const_buffer, 2> buffers{asio::buffer(item.head),
                                                  item.body ? asio::buffer(*item.body) : asio::const_buffer{}};
  asio::async_write(socket_, buffers, [this](const boost::system::error_code& code, std::size_t) {
    if (!open_) return;
    if (code) return fail("its connection broke: " + code.message());
    queue_.pop_front();
    if (!queue_.empty()) write();
    if (--unsent_ == 0) events->drained();
  });
}

void Link::fail(const std::string& why) {
  close();
  events->ended(*this, why);
  if (unsent_ == 0) events->drained();
}

void Link::close() {
  if (!open_) return;
  open_ = false;
  unsent_ -= queue_.size();
  boost::system::error_code ignored;
  (void)socket_.close(ignored);
  queue_.clear();
}

}  // namespace railgauge
