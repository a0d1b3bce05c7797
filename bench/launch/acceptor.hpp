// Accepts connections, reads their greetings, and hands over the sockets of expected peers.
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

// Raises the soft limit of open files, often 1024, for `count` connections and the other files of the program.
void allow_connections(int count);

// Must be used by the thread that runs the io_context. The io_context must outlive it.
class Acceptor {
 public:
  using Expected = std::function<bool(const wire::Hello&)>;  // whether to admit a peer with this greeting
  using Enter = std::function<void(Descriptor socket, const wire::Hello&)>;

  // `rank`: of this process. Closes connections without a greeting after 10 s.
  Acceptor(boost::asio::io_context& context, Listener listener, const wire::Token& token, int rank, Expected expected,
           Enter enter);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  // A connection without a complete greeting.
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
