#include "comm/bootstrap/cpu_isa.h"

#include <cstdlib>
#include <iterator>

namespace dfrun::comm {
namespace {

// The values of ONEDNN_MAX_CPU_ISA, in ascending order.
constexpr const char* kLevels[] = {"SSE41", "AVX", "AVX2", "AVX512_CORE", "AVX512_CORE_VNNI", "AVX512_CORE_BF16"};

}  // namespace

int CpuIsaLevel() {
#if defined(__x86_64__)
  const bool has[] = {__builtin_cpu_supports("avx") != 0, __builtin_cpu_supports("avx2") != 0,
                      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0,
                      __builtin_cpu_supports("avx512vnni") != 0, __builtin_cpu_supports("avx512bf16") != 0};
  int level = 0;
  while (level < static_cast<int>(std::size(has)) && has[level]) ++level;
  return level;
#else
  return 0;
#endif
}

void HoldOneDnnTo(int level) {
  setenv("ONEDNN_MAX_CPU_ISA", kLevels[level], 0);
}

}  // namespace dfrun::comm
