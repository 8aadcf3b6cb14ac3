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

uint64_t RandomPosition::Take(int64_t step_id, uint64_t count) {
  if (step_id_.load(std::memory_order_acquire) != step_id) BeginStep(step_id);
  return blocks.fetch_add(count, std::memory_order_relaxed);
}

// Begins a step. Calls of one step may come at once: the first that has the lock sees the blocks before any call of the
// step has taken some.
void RandomPosition::BeginStep(int64_t step_id) {
  MutexLock lock(mu_);
  if (step_id_.load(std::memory_order_relaxed) == step_id) return;
  at_begin_ = blocks.load(std::memory_order_relaxed);
  step_id_.store(step_id, std::memory_order_release);
}

void RandomPosition::Rewind() {
  MutexLock lock(mu_);
  if (step_id_.load(std::memory_order_relaxed) >= 0) blocks.store(at_begin_, std::memory_order_relaxed);
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

Philox RandomState::Reserve(const StepContext& step, uint64_t blocks) {
  Philox generator = start_;
  generator.Skip(position_->Take(step.step_id, blocks));
  return generator;
}

}  // namespace dfrun
