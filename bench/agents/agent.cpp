// Passes messages, and watches over the worker.
#include "bench/agents/agent.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "base/boot.hpp"
#include "bench/launch/link.hpp"
#include "bench/launch/local.hpp"
#include "bench/launch/sentences.hpp"

namespace railgauge::agents {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using nlohmann::json;

// The letter that the kernel has for what a process does: 'T' is stopped.
char state_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= text.size() ? '?' : text[name_end + 2];
}

class Agent final : private LinkEvents {
 public:
  Agent(const AgentOptions& options, const Work& work)
      : options_(options), work_(work), timer_(context_), silence_(context_), hand_socket_(context_) {
    const Placement& place = options.placement;
    const Address address = parse_address(options.address);
    const wire::Hello hello{wire::protocol, address.token, wire::Hello::Purpose::introduce,
                            static_cast<std::uint32_t>(place.rank)};
    Descriptor socket = dial(address.candidates, hello, 0, moment_after(options.rendezvous), address.awaited);
    start_hand();
    conductor_.emplace(context_, std::move(socket), unsent_);
    conductor_->events = this;
    conductor_->read();
    say({{"is", "introduction"},
         {"size", place.size},
         {"node", place.node},
         {"local_rank", place.local_rank},
         {"machine", boot_of_kernel()},  // empty: each node counts as a machine of its own
         {"cores", allowed_cores()},
         {"arguments", options.arguments}});
  }
  ~Agent() override { end_hand(); }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  int run() {
    await_more();
    while (!over_) (void)context_.run_one();
    if (forsaken_)
      throw Error(Fault::lost,
                  fmt::format("rank {} heard nothing of rank 0 for {:g} s", options_.placement.rank, options_.silence.count()));
    return 0;
  }

 private:
  void await_more() {
    silence_.expires_at(moment_after(options_.silence));
    silence_.async_wait([this](const boost::system::error_code& code) {
      if (!code) over_ = forsaken_ = true;
    });
  }

  void arrived(Link&, const wire::Head& head, wire::Body body) override {
    await_more();
    if (head.kind == wire::Kind::goodbye) {
      over_ = true;
      return;
    }
    const json message = message_of(*body);
    const std::string kind = kind_of(message);
    if (kind == "ping") return say({{"is", "pong"}});
    if (kind == "order") {
      order_ = order_of(message);
      timer_.expires_at(moment_after(order_->limit));
      timer_.async_wait([this, number = order_->number](const boost::system::error_code& code) {
        if (!code && order_ && order_->number == number) late();
      });
    }
    try {
      write_frame(hand_pipe_, message);
    } catch (const Error&) {
      // It is gone: its end is heard of in a moment.
    }
  }
  void ended(Link&, const std::string&) override { over_ = true; }  // the conductor knows better what became of it
  void drained() override {}

  void say(const json& message) { conductor_->send({wire::Kind::letter}, body_of(message)); }

  void start_hand() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw Error(Fault::usage, std::string("socketpair: ") + std::strerror(errno));
    const pid_t self = getpid();
    worker_ = fork();
    if (worker_ < 0) throw Error(Fault::usage, std::string("fork: ") + std::strerror(errno));
    if (worker_ == 0) {
      if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != self) _exit(0);
      // The connections of the agent are to close when it ends.
      constexpr int pipe = 3;
      if (ends[1] != pipe && dup2(ends[1], pipe) != pipe) _exit(0);
      (void)close_range(pipe + 1, ~0U, 0);
      run_worker(pipe, options_.placement.rank, options_.network, work_);
    }
    (void)close(ends[1]);
    hand_pipe_ = ends[0];
    hand_socket_ = stream_protocol::socket(context_, stream_protocol(), ends[0]);
    read_hand(++hands_);
  }

  void end_hand() {
    boost::system::error_code ignored;
    (void)hand_socket_.close(ignored);
    if (worker_ <= 0) return;
    (void)kill(worker_, SIGKILL);
    (void)waitpid(std::exchange(worker_, -1), nullptr, 0);
  }

  void read_hand(std::uint64_t worker) {
    asio::async_read(hand_socket_, asio::buffer(&length_, sizeof length_),
                     [this, worker](const boost::system::error_code& code, std::size_t) {
                       if (worker != hands_ || over_) return;
                       if (code || length_ > longest_frame) return died();
                       frame_.resize(length_);
                       asio::async_read(hand_socket_, asio::buffer(frame_),
                                        [this, worker](const boost::system::error_code& failed, std::size_t) {
                                          if (worker != hands_ || over_) return;
                                          if (failed) return died();
                                          const json message = message_of(frame_);
                                          if (kind_of(message) == "answer") order_.reset();
                                          say(message);
                                          read_hand(worker);
                                        });
                     });
  }

  void died() {
    int status = 0;
    const pid_t process = std::exchange(worker_, -1);
    (void)kill(process, SIGKILL);  // it may have closed its end only
    if (waitpid(process, &status, 0) != process) status = 0;
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                                : fmt::format("ended with exit code {}", WEXITSTATUS(status));
    replace(Answer::Ending::killed, fmt::format("the process of rank {} {}", options_.placement.rank, how));
  }

  void late() {
    const bool stopped = state_of(worker_) == 'T';
    const std::string sentence = stopped ? fmt::format("the process of rank {} was stopped by a signal", options_.placement.rank)
                                         : fmt::format("rank {} did not end what it was told to end within {:g} s",
                                                       options_.placement.rank, order_->limit.count());
    end_hand();
    replace(stopped ? Answer::Ending::stopped : Answer::Ending::late, sentence);
  }

  void replace(Answer::Ending ending, const std::string& sentence) {
    boost::system::error_code ignored;
    (void)hand_socket_.close(ignored);
    if (order_) {
      Answer answer;
      answer.order = order_->number;
      answer.rank = options_.placement.rank;
      answer.ending = ending;
      answer.fault = Fault::lost;
      answer.sentence = sentence;
      say(to_json(answer));
      order_.reset();
    }
    start_hand();
  }

  const AgentOptions& options_;
  const Work& work_;
  asio::io_context context_{1};
  std::atomic<std::size_t> unsent_{0};
  asio::steady_timer timer_, silence_;
  std::optional<Link> conductor_;
  std::optional<Order> order_;
  stream_protocol::socket hand_socket_;
  int hand_pipe_ = -1;  // of hand_socket_
  pid_t worker_ = -1;
  std::uint64_t hands_ = 0;
  std::uint32_t length_ = 0;
  Blob frame_;
  bool over_ = false, forsaken_ = false;
};

}  // namespace

int run_agent(const AgentOptions& options, const Work& work) {
  (void)prctl(PR_SET_NAME, "railgauge-agent");
  // Who interrupts the run tells the conductor, and that tells its agents.
  (void)std::signal(SIGINT, SIG_IGN);
  (void)std::signal(SIGTERM, SIG_IGN);
  (void)std::signal(SIGPIPE, SIG_IGN);
  return Agent(options, work).run();
}

}  // namespace railgauge::agents
