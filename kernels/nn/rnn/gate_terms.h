// Terms of the gradients of recurrent cells.
#ifndef DFRUN_KERNELS_NN_RNN_GATE_TERMS_H_
#define DFRUN_KERNELS_NN_RNN_GATE_TERMS_H_

#include "src/framework/op/gradient.h"

namespace dfrun {

class GateTerms {
 public:
  explicit GateTerms(GradientBuilder& g) : g_(g) {}

  Output Add(Output a, Output b) { return g_.Op("AddV2", a, b); }
  Output Mul(Output a, Output b) { return g_.Op("Mul", a, b); }
  // The gradient by the argument of a sigmoid, or of a hyperbolic tangent, with the result y.
  Output OfSigmoid(Output y, Output dy) { return g_.Op("SigmoidGrad", y, dy); }
  Output OfTanh(Output y, Output dy) { return g_.Op("TanhGrad", y, dy); }

  Output Axis(int32_t axis) { return g_.Const(Tensor::Scalar(axis)); }
  // [rows, inputs] and [rows, cells] side by side, and of such rows the one part or the other, shaped as x or as h.
  Output Beside(Output x, Output h) { return g_.Op("ConcatV2", x, h, Axis(1)); }
  Output PartOfX(Output rows, Output x) {
    return g_.Op("Slice", rows, g_.Const({int32_t{0}, int32_t{0}}), g_.Op("Shape", x));
  }
  Output PartOfH(Output rows, Output x, Output h) {
    const Output behind_x = Mul(g_.Op("Shape", x), g_.Const({int32_t{0}, int32_t{1}}));
    return g_.Op("Slice", rows, behind_x, g_.Op("Shape", h));
  }
  // The gradient by the rows, or by the weights, of the product rows * weights.
  Output OfRows(Output grad, Output weights) { return g_.Op("MatMul", {{"transpose_b", true}}, grad, weights); }
  Output OfWeights(Output rows, Output grad) { return g_.Op("MatMul", {{"transpose_a", true}}, rows, grad); }

 protected:
  GradientBuilder& g_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_RNN_GATE_TERMS_H_
