// Rewrites the random values of the spec language as ops.
#ifndef DFRUN_SRC_SPEC_INITIALIZER_H_
#define DFRUN_SRC_SPEC_INITIALIZER_H_

#include <optional>

#include "src/framework/values/shape.h"
#include "src/spec/expr/expr.h"

namespace dfrun {

// The dtype and shape that an expression should have, as a variable's first value or a feed.
struct WantedValue {
  DType dtype;
  std::optional<Shape> shape;  // nothing: any
};

// Rewrites a call of
//   RandomUniform(shape, dtype, minval=0, maxval=1)          values in [minval, maxval)
//   RandomStandardNormal, alias RandomNormal, and TruncatedNormal(shape, dtype, mean=0, stddev=1)
//   VarianceScaling(scale=1, mode=fan_in, distribution=uniform)
// to ops with TensorFlow's signatures. `shape` and `dtype` that are not given are those of `wanted`, where it is not
// null; else dtype is float32. VarianceScaling (TensorFlow's initializer of that name) draws with variance scale / fan;
// modes fan_in, fan_out, fan_avg; distributions uniform, normal, truncated_normal. Its fans are those of a shape
// [..., in, out], the sizes before counting as a window.
// Nothing after an error, which is then in `diagnostics`.
std::optional<Expr> ExpandRandom(const Expr& call, const WantedValue* wanted, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_INITIALIZER_H_
