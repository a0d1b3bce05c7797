// Counters become channels: the nth between two ranks carries the nth counter of each direction.
#include "bench/schedule/write/mscclpp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/schedule/read/plan_words.hpp"
#include "bench/schedule/write/one_sided.hpp"

namespace railgauge {
namespace {

using PlanText = nlohmann::ordered_json;

constexpr const char* letters_of_plans[] = {"i", "o", "s"};

const char* plan_letter(Buffer buffer) { return letters_of_plans[static_cast<std::size_t>(buffer)]; }

struct CurrentName {
  std::string_view former, current;
};
constexpr CurrentName current_names[] = {{"rs", "res"},       {"rrc", "rre"},   {"rrcs", "rres"}, {"rpkt", "repkt"},
                                         {"rspkt", "respkt"}, {"tpkt", "cpkt"}, {"cpkt", "upkt"}};

// The number of a thing in a list, where it is put when it is first asked for.
template <class Thing>
std::size_t number_in(std::vector<Thing>& list, const Thing& thing) {
  const auto number = static_cast<std::size_t>(std::find(list.begin(), list.end(), thing) - list.begin());
  if (number == list.size()) list.push_back(thing);
  return number;
}

class PlanWriter {
 public:
  explicit PlanWriter(const Program& program) : program_(program), channel_(program.counters.size()) {}

  std::string text() {
    channels();
    constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
    const PlanText head = {{"name", program_.name},
                           {"collective", collective()},
                           {"protocol", program_.protocol},
                           {"inplace", program_.in_place},
                           {"reuse_resources", false},
                           {"num_threads_per_block", 1024},
                           {"use_double_scratch_buffer", program_.double_scratch},
                           {"buffer_alignment", 16},
                           {"min_message_size", program_.least_bytes},
                           {"max_message_size", program_.most_bytes == 0 ? any : program_.most_bytes}};
    std::string text = dumped(head);
    text.pop_back();
    text += ",\n \"gpus\": [";
    for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank) text += (rank == 0 ? "\n" : ",\n") + of_rank(rank);
    return text + "]}\n";
  }

 private:
  static std::string dumped(const PlanText& json) { return json.dump(-1, ' ', false, PlanText::error_handler_t::replace); }

  std::string collective() const {
    if (program_.collective == Collective::send_receive) return "sendrecv";
    std::string text(name(program_.collective));
    std::erase(text, '_');
    return text;
  }

  static const PlanWord& word_of(const Step& step) { return plan_words()[static_cast<std::size_t>(step.place.word)]; }

  [[noreturn]] void refuse(const Step& step, const char* what) const {
    throw Error(
        Fault::usage,
        fmt::format("{} {}, which is not written as a plan of MSCCL++",
                    text_of(step, static_cast<std::int32_t>(rank_), static_cast<std::size_t>(step.place.thread_block), 0), what));
  }

  // From the ranks that signal and wait for each counter to numbers of channels.
  void channels() {
    std::vector<std::int32_t> from(program_.counters.size(), Step::none), to = from;
    std::vector<std::uint32_t> order;  // in which a reader meets them
    for (rank_ = 0; rank_ < program_.ranks.size(); ++rank_)
      for (const ThreadBlock& block : program_.ranks[rank_].thread_blocks)
        for (const Step& it : block.steps) {
          if (it.kind != StepType::signal && it.kind != StepType::wait) continue;
          if (from[it.counter] == Step::none && to[it.counter] == Step::none) order.push_back(it.counter);
          if (it.kind == StepType::signal) from[it.counter] = static_cast<std::int32_t>(rank_);
          if (it.kind == StepType::wait) to[it.counter] = static_cast<std::int32_t>(rank_);
        }
    std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> of_pair;
    for (const std::uint32_t i : order)
      if (from[i] != to[i] && from[i] != Step::none && to[i] != Step::none) channel_[i] = of_pair[{from[i], to[i]}]++;
    const auto ranks = static_cast<std::int32_t>(program_.ranks.size());
    first_.resize(program_.ranks.size());
    peers_.resize(program_.ranks.size());
    for (std::int32_t rank = 0; rank < ranks; ++rank)
      for (std::int32_t peer = 0; peer < ranks; ++peer) {
        const auto count = [&](std::int32_t a, std::int32_t b) {
          const auto found = of_pair.find({a, b});
          return found == of_pair.end() ? 0U : found->second;
        };
        std::vector<std::int32_t>& mine = peers_[static_cast<std::size_t>(rank)];
        first_[static_cast<std::size_t>(rank)][peer] = static_cast<std::uint32_t>(mine.size());
        mine.insert(mine.end(), std::max(count(rank, peer), count(peer, rank)), peer);
      }
    for (std::size_t i = 0; i < from.size(); ++i) ends_.emplace_back(from[i], to[i]);
  }

  std::string of_rank(std::size_t rank) {
    rank_ = rank;
    semaphores_.clear();
    meetings_.clear();
    buffers_.clear();
    const ProgramRank& mine = program_.ranks[rank];
    std::string blocks;
    for (std::size_t id = 0; id < mine.thread_blocks.size(); ++id)
      blocks += (id == 0 ? "\n" : ",\n") + of_thread_block(mine.thread_blocks[id], id);
    PlanText json = {
        {"id", rank}, {"input_chunks", mine.input}, {"output_chunks", mine.output}, {"scratch_chunks", mine.scratch}};
    json["channels"] = PlanText::array();
    if (!peers_[rank].empty()) json["channels"].push_back({{"channel_type", "memory"}, {"connected_to", peers_[rank]}});
    json["remote_buffers"] = PlanText::array();
    for (const auto& [peer, buffer] : buffers_)
      json["remote_buffers"].push_back(
          {{"rank", peer}, {"type", plan_letter(buffer)}, {"access_channel_types", PlanText::array({"memory"})}});
    json["semaphores"] = PlanText::array();
    for (const std::uint32_t counter : semaphores_)
      json["semaphores"].push_back({{"init_value", program_.counters[counter].initial}});
    std::string text = "  " + dumped(json);
    text.pop_back();
    return text + ",\n   \"threadblocks\": [" + blocks + "]}";
  }

  std::string of_thread_block(const ThreadBlock& block, std::size_t id) {
    std::vector<std::size_t> channels, buffers;
    std::string operations;
    for (std::size_t begin = 0, end = 0; begin < block.steps.size(); begin = end) {
      const Step& first = block.steps[begin];
      while (end < block.steps.size() && block.steps[end].place.operation == first.place.operation) ++end;
      if (first.place.thread_block != static_cast<std::int32_t>(id)) refuse(first, "is done by a port");
      if (first.place.inner >= 0) refuse(first, "is of a pipeline");
      PlanText json = {{"name", current_name(word_of(first))}};
      for (std::size_t i = begin; i < end; ++i) add(block.steps[i], json, channels, buffers, id);
      operations += (begin == 0 ? "\n    " : ",\n    ") + dumped(json);
    }
    PlanText json = {{"id", id}};
    json["channels"] = PlanText::array();
    if (!channels.empty()) json["channels"].push_back({{"channel_type", "memory"}, {"channel_ids", channels}});
    json["remote_buffer_refs"] = PlanText::array();
    if (!buffers.empty())
      json["remote_buffer_refs"].push_back({{"access_channel_type", "memory"}, {"remote_buffer_ids", buffers}});
    std::string text = "   " + dumped(json);
    text.pop_back();
    return text + ",\n    \"ops\": [" + operations + "]}";
  }

  static std::string current_name(const PlanWord& word) {
    for (const CurrentName& it : current_names)
      if (!word.current && it.former == word.name) return std::string(it.current);
    return std::string(word.name);
  }

  void add(const Step& it, PlanText& json, std::vector<std::size_t>& channels, std::vector<std::size_t>& buffers,
           std::size_t id) {
    if (it.kind == StepType::nop && it.awaited_thread_block != Step::none &&
        it.awaited_thread_block != static_cast<std::int32_t>(id))
      refuse(it, "waits for another thread block without a semaphore");
    if (it.kind == StepType::move) {
      json["channel_type"] = "memory";
      for (const Operand& operand : sources_of(program_, it)) json["src_buff"].push_back(operand_of(operand, it.count, buffers));
      for (const Operand& operand : targets_of(program_, it)) json["dst_buff"].push_back(operand_of(operand, it.count, buffers));
      if (word_of(it).kind == PlanKind::reduces) json["reduce_op"] = "sum";
      if (it.note.round != Step::none) json["round"] = it.note.round;
      if (it.note.data != Step::none) json["data"] = it.note.data;
    }
    if (it.kind != StepType::signal && it.kind != StepType::wait) return;
    const PlanKind kind = word_of(it).kind;
    if (kind == PlanKind::barrier) {
      json["barrier_id"] = number_in(meetings_, it.counter);
      json["num_threadblocks"] = program_.counters[it.counter].meeting;
    } else if (kind == PlanKind::acquire || kind == PlanKind::release) {
      json["semaphore_ids"].push_back(number_in(semaphores_, it.counter));
    } else {
      const auto [from, to] = ends_[it.counter];
      const std::int32_t peer = it.kind == StepType::signal ? to : from;
      if (peer == Step::none || peer == static_cast<std::int32_t>(rank_)) refuse(it, "has no other end");
      json["channel_type"] = "memory";
      json["channel_ids"].push_back(number_in(channels, std::size_t{first_[rank_][peer]} + channel_[it.counter]));
    }
  }

  PlanText operand_of(const Operand& it, std::uint32_t count, std::vector<std::size_t>& buffers) {
    PlanText json;
    if (it.rank == static_cast<std::int32_t>(rank_))
      json["type"] = plan_letter(it.buffer);
    else
      json["buffer_id"] = number_in(buffers, number_in(buffers_, std::pair(it.rank, it.buffer)));
    json["index"] = it.block;
    json["size"] = count;
    return json;
  }

  const Program& program_;
  std::vector<std::uint32_t> channel_;                        // of each counter: between its two ranks
  std::vector<std::pair<std::int32_t, std::int32_t>> ends_;   // of each counter: who signals, who waits
  std::vector<std::map<std::int32_t, std::uint32_t>> first_;  // of each rank and peer: its first channel
  std::vector<std::vector<std::int32_t>> peers_;              // of each rank: of its channels
  std::size_t rank_ = 0;
  std::vector<std::uint32_t> semaphores_, meetings_;      // of the rank: counters
  std::vector<std::pair<std::int32_t, Buffer>> buffers_;  // of the rank: remote ones
};

}  // namespace

std::string to_mscclpp(const Program& program) {
  const Program plan = one_sided(program);
  return PlanWriter(plan).text();
}

}  // namespace railgauge
