// What tests ask of the emulated card by environment variables.
#ifndef DFRUN_TESTS_GPU_EMULATED_SETTINGS_H_
#define DFRUN_TESTS_GPU_EMULATED_SETTINGS_H_

#include <cstdint>
#include <string_view>

#include "kernels/device/cuda/block.h"

namespace dfrun::cuda::emulated {

// The number that an environment variable holds.
int64_t Setting(const char* name, int64_t fallback);

// Whether DFRUN_EMULATED_CARD has this value: what the GPU and its host are, or lack.
bool IsEmulatedCard(std::string_view name);
// 90; NN where DFRUN_EMULATED_CARD is sm_NN.
int ComputeCapabilityNumber();

// Looks at what work is done by: DFRUN_EMULATED_SEED, of which another value begins other sequences of random numbers,
// and DFRUN_EMULATED_MISSING_BARRIER.
void ReadSettings() REQUIRES(running);
// A random number for the turns of streams: of a sequence of its own, since how often streams have turns is a matter of
// time, and the order within a stream's work is not to be.
unsigned RandomTurn() REQUIRES(running);
// The barrier, from 0, that each thread of a card leaves out; -1: none.
int64_t MissingBarrier() REQUIRES(running);

// Says what the card found and ends the program.
[[noreturn]] void Die(std::string_view what);

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_SETTINGS_H_
