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

Result<RefPtr<RandomPosition>> RandomPosition::Named(const std::string& name, Device& device) {
  return device.containers().LookupOrCreate<RandomPosition>(
      "", name, []() -> Result<RandomPosition*> { return new RandomPosition; });
}

std::string RandomPosition::DebugString() const {
  return StrCat("RandomPosition ", blocks.load(std::memory_order_relaxed));
}

RandomState::RandomState(KernelSetup& setup) : start_(StartOf(setup)), position_(new RandomPosition) {
  if (!setup.attrs().Has("_position")) return;
  Result<RefPtr<RandomPosition>> shared = RandomPosition::Named(setup.attr<std::string>("_position"), setup.device());
  if (shared.ok()) {
    position_ = *std::move(shared);
  } else {
    setup.Fail(shared.status());
  }
}

Philox RandomState::Reserve(uint64_t blocks) {
  Philox generator = start_;
  generator.Skip(position_->blocks.fetch_add(blocks, std::memory_order_relaxed));
  return generator;
}

}  // namespace dfrun
