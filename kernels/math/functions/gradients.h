// Helpers of the gradients of element-wise ops.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_GRADIENTS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_GRADIENTS_H_

#include "src/framework/op/gradient.h"

namespace dfrun {

// The gradient of an element-wise function of one input, of which `derivative` adds the derivative at x: dy times that.
// A complex x is conjugated first.
GradientFn TimesDerivative(Output (*derivative)(GradientBuilder& g, Output x));

// Sets dx(0) and dx(1) of an op whose inputs 0 and 1 broadcast. `x_grad` and `y_grad` have the broadcast shape; each is
// summed over the dimensions along which its input was repeated. Adds no node where the shapes show that none was.
void SetBroadcastGradients(GradientBuilder& g, Output x_grad, Output y_grad);

// Sets the gradient of one of the two inputs in the same way; the other then has no gradient.
void SetBroadcastGradient(GradientBuilder& g, int input, Output grad);

// Sets dx(input) to `grad`, which has the shape to which the input and `other` broadcast, summed over the dimensions
// along which the input was repeated. `other` may be the op's output.
void SetSummedGradient(GradientBuilder& g, int input, Output grad, Output other);

// The value of a reduction (inputs: tensor and axes; attr keep_dims) with the reduced dimensions kept as size 1, so
// that it broadcasts against the input. `value` has the result's shape.
Output KeptDims(GradientBuilder& g, Output value);
// KeptDims(value), repeated to the shape of the input.
Output SpreadOverReduced(GradientBuilder& g, Output value);
// `value` over how many inputs went into each output, or over 1 where none did.
Output OverReducedCount(GradientBuilder& g, Output value);

// sums / counts, where `counts` are of CountingDType(the dtype of `sums`), in which they are divided: numbers of 16
// bits do not hold large counts. 0 where the count is 0.
Output OverCounts(GradientBuilder& g, Output sums, Output counts);
DType CountingDType(DType dtype);

// The convention for complex gradients: with a real loss L, the gradient that reaches z = x + i y is dL/dx + i dL/dy.
// Through a function with the derivative f' it is dy * conj(f'), as TensorFlow's is for Mul.

// The complex conjugate; the value itself where its dtype is real.
Output Conj(GradientBuilder& g, Output value);

// The real part as a number of the value's dtype: the gradient that reaches a complex result without an imaginary part.
Output RealOf(GradientBuilder& g, Output value);

// True where the value is neither infinite nor NaN, in none of its parts.
Output IsFinite(GradientBuilder& g, Output value);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_GRADIENTS_H_
