// Kernels that begin before those that they wait for are done, as programmatic edges of a graph let them: one runs
// until it first asks which thread of the grid it is, and goes on when the other has run. So what it read before is
// wrong.
//
// The environment variable DFRUN_EMULATED_CARD makes the card one of sm_80, without such kernels, or of a driver with
// no-early-edges.
#include "tests/gpu/emulated_early.h"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace dfrun::cuda::emulated {

std::function<void()>* earlier_work = nullptr;

namespace {
bool has_ended = false;  // the kernel that has begun early
}  // namespace

// A fault can be planted: DFRUN_EMULATED_NO_WAIT has kernels go on without waiting.
void DoEarlierWork() {
  if (std::getenv("DFRUN_EMULATED_NO_WAIT") != nullptr && !has_ended) return;
  std::function<void()>* const work = std::exchange(earlier_work, nullptr);
  const Place before = place;
  (*work)();
  place = before;
}

void BeginEarly(const Work& kernel, const Work& earlier) {
  Work work = earlier;
  earlier_work = &work;
  has_ended = false;
  kernel();
  has_ended = true;
  if (earlier_work != nullptr) DoEarlierWork();
}

namespace {

bool IsCard(std::string_view name) {
  const char* const card = std::getenv("DFRUN_EMULATED_CARD");
  return card != nullptr && card == name;
}

}  // namespace

bool TakesEarlyEdges() {
  return !IsCard("no-early-edges");
}

}  // namespace dfrun::cuda::emulated

// NOLINTBEGIN(readability-identifier-naming): names of the library
extern "C" {

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (attribute != cudaDevAttrComputeCapabilityMajor) return cudaErrorNotSupported;
  *value = dfrun::cuda::emulated::IsCard("sm_80") ? 8 : 9;
  return cudaSuccess;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
