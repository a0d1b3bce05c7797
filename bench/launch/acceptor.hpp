// Where others come in: accepts connections, hears their greetings, and hands over the sockets of those who are expected.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <list>

#include "bench/launch/address.hpp"
#include "bench/launch/wire.hpp"

namespace railgauge {

// So many connections at once, and the files of a program besides: the soft limit is often 1024.
void allow_connections(int count);

// Used by the thread that runs the io_context, which outlives it.
class Acceptor {
 public:
  using Expected = std::function<bool(const wire::Hello&)>;  // whether who greets so may come in
  using Enter = std::function<void(Descriptor socket, const wire::Hello&)>;

  // `rank`: of who answers. Strangers who do not greet are dropped after 10 s.
  Acceptor(boost::asio::io_context& context, Listener listener, const wire::Token& token, int rank, Expected expected,
           Enter enter);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  // Who has connected and not yet said who it is.
  struct Guest {
    boost::asio::ip::tcp::socket socket;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    wire::HelloBytes words{};
  };
  void accept();
  void greet(std::list<Guest>::iterator guest);
  void answer(Guest& guest, const wire::Hello& hello);
  void sweep();

  boost::asio::io_context& context_;
  wire::Token token_;
  int rank_;
  Expected expected_;
  Enter enter_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer timer_;
  std::list<Guest> guests_;
  bool accepting_ = false, sweeping_ = false;
};

}  // namespace railgauge
