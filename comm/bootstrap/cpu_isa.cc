#include "comm/bootstrap/cpu_isa.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace dfrun::comm {
namespace {

constexpr char kVariable[] = "ONEDNN_MAX_CPU_ISA";

// The values of the variable, in ascending order.
constexpr const char* kLevels[] = {
    "SSE41", "AVX", "AVX2", "AVX512_CORE", "AVX512_CORE_VNNI", "AVX512_CORE_BF16", "AVX512_CORE_AMX"};

int LevelOfCpu() {
#if defined(__x86_64__)
  const bool has[] = {__builtin_cpu_supports("avx") != 0,
                      __builtin_cpu_supports("avx2") != 0,
                      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0,
                      __builtin_cpu_supports("avx512vnni") != 0,
                      __builtin_cpu_supports("avx512bf16") != 0,
                      __builtin_cpu_supports("amx-bf16") != 0 && __builtin_cpu_supports("amx-int8") != 0};
  int level = 0;
  while (level < static_cast<int>(std::size(has)) && has[level]) ++level;
  return level;
#else
  return 0;
#endif
}

}  // namespace

int CpuIsaLevel() {
  const int of_cpu = LevelOfCpu();
  const char* const most = std::getenv(kVariable);
  if (most == nullptr) return of_cpu;
  const auto* const named = std::find(std::begin(kLevels), std::end(kLevels), std::string_view(most));
  return named == std::end(kLevels) ? of_cpu : std::min(of_cpu, static_cast<int>(named - std::begin(kLevels)));
}

void HoldOneDnnTo(int level) {
  setenv(kVariable, kLevels[level], 1);
}

}  // namespace dfrun::comm
