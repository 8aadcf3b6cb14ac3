// A registry of few ops without kernels: the ops that gradients are built of, and ops with gradients of every kind.
#ifndef DFRUN_TESTS_UNIT_AUTODIFF_TOY_OPS_H_
#define DFRUN_TESTS_UNIT_AUTODIFF_TOY_OPS_H_

#include "src/framework/op/op.h"

namespace dfrun::testing {

// Returns the ops Const, X (a float source), Int (an int32 source), Var (a float ref), Pass, Scale, Plus, Rows (a
// gather), Pair (two outputs), Stop (not differentiable), Opaque (no gradient), Exit, and those that sums are made of.
const OpRegistry& ToyOps();

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_AUTODIFF_TOY_OPS_H_
