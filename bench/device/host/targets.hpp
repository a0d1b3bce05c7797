// The instruction sets that kernels are compiled for: the baseline of the compiler, AVX2 and AVX-512 on x86, NEON on Arm. The
// rest would take time to compile and is either too old for a machine with a fast network or no faster here. Vectors without a
// constant size (SVE, RVV) cannot be members, which our lanes need. Include before any header of Highway.
#pragma once

#ifdef RAILGAUGE_AVX2_ALONE  // which is then the baseline
#define RAILGAUGE_LEFT_OUT HWY_AVX3
#else
#define RAILGAUGE_LEFT_OUT 0
#endif

// Highway 1.0 lacks some of these names: in #if they are 0 then, elsewhere they become 0 below.
#define HWY_DISABLED_TARGETS                                                                                                \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_AVX3_ZEN4 | HWY_AVX3_SPR | HWY_AVX10_2 | HWY_AVX10_2_512 | HWY_SVE | HWY_SVE2 | \
   HWY_SVE_256 | HWY_SVE2_128 | HWY_NEON_BF16 | HWY_NEON_WITHOUT_AES | HWY_RVV | RAILGAUGE_LEFT_OUT)

#include <hwy/detect_targets.h>

#ifndef HWY_AVX3_ZEN4
#define HWY_AVX3_ZEN4 0
#endif
#ifndef HWY_AVX3_SPR
#define HWY_AVX3_SPR 0
#endif
#ifndef HWY_AVX10_2
#define HWY_AVX10_2 0
#endif
#ifndef HWY_AVX10_2_512
#define HWY_AVX10_2_512 0
#endif
#ifndef HWY_NEON_BF16
#define HWY_NEON_BF16 0
#endif
#ifndef HWY_NEON_WITHOUT_AES
#define HWY_NEON_WITHOUT_AES 0
#endif
