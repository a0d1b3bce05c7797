// Hears greetings.
#include "bench/launch/acceptor.hpp"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <cstdint>
#include <utility>

namespace railgauge {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds greeting_time{10};

}  // namespace

void allow_connections(int count) {
  rlimit limit{};
  const auto needed = static_cast<rlim_t>(count) + 256;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min(limit.rlim_max, needed);
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

Acceptor::Acceptor(asio::io_context& context, Listener listener, const wire::Token& token, int rank, Expected expected,
                   Enter enter)
    : context_(context),
      token_(token),
      rank_(rank),
      expected_(std::move(expected)),
      enter_(std::move(enter)),
      acceptor_(context),
      timer_(context) {
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  (void)getsockname(listener.socket.get(), reinterpret_cast<sockaddr*>(&own), &length);
  acceptor_.assign(own.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), listener.socket.release());
  accept();
  sweep();
}

Acceptor::~Acceptor() {
  boost::system::error_code ignored;
  (void)acceptor_.close(ignored);
  (void)timer_.cancel();
  for (Guest& guest : guests_) (void)guest.socket.close(ignored);
  // The aborted handlers still point here: they run now.
  while (accepting_ || sweeping_ || !guests_.empty()) (void)context_.run_one();
}

void Acceptor::accept() {
  accepting_ = true;
  acceptor_.async_accept([this](const boost::system::error_code& code, tcp::socket socket) {
    accepting_ = false;
    if (code || !acceptor_.is_open()) return;  // out of descriptors, perhaps: sweep() begins again
    guests_.push_back(Guest{std::move(socket)});
    greet(std::prev(guests_.end()));
    accept();
  });
}

void Acceptor::sweep() {
  sweeping_ = true;
  timer_.expires_after(std::chrono::milliseconds(500));
  timer_.async_wait([this](const boost::system::error_code& code) {
    sweeping_ = false;
    if (code || !acceptor_.is_open()) return;
    boost::system::error_code ignored;
    for (Guest& guest : guests_)
      if (Clock::now() - guest.since > greeting_time) (void)guest.socket.close(ignored);
    if (!accepting_) accept();
    sweep();
  });
}

void Acceptor::greet(std::list<Guest>::iterator guest) {
  asio::async_read(guest->socket, asio::buffer(guest->words), [this, guest](const boost::system::error_code& code, std::size_t) {
    const auto hello = code ? std::nullopt : wire::decode_hello(guest->words, token_);
    if (hello && acceptor_.is_open()) answer(*guest, *hello);
    guests_.erase(guest);
  });
}

void Acceptor::answer(Guest& guest, const wire::Hello& hello) {
  using Admission = wire::Welcome::Admission;
  wire::Welcome welcome{wire::protocol, Admission::welcome, static_cast<std::uint32_t>(rank_)};
  if (hello.version != wire::protocol)
    welcome.admission = Admission::other_version;
  else if (!expected_(hello))
    welcome.admission = Admission::not_expected;
  boost::system::error_code failed;
  guest.socket.write_some(asio::buffer(wire::encode(welcome)), failed);  // 17 bytes: always room
  if (!failed && welcome.admission == Admission::welcome) enter_(Descriptor(guest.socket.release(failed)), hello);
}

}  // namespace railgauge
