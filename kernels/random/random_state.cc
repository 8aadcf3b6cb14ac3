#include "kernels/random/random_state.h"

#include <random>

namespace dfrun {
namespace {

uint64_t Unpredictable() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

Philox StartOf(KernelSetup& setup) {
  const auto seed = static_cast<uint64_t>(setup.attr<int64_t>("seed"));
  const auto seed2 = static_cast<uint64_t>(setup.attr<int64_t>("seed2"));
  return seed == 0 && seed2 == 0 ? Philox(Unpredictable(), Unpredictable()) : Philox(seed, seed2);
}

}  // namespace

RandomState::RandomState(KernelSetup& setup) : start_(StartOf(setup)) {}

Philox RandomState::Reserve(uint64_t blocks) {
  Philox generator = start_;
  generator.Skip(used_.fetch_add(blocks, std::memory_order_relaxed));
  return generator;
}

}  // namespace dfrun
