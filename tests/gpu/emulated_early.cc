// Kernels that begin before the kernels that they wait for are done, as programmatic edges of a graph allow. A kernel
// runs until it first asks which thread of the grid it is, and goes on when the earlier one has run. Whatever it read
// before that is wrong.
//
// The environment variable DFRUN_EMULATED_CARD makes the GPU one of sm_80, without such kernels
// (ComputeCapabilityNumber()), or one with a driver with no-early-edges.
#include "tests/gpu/emulated_early.h"

#include <cstdlib>
#include <utility>

#include "tests/gpu/emulated_settings.h"

namespace dfrun::cuda::emulated {

std::function<void()>* earlier_work = nullptr;

namespace {
bool has_ended = false;  // the kernel that has begun early
}  // namespace

// A fault can be planted: DFRUN_EMULATED_NO_WAIT has kernels go on without waiting.
void RunGridDependency() {
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
  if (earlier_work != nullptr) RunGridDependency();
}

bool TakesEarlyEdges() {
  return !IsEmulatedGpu("no-early-edges");
}

}  // namespace dfrun::cuda::emulated
