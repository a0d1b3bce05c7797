// The table of errors that this library gives.
#include "tests/softgpu/calls/errors.hpp"

#include <cuda.h>

namespace softgpu {
namespace {

#define SAME(runtime, driver, text) {runtime, #runtime, #driver, text}

constexpr ErrorWords table[] = {
    SAME(cudaSuccess, CUDA_SUCCESS, "no error"),
    SAME(cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    SAME(cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    SAME(cudaErrorInitializationError, CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    SAME(cudaErrorInvalidConfiguration, cudaErrorInvalidConfiguration, "invalid configuration argument"),
    SAME(cudaErrorInvalidMemcpyDirection, cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    SAME(cudaErrorInvalidDeviceFunction, cudaErrorInvalidDeviceFunction, "invalid device function"),
    SAME(cudaErrorNoDevice, CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    SAME(cudaErrorInvalidDevice, CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    SAME(cudaErrorDeviceUninitialized, CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    SAME(cudaErrorMapBufferObjectFailed, CUDA_ERROR_MAP_FAILED, "mapping of buffer object failed"),
    SAME(cudaErrorAlreadyMapped, CUDA_ERROR_ALREADY_MAPPED, "resource already mapped"),
    SAME(cudaErrorPeerAccessUnsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
         "peer access is not supported between these two devices"),
    SAME(cudaErrorOperatingSystem, CUDA_ERROR_OPERATING_SYSTEM, "OS call failed or operation not supported on this OS"),
    SAME(cudaErrorInvalidResourceHandle, CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    SAME(cudaErrorIllegalState, CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
    SAME(cudaErrorSymbolNotFound, CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    SAME(cudaErrorNotReady, CUDA_ERROR_NOT_READY, "device not ready"),
    SAME(cudaErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    SAME(cudaErrorLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
    SAME(cudaErrorLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
    SAME(cudaErrorPeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled"),
    SAME(cudaErrorHostMemoryAlreadyRegistered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
         "part or all of the requested memory range is already mapped"),
    SAME(cudaErrorHostMemoryNotRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
         "pointer does not correspond to a registered memory region"),
    SAME(cudaErrorMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    SAME(cudaErrorLaunchFailure, CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    SAME(cudaErrorNotPermitted, CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    SAME(cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    SAME(cudaErrorStreamCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
         "operation not permitted when stream is capturing"),
    SAME(cudaErrorStreamCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
         "operation failed due to a previous error during capture"),
    SAME(cudaErrorStreamCaptureMerge, CUDA_ERROR_STREAM_CAPTURE_MERGE,
         "operation would result in a merge of separate capture sequences"),
    SAME(cudaErrorStreamCaptureUnmatched, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
         "capture was not ended in the same stream as it began"),
    SAME(cudaErrorStreamCaptureUnjoined, CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work"),
    SAME(cudaErrorStreamCaptureIsolation, CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
         "dependency created on uncaptured work in another stream"),
    SAME(cudaErrorStreamCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
         "operation would make the legacy stream depend on a capturing blocking stream"),
    SAME(cudaErrorCapturedEvent, CUDA_ERROR_CAPTURED_EVENT,
         "operation not permitted on an event last recorded in a capturing stream"),
    SAME(cudaErrorStreamCaptureWrongThread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
         "attempt to terminate a thread-local capture sequence from another thread"),
};
#undef SAME

constexpr ErrorWords unknown{-1, "unrecognized error code", "unrecognized error code", "unrecognized error code"};

}  // namespace

const ErrorWords& words_of(int code) noexcept {
  for (const ErrorWords& row : table)
    if (row.code == code) return row;
  return unknown;
}

}  // namespace softgpu
