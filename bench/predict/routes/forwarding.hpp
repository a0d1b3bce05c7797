// The path of a message through InfiniBand switches by their forwarding tables: each looks up the LID of the receiver's port.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/predict/flows/path.hpp"
#include "bench/predict/routes/incidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::predict {

// Refers to graph and incidence, which must outlive it.
class Forwarding {
 public:
  Forwarding(const topo::Graph& graph, const Incidence& incidence);

  [[nodiscard]] std::size_t switches() const { return switches_; }       // of the fabric, between ranks
  [[nodiscard]] std::size_t tables() const { return tables_.size(); }    // of those that have one
  [[nodiscard]] const std::string& without() const { return without_; }  // a switch that has none, for people; empty: all have
  // Whether messages can be followed: there are switches, and all have tables.
  [[nodiscard]] bool complete() const { return switches_ > 0 && tables_.size() == switches_; }

  // Appends the arcs from the switch on which the sender's cable ends to the one on which the receiver's does; `cable` is the arc
  // that reaches the receiver. Throws Error(usage), which names the switch, where a table drops the receiver or leads in a
  // circle, or the receiver's port has no LID.
  void follow(std::uint32_t from, std::uint32_t cable, std::vector<Use>& uses) const;

 private:
  struct Table {
    std::vector<std::uint8_t> ports;     // by LID; topo::no_port: none
    std::vector<std::uint32_t> leaving;  // by port: the arc; none where nothing is known of that port
  };
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::size_t most_switches =
      64;  // on one path, as many as a packet may cross (the hop limit of a directed route)

  [[nodiscard]] std::string name_of(std::uint32_t vertex) const;

  const topo::Graph& graph_;
  const Incidence& incidence_;
  std::size_t switches_ = 0;
  std::string without_;
  std::unordered_map<std::uint32_t, Table> tables_;        // by vertex
  std::unordered_map<std::uint32_t, std::uint32_t> lids_;  // of receivers, by the arc that reaches them
};

}  // namespace railgauge::predict
