// Preloaded into user-mode Linux by ci/vm. Its kernel 6.1 keeps 2,696 bytes of a process's vector registers, and Linux
// refuses to set fewer than the processor has: 11,008 bytes where there is AMX. Here the missing ones are set to their initial
// state, which is what they hold: a process must ask for AMX before it may use it, and no process of such a kernel can.
#include <dlfcn.h>
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

using Ptrace = long (*)(int, pid_t, void*, void*);

// A kernel thread of user-mode Linux has a stack of a few pages, so that nothing large is put on it.
alignas(64) unsigned char whole[1 << 16];
std::size_t whole_bytes = 0;
Ptrace real_ptrace = nullptr;

constexpr std::size_t header_at = 512;             // XSTATE_BV: a bit a component of the XSAVE area
constexpr std::uint64_t first_components = 0x2FF;  // x87 to PKRU, without the supervisor's component 8: they end at byte 2,696

__attribute__((constructor)) void find_ptrace() {
  real_ptrace = reinterpret_cast<Ptrace>(dlsym(RTLD_NEXT, "ptrace"));
  if (real_ptrace == nullptr) std::abort();
}

long set_xstate(pid_t pid, const iovec& given) {
  if (whole_bytes == 0) {
    iovec all{whole, sizeof(whole)};
    if (long code = real_ptrace(PTRACE_GETREGSET, pid, reinterpret_cast<void*>(NT_X86_XSTATE), &all); code != 0) return code;
    whole_bytes = all.iov_len;
  }
  std::memset(whole, 0, whole_bytes);
  std::memcpy(whole, given.iov_base, given.iov_len < whole_bytes ? given.iov_len : whole_bytes);
  if (given.iov_len < whole_bytes) {
    std::uint64_t components = 0;
    std::memcpy(&components, whole + header_at, sizeof(components));
    components &= first_components;
    std::memcpy(whole + header_at, &components, sizeof(components));
  }
  iovec all{whole, whole_bytes};
  return real_ptrace(PTRACE_SETREGSET, pid, reinterpret_cast<void*>(NT_X86_XSTATE), &all);
}

}  // namespace

extern "C" long ptrace(enum __ptrace_request request, ...) noexcept {
  va_list words;
  va_start(words, request);
  const pid_t pid = va_arg(words, pid_t);
  void* const address = va_arg(words, void*);
  void* const data = va_arg(words, void*);
  va_end(words);
  if (request == PTRACE_SETREGSET && reinterpret_cast<std::uintptr_t>(address) == NT_X86_XSTATE)
    return set_xstate(pid, *static_cast<const iovec*>(data));
  return real_ptrace(request, pid, address, data);
}
