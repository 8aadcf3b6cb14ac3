// Parts of the signatures of random ops.
#ifndef DFRUN_KERNELS_RANDOM_RANDOM_OP_H_
#define DFRUN_KERNELS_RANDOM_RANDOM_OP_H_

#include "src/framework/op/op.h"

namespace dfrun::random_op {

// Operations for a random number: Philox makes four by ten rounds of eight. One of the normal distribution takes three
// elementary functions and some products beside; one by rejection, a few of those and of logarithms.
inline constexpr double kRandomFlops = 20;
inline constexpr double kNormalFlops = 30;
inline constexpr double kRejectionFlops = 100;

// The shape that input 0 spells; InvalidArgument where it is known to be none.
Result<PartialShape> SpelledShape(InferenceContext& c);
Status ShapeFromInput(InferenceContext& c);
// The shape from input 0, behind which there are a seed, or a key, a counter and an algorithm.
Status SeededShape(InferenceContext& c);
Status KeyedShape(InferenceContext& c);
// InvalidArgument unless input i may be a vector of `size` numbers.
Status CheckVector(const InferenceContext& c, int i, int64_t size);
// Inputs from i on may be a key, a counter and an algorithm.
Status CheckKey(const InferenceContext& c, int i);

// Counts on in one sequence of numbers, which its seeds fix.
void StatefulSource(OpBuilder& op);
// The part of a signature that names a position in the sequence of numbers.
void SeedInput(OpBuilder& op);
void KeyInputs(OpBuilder& op);

}  // namespace dfrun::random_op

#endif  // DFRUN_KERNELS_RANDOM_RANDOM_OP_H_
