// What NCCL calls our words, and the calls.
#include "transports/nccl/collectives.hpp"

#include <fmt/format.h>
#include <nccl.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "base/error.hpp"
#include "transports/nccl/call.hpp"
#include "transports/nccl/driver.hpp"
#include "transports/nccl/endpoint.hpp"
#include "transports/nccl/newer.hpp"
#include "transports/nccl/profiler.hpp"

namespace railgauge::nccl {
namespace {

using C = Collective;
constexpr std::array offered{C::all_reduce, C::reduce_scatter, C::all_gather, C::broadcast,
                             C::reduce,     C::gather,         C::scatter,    C::all_to_all};

constexpr int knows_float8 = NCCL_VERSION(2, 24, 1);

struct TypeOfNccl {
  Type type;
  ncclDataType_t nccl;
  // The bits of 1 and of 2, for premulsum.
  std::uint64_t one, two;
};
constexpr std::array type_rows{
    TypeOfNccl{Type::int8, ncclInt8, 1, 2},
    TypeOfNccl{Type::uint8, ncclUint8, 1, 2},
    TypeOfNccl{Type::int32, ncclInt32, 1, 2},
    TypeOfNccl{Type::uint32, ncclUint32, 1, 2},
    TypeOfNccl{Type::int64, ncclInt64, 1, 2},
    TypeOfNccl{Type::uint64, ncclUint64, 1, 2},
    TypeOfNccl{Type::float16, ncclFloat16, 0x3c00, 0x4000},
    TypeOfNccl{Type::bfloat16, ncclBfloat16, 0x3f80, 0x4000},
    TypeOfNccl{Type::float32, ncclFloat32, std::bit_cast<std::uint32_t>(1.0F), std::bit_cast<std::uint32_t>(2.0F)},
    TypeOfNccl{Type::float64, ncclFloat64, std::bit_cast<std::uint64_t>(1.0), std::bit_cast<std::uint64_t>(2.0)},
    // By number, since headers before 2.24 do not have the names.
    TypeOfNccl{Type::float8_e4m3, static_cast<ncclDataType_t>(10), 0x38, 0x40},
    TypeOfNccl{Type::float8_e5m2, static_cast<ncclDataType_t>(11), 0x3c, 0x40},
};

const TypeOfNccl& row_of(Type type) {
  return *std::find_if(type_rows.begin(), type_rows.end(), [&](const TypeOfNccl& row) { return row.type == type; });
}

bool is_float8(Type type) { return type == Type::float8_e4m3 || type == Type::float8_e5m2; }
bool is_integer(Type type) { return type <= Type::uint64; }

ncclRedOp_t op_of(Op op) {
  switch (op) {
    case Op::prod:
      return ncclProd;
    case Op::min:
      return ncclMin;
    case Op::max:
      return ncclMax;
    case Op::avg:
      return ncclAvg;
    case Op::none:
    case Op::sum:
    case Op::premulsum:  // has one of its own
      break;
  }
  return ncclSum;
}

// What is averaged in checks has bits down to 2^-3 of these types, and the smallest they hold are 2^-9 and 2^-16.
int largest_exact_average(Type type) {
  return type == Type::float8_e4m3 ? 1 << 6 : type == Type::float8_e5m2 ? 1 << 13 : std::numeric_limits<int>::max();
}

bool has_block_for_each_rank(Collective collective) {
  return collective != C::all_reduce && collective != C::broadcast && collective != C::reduce;
}

bool reduces(Collective collective) {
  return collective == C::all_reduce || collective == C::reduce || collective == C::reduce_scatter;
}

// Inside NCCL.
bool is_made_of_messages(Collective collective) {
  return collective == C::gather || collective == C::scatter || collective == C::all_to_all;
}

const char* lacking(Collective collective) {
  if (collective == C::all_to_all && newer().all_to_all == nullptr) return "ncclAlltoAll";
  if (collective == C::gather && newer().gather == nullptr) return "ncclGather";
  if (collective == C::scatter && newer().scatter == nullptr) return "ncclScatter";
  return nullptr;
}

std::string refusal(const CollectiveCall& call) {
  int version = 0;
  (void)ncclGetVersion(&version);
  if (std::find(offered.begin(), offered.end(), call.collective) == offered.end())
    return fmt::format("NCCL has no {} of its own", name(call.collective));
  if (const char* const function = lacking(call.collective); function != nullptr)
    return fmt::format("NCCL {} has no {}, which came with 2.28", version_text(version), function);
  if (is_float8(call.type) && version < knows_float8)
    return fmt::format("NCCL {} has no {}, which came with 2.24", version_text(version), name(call.type));
  if (has_block_for_each_rank(call.collective) && call.elements % static_cast<std::uint64_t>(call.ranks) != 0)
    return fmt::format("NCCL's blocks are equal: choose a multiple of {} elements", call.ranks);
  if (call.op == Op::avg && !is_integer(call.type) && !std::has_single_bit(static_cast<unsigned>(call.ranks)))
    return fmt::format("NCCL multiplies by 1/{} before it adds, which rounds, and no exact result is known", call.ranks);
  if (call.op == Op::avg && call.ranks > largest_exact_average(call.type))
    return fmt::format("NCCL multiplies by 1/{} before it adds, which {} does not hold", call.ranks, name(call.type));
  return {};
}

class NcclCollective final : public CollectiveRunnable {
 public:
  NcclCollective(Communicator& communicator, void* stream, const CollectiveCall& call, std::byte* input, std::byte* output,
                 double factor)
      : communicator_(communicator),
        stream_(static_cast<cudaStream_t>(stream)),
        call_(call),
        input_(input),
        output_(output),
        count_(has_block_for_each_rank(call.collective) ? call.elements / static_cast<std::uint64_t>(call.ranks) : call.elements),
        type_(row_of(call.type).nccl),
        op_(op_of(call.op)) {
    if (call.op != Op::premulsum) return;
    std::uint64_t scalar = factor == 1 ? row_of(call.type).one : row_of(call.type).two;  // its first bytes, here as everywhere
    check(ncclRedOpCreatePreMulSum(&op_, &scalar, type_, ncclScalarHostImmediate, communicator_.handle()), Fault::usage,
          fmt::format("ncclRedOpCreatePreMulSum of {}", name(call.type)), communicator_.handle());
    own_op_ = true;
  }
  ~NcclCollective() override {
    if (own_op_ && !communicator_.broken()) ncclRedOpDestroy(op_, communicator_.handle());
  }
  NcclCollective(const NcclCollective&) = delete;
  NcclCollective& operator=(const NcclCollective&) = delete;

  void start() override {
    communicator_.begin_call();
    const ncclResult_t code = enqueue();
    if (code != ncclSuccess) communicator_.failed(code, fmt::format("NCCL's {}", name(call_.collective)));
    communicator_.end_call();
  }
  bool test() override { return later_.look(communicator_); }
  void ask() override {
    predict();
    watch_collectives(true);
    start();
  }
  [[nodiscard]] CollectiveChoice choice() override {
    watch_collectives(false);
    const Begun begun = last_begun();
    return {begun.algorithm, begun.protocol, begun.channels, predicted_};
  }

 private:
  // Not all that can be done can be predicted: a refusal is no fault of the run. By NCCL's source, what was only simulated stays
  // in the communicator and goes out with its next group, which is start()'s: the same collective once more, whose result nobody
  // takes; but the sends and receives of two operations at once.
  void predict() {
    if (newer().simulate == nullptr || is_made_of_messages(call_.collective)) return;
    communicator_.begin_call();
    Simulation simulation;
    ncclGroupStart();
    const ncclResult_t given = enqueue();
    const ncclResult_t code = newer().simulate(&simulation);
    communicator_.end_call();
    if (given == ncclSuccess && code == ncclSuccess && simulation.microseconds > 0)
      predicted_ = static_cast<double>(simulation.microseconds) * 1e-6;
  }

  ncclResult_t enqueue() {
    const ncclComm_t handle = communicator_.handle();
    switch (call_.collective) {
      case C::all_reduce:
        return ncclAllReduce(input_, output_, count_, type_, op_, handle, stream_);
      case C::reduce:
        return ncclReduce(input_, output_, count_, type_, op_, call_.root, handle, stream_);
      case C::broadcast:
        return ncclBroadcast(input_, output_, count_, type_, call_.root, handle, stream_);
      case C::all_gather:
        return ncclAllGather(input_, output_, count_, type_, handle, stream_);
      case C::reduce_scatter:
        return ncclReduceScatter(input_, output_, count_, type_, op_, handle, stream_);
      case C::all_to_all:
        return newer().all_to_all(input_, output_, count_, type_, handle, stream_);
      case C::gather:
        return newer().gather(input_, output_, count_, type_, call_.root, handle, stream_);
      case C::scatter:
        return newer().scatter(input_, output_, count_, type_, call_.root, handle, stream_);
      default:
        return ncclInvalidArgument;
    }
  }

  Communicator& communicator_;
  cudaStream_t stream_;
  CollectiveCall call_;
  std::byte *input_, *output_;
  std::size_t count_;
  ncclDataType_t type_;
  ncclRedOp_t op_;
  bool own_op_ = false;
  LaterErrors later_;
  double predicted_ = 0;  // seconds; 0: unknown
};

// NCCL itself says so only when it is called, and the communicator is gone by then.
std::string refusal_here(Endpoint& endpoint, const CollectiveCall& call) {
  constexpr int knows_float8_sums = 9;  // sm_90
  const int major = compute_capability();
  if (!is_float8(call.type) || !reduces(call.collective) || major == 0 || major >= knows_float8_sums) return {};
  return fmt::format("NCCL reduces {} from compute capability 9.0 on, and the GPU of rank {} has {}.x", name(call.type),
                     dynamic_cast<NcclEndpoint&>(endpoint).communicator().rank(), major);
}

std::unique_ptr<CollectiveRunnable> make(Endpoint& endpoint, const CollectiveCall& call, std::byte* input, std::byte* output,
                                         double factor) {
  auto& own = dynamic_cast<NcclEndpoint&>(endpoint);
  return std::make_unique<NcclCollective>(own.communicator(), own.stream(), call, input, output, factor);
}

}  // namespace

const CollectiveTable collectives{.collectives = offered, .refusal = refusal, .refusal_here = refusal_here, .make = make};

}  // namespace railgauge::nccl
