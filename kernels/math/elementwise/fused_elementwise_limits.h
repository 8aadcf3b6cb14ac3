// Limits of one _FusedElementwise.
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_FUSED_ELEMENTWISE_LIMITS_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_FUSED_ELEMENTWISE_LIMITS_H_

#include <cstddef>

namespace dfrun {

// Its steps, the operands of all of them, and the values with the inputs.
inline constexpr size_t kMaxSteps = 64;
inline constexpr size_t kMaxOperands = 192;
inline constexpr int kMaxValues = 320;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_FUSED_ELEMENTWISE_LIMITS_H_
