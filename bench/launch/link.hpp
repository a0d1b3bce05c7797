// One connection of the control tree: reads messages and queues what is to be written. Only the .cpp files of the control tree
// include this header, because Asio is slow to compile. Asio and not ZeroMQ: ZeroMQ reconnects behind our back and hides that a
// peer has gone, while here a closed connection is the news of a death.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <deque>
#include <string>

#include "bench/launch/address.hpp"
#include "bench/launch/wire.hpp"

namespace railgauge {

class Link;

// The receiver of a link's events. The thread that runs the io_context calls it, never from within a call of Link.
class LinkEvents {
 public:
  virtual ~LinkEvents() = default;
  virtual void arrived(Link& link, const wire::Head& head, wire::Body body) = 0;
  // Once, when the other side closed or the connection broke; not after close().
  virtual void ended(Link& link, const std::string& why) = 0;
  // All queued messages of all links have been written to the kernel, or lost with their link.
  virtual void drained() = 0;
};

// Must live until its io_context has stopped for good. Must be used from one thread at a time: the thread that runs the
// io_context.
class Link {
 public:
  // `unsent` counts the queued messages of all links of one owner.
  Link(boost::asio::io_context& context, Descriptor socket, std::atomic<std::size_t>& unsent);

  int rank = -1;              // of the other side, once it is known
  bool said_goodbye = false;  // the other side announced that it would close
  int silent_beats = 0;       // since the other side was last heard: its owner counts, what arrives resets
  int process = 0;            // of the other side, once it has told
  LinkEvents* events = nullptr;

  void read();  // begins to read messages, for ever
  void send(wire::Head head, wire::Body body = {});
  void close();
  [[nodiscard]] bool open() const noexcept { return open_; }

 private:
  struct Item {
    wire::HeadBytes head;
    wire::Body body;
  };
  void read_body(std::size_t have);
  void deliver();
  void write();
  void fail(const std::string& why);

  boost::asio::ip::tcp::socket socket_;
  std::atomic<std::size_t>& unsent_;
  bool open_ = true;
  std::deque<Item> queue_;
  wire::HeadBytes head_bytes_{};
  wire::Head head_;
  std::shared_ptr<Blob> body_;
};

}  // namespace railgauge
