// The settings of the emulated GPU, which tests make by environment variables.
#ifndef DFRUN_TESTS_GPU_EMULATED_SETTINGS_H_
#define DFRUN_TESTS_GPU_EMULATED_SETTINGS_H_

#include <cstdint>
#include <string_view>

#include "kernels/device/cuda/runtime/block.h"

namespace dfrun::cuda::emulated {

// Returns the number in an environment variable.
int64_t Setting(const char* name, int64_t fallback);

// Returns whether DFRUN_EMULATED_CARD, which chooses what the GPU and its host are or lack, has this value.
bool IsEmulatedGpu(std::string_view name);
// Returns 90, or NN if DFRUN_EMULATED_CARD is sm_NN.
int ComputeCapabilityNumber();

// Reads the settings that the execution of work uses: DFRUN_EMULATED_SEED, whose new value starts other sequences of
// random numbers, and DFRUN_EMULATED_MISSING_BARRIER.
void ReadSettings() REQUIRES(running);
// Returns a random number for the turns of streams. They have a sequence of their own: how often streams have turns
// depends on time, while the order within a stream's work must not.
unsigned RandomTurn() REQUIRES(running);
// Returns the barrier, from 0, that each thread of the GPU leaves out; -1: none.
int64_t MissingBarrier() REQUIRES(running);

// Prints what the emulated GPU found and ends the program.
[[noreturn]] void Die(std::string_view what);

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_SETTINGS_H_
