// Graphs: what a capture collects instead of doing it, and its launches.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "tests/softgpu/engine/work.hpp"

namespace softgpu {

struct Graph {
  struct Node {
    Make make;
    std::vector<std::size_t> after;
  };
  std::vector<Node> nodes;  // each after earlier ones alone
};

// A capture in progress: it began in one stream, and others join by waiting for its events.
struct Capture {
  const Stream* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool invalid = false;
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::map<const Stream*, std::set<std::size_t>> tips;  // what the next node of a stream comes after

  void add(const Stream& stream, Make make);
  // Whether all nodes come before what the origin would put next.
  [[nodiscard]] bool is_joined() const;
};

// A launch: nodes that may run beside each other do, in an order drawn from the seed.
class GraphWork final : public Work {
 public:
  // One actor a node, which serve one launch after the other.
  using Actors = std::vector<std::unique_ptr<Actor>>;
  GraphWork(std::shared_ptr<const Graph> graph, std::shared_ptr<Actors> actors);
  [[nodiscard]] Turn advance(Actor& actor, Draw& draw) override;
  [[nodiscard]] bool give_up() override;

 private:
  struct Part {
    std::unique_ptr<Work> work;
    bool begun = false, over = false;
  };
  [[nodiscard]] bool is_free(std::size_t node);
  std::shared_ptr<const Graph> graph_;
  std::shared_ptr<Actors> actors_;
  std::vector<Part> parts_;
  std::size_t left_;
  bool has_begun_ = false;
  Knowledge begun_;  // what the launch knew when it began
};

// An instantiated graph. Its launches run one after the other.
struct GraphExec {
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<GraphWork::Actors> actors;
  SharedOp last;
};

}  // namespace softgpu
