#include "tests/gpu/emulated_settings.h"

#include <cstdio>
#include <cstdlib>
#include <random>

namespace dfrun::cuda::emulated {
namespace {

struct State {
  int64_t seed = 1;
  std::mt19937 orders{1};
  std::mt19937 turns{1};
  int64_t missing_barrier = -1;
};
State& TheState() {
  static State& state = *new State();
  return state;
}

}  // namespace

int64_t Setting(const char* name, int64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::atoll(text);
}

bool IsEmulatedGpu(std::string_view name) {
  const char* const gpu = std::getenv("DFRUN_EMULATED_CARD");
  return gpu != nullptr && gpu == name;
}

int ComputeCapabilityNumber() {
  constexpr std::string_view kPrefix = "sm_";
  constexpr int kHopper = 90;
  const char* const gpu = std::getenv("DFRUN_EMULATED_CARD");
  if (gpu == nullptr || std::string_view(gpu).substr(0, kPrefix.size()) != kPrefix) return kHopper;
  return std::atoi(gpu + kPrefix.size());
}

void ReadSettings() {
  State& state = TheState();
  state.missing_barrier = Setting("DFRUN_EMULATED_MISSING_BARRIER", -1);
  const int64_t seed = Setting("DFRUN_EMULATED_SEED", 1);
  if (seed == state.seed) return;
  state.seed = seed;
  state.orders.seed(static_cast<unsigned>(seed));
  state.turns.seed(static_cast<unsigned>(seed));
}

unsigned Random() {
  return static_cast<unsigned>(TheState().orders());
}

unsigned RandomTurn() {
  return static_cast<unsigned>(TheState().turns());
}

int64_t MissingBarrier() {
  return TheState().missing_barrier;
}

void Die(std::string_view what) {
  std::fprintf(stderr, "emulated GPU: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace dfrun::cuda::emulated
