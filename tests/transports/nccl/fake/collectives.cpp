// The collectives of the fake NCCL, as plain as can be: every rank sends all that it gives to every other, and takes what it
// needs. With FAKE_NCCL=wrong the last byte of what a rank takes is off by one.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "bench/device/device.hpp"
#include "tests/transports/nccl/fake/communicator.hpp"

namespace {

using fake_nccl::Half;
using railgauge::Bytes;
using railgauge::ConstBytes;
using railgauge::Op;
using railgauge::Type;
using All = std::vector<std::vector<std::byte>>;  // what each rank gave

struct TypeRow {
  ncclDataType_t nccl;
  Type type;
};
constexpr TypeRow types[] = {{ncclInt8, Type::int8},
                             {ncclUint8, Type::uint8},
                             {ncclInt32, Type::int32},
                             {ncclUint32, Type::uint32},
                             {ncclInt64, Type::int64},
                             {ncclUint64, Type::uint64},
                             {ncclFloat16, Type::float16},
                             {ncclBfloat16, Type::bfloat16},
                             {ncclFloat32, Type::float32},
                             {ncclFloat64, Type::float64},
                             {static_cast<ncclDataType_t>(10), Type::float8_e4m3},
                             {static_cast<ncclDataType_t>(11), Type::float8_e5m2}};
Type type_of(ncclDataType_t type) {
  for (const TypeRow& row : types)
    if (row.nccl == type) return row.type;
  std::abort();
}

// The value of a scalar that is 1 or 2 in its type.
double factor_of(const void* scalar, Type type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, scalar, railgauge::bytes_of(type));
  for (const std::uint64_t one : {0x1ULL, 0x3c00ULL, 0x3f80ULL, 0x3f800000ULL, 0x3ff0000000000000ULL, 0x38ULL, 0x3cULL})
    if (bits == one) return 1;
  return 2;
}

// In the stream: sends `given` bytes at `from` to all, and hands `take` what all gave, with where `taken` bytes at `to` can be
// written.
ncclResult_t put(ncclComm_t communicator, cudaStream_t handle, const void* from, std::size_t given, void* to, std::size_t taken,
                 std::function<void(All&, std::byte*)> take) {
  if (fake_nccl::keeps_collective()) return ncclSuccess;
  const std::shared_ptr<fake_nccl::State> own = communicator->state;
  if (!may_use(*own, to, taken)) return fake_nccl::refuse(ncclInvalidArgument, "an output that NCCL does not know");
  fake_nccl::begin_collective("a collective", given, own->mesh->rank());
  auto& stream = fake_nccl::stream_of(handle);
  const auto ranks = static_cast<std::size_t>(own->mesh->size());
  const auto me = static_cast<std::size_t>(own->mesh->rank());
  struct State {
    All all;
    std::vector<Half> out, in;
    bool begun = false;
  };
  auto state = std::make_shared<State>();
  stream.push([=, &stream, take = std::move(take)] {
    if (own->aborted) return true;
    if (own->later != ncclSuccess) return false;
    try {
      if (!state->begun) {
        state->all.assign(ranks, std::vector<std::byte>(given));
        std::byte* const source = stream.reach(static_cast<std::byte*>(const_cast<void*>(from)), given);
        if (given != 0) std::memcpy(state->all[me].data(), source, given);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          state->out.push_back({.bytes = state->all[me].data(), .size = given});
          state->in.push_back({.bytes = state->all[rank].data(), .size = given});
        }
        state->begun = true;
      }
      bool done = true;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (rank == me) continue;
        done = own->mesh->send(static_cast<int>(rank), state->out[rank]) && done;
        done = own->mesh->receive(static_cast<int>(rank), state->in[rank]) && done;
      }
      if (!done) return false;
      state->begun = false;  // of a recording it comes again
      state->out.clear();
      state->in.clear();
      if (taken == 0) return true;
      std::byte* const target = stream.reach(static_cast<std::byte*>(to), taken);
      take(state->all, target);
      const char* const fault = std::getenv("FAKE_NCCL");
      if (fault != nullptr && fault == std::string_view("wrong")) target[taken - 1] ^= std::byte{1};
      return true;
    } catch (const std::exception&) {
      own->later = ncclRemoteError;
      return false;
    }
  });
  return ncclSuccess;
}

// Reduces `bytes` behind `offset` of what all gave.
std::function<void(All&, std::byte*)> reduction(ncclComm_t communicator, ncclDataType_t nccl, ncclRedOp_t op, std::size_t offset,
                                                std::size_t bytes) {
  const Type type = type_of(nccl);
  const Op ours = op == ncclProd  ? Op::prod
                  : op == ncclMin ? Op::min
                  : op == ncclMax ? Op::max
                  : op == ncclAvg ? Op::avg
                                  : Op::sum;
  const auto ranks = static_cast<std::uint32_t>(communicator->state->mesh->size());
  return [=](All& all, std::byte* target) {
    std::vector<ConstBytes> sources;
    for (const std::vector<std::byte>& one : all) sources.emplace_back(one.data() + offset, bytes);
    const Bytes to[] = {Bytes(target, bytes)};
    railgauge::make_host_device()
        ->compute(type, ours)
        ->reduce(sources, to, {.factors = {}, .divisor = ours == Op::avg ? ranks : 1});
  };
}

// What a rank gives to a reduction of its own: multiplied, where it is to be.
class Given {
 public:
  Given(ncclComm_t communicator, const void* from, std::size_t bytes, ncclDataType_t nccl, ncclRedOp_t op, cudaStream_t handle)
      : address_(const_cast<void*>(from)) {
    const auto factor = communicator->state->factors.find(op);
    if (factor == communicator->state->factors.end() || factor->second == 1) return;
    auto& stream = fake_nccl::stream_of(handle);
    auto kept = std::make_shared<std::vector<std::byte>>(bytes);
    address_ = kept->data();
    const Type type = type_of(nccl);
    stream.push([=, &stream, factor = factor->second] {
      const ConstBytes sources[] = {ConstBytes(stream.reach(static_cast<std::byte*>(const_cast<void*>(from)), bytes), bytes)};
      const Bytes targets[] = {Bytes(kept->data(), bytes)};
      const double factors[] = {factor};
      railgauge::make_host_device()->compute(type, Op::premulsum)->reduce(sources, targets, {.factors = factors, .divisor = 1});
      return true;
    });
    kept_ = kept;
  }
  [[nodiscard]] const void* address() const { return address_; }
  [[nodiscard]] std::shared_ptr<std::vector<std::byte>> kept() const { return kept_; }  // until the reduction is done

 private:
  void* address_;
  std::shared_ptr<std::vector<std::byte>> kept_;
};

ncclResult_t reduce(const void* from, std::size_t given, void* to, std::size_t offset, std::size_t taken, ncclDataType_t type,
                    ncclRedOp_t op, ncclComm_t communicator, cudaStream_t stream) {
  if (!may_use(*communicator->state, from, given))
    return fake_nccl::refuse(ncclInvalidArgument, "an input that NCCL does not know");
  const Given mine(communicator, from, given, type, op, stream);
  return put(communicator, stream, mine.address(), given, to, taken,
             [kept = mine.kept(), reduce = reduction(communicator, type, op, offset, taken)](All& all, std::byte* target) {
               reduce(all, target);
             });
}

std::size_t bytes(std::size_t count, ncclDataType_t type) { return count * railgauge::bytes_of(type_of(type)); }
std::size_t rank_of(ncclComm_t communicator) { return static_cast<std::size_t>(communicator->state->mesh->rank()); }
std::size_t size_of(ncclComm_t communicator) { return static_cast<std::size_t>(communicator->state->mesh->size()); }
bool is_root(ncclComm_t communicator, int root) { return communicator->state->mesh->rank() == root; }

// Part `part` of what each gave, one behind the other.
std::function<void(All&, std::byte*)> collection(std::size_t part, std::size_t bytes) {
  return [=](All& all, std::byte* target) {
    for (const std::vector<std::byte>& one : all) {
      std::memcpy(target, one.data() + part * bytes, bytes);
      target += bytes;
    }
  };
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar, ncclDataType_t type, ncclScalarResidence_t residence,
                                      ncclComm_t communicator) {
  if (residence != ncclScalarHostImmediate) return fake_nccl::refuse(ncclInvalidArgument, "the fake reads scalars of the host");
  int number = ncclNumOps;
  while (communicator->state->factors.contains(number)) ++number;
  communicator->state->factors[number] = factor_of(scalar, type_of(type));
  *op = static_cast<ncclRedOp_t>(number);
  return ncclSuccess;
}
ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t communicator) {
  communicator->state->factors.erase(op);
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t communicator,
                           cudaStream_t stream) {
  return reduce(from, bytes(count, type), to, 0, bytes(count, type), type, op, communicator, stream);
}
ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t communicator, cudaStream_t stream) {
  return reduce(from, bytes(count, type), to, 0, is_root(communicator, root) ? bytes(count, type) : 0, type, op, communicator,
                stream);
}
ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t communicator, cudaStream_t stream) {
  const std::size_t block = bytes(count, type);
  return reduce(from, block * size_of(communicator), to, block * rank_of(communicator), block, type, op, communicator, stream);
}
ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t communicator,
                           cudaStream_t stream) {
  // All send, since the parts of a message are awaited alike: those that are not the root, what happens to be in their output.
  return put(
      communicator, stream, is_root(communicator, root) ? from : to, bytes(count, type), to, bytes(count, type),
      [=](All& all, std::byte* target) { std::memcpy(target, all[static_cast<std::size_t>(root)].data(), bytes(count, type)); });
}
ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t communicator,
                           cudaStream_t stream) {
  const std::size_t block = bytes(count, type);
  return put(communicator, stream, from, block, to, block * size_of(communicator), collection(0, block));
}
ncclResult_t ncclGather(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t communicator,
                        cudaStream_t stream) {
  fake_nccl::expect_no_group();
  const std::size_t block = bytes(count, type);
  return put(communicator, stream, from, block, to, is_root(communicator, root) ? block * size_of(communicator) : 0,
             collection(0, block));
}
ncclResult_t ncclAlltoAll(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t communicator,
                          cudaStream_t stream) {
  fake_nccl::expect_no_group();
  const std::size_t block = bytes(count, type), whole = block * size_of(communicator);
  return put(communicator, stream, from, whole, to, whole, collection(rank_of(communicator), block));
}
// Others than the root have no input: they give their output as often as there are ranks, which nobody takes.
ncclResult_t ncclScatter(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t communicator,
                         cudaStream_t stream) {
  fake_nccl::expect_no_group();
  const std::size_t block = bytes(count, type);
  const auto take = [=](All& all, std::byte* target) {
    std::memcpy(target, all[static_cast<std::size_t>(root)].data() + block * rank_of(communicator), block);
  };
  if (is_root(communicator, root)) return put(communicator, stream, from, block * size_of(communicator), to, block, take);
  auto nothing = std::make_shared<std::vector<std::byte>>(block * size_of(communicator));
  return put(communicator, stream, nothing->data(), nothing->size(), to, block,
             [nothing, take](All& all, std::byte* target) { take(all, target); });
}

}  // extern "C"
#pragma GCC visibility pop
