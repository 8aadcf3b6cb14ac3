// ProductEpilogue: the epilogue of a product of matrices on a GPU.
#ifndef DFRUN_KERNELS_MATRIX_PRODUCT_EPILOGUE_CUDA_H_
#define DFRUN_KERNELS_MATRIX_PRODUCT_EPILOGUE_CUDA_H_

#include "kernels/math/elementwise/bias_relu_cuda.h"
#include "kernels/math/functions/gelu.h"
#include "kernels/matrix/fused_ops.h"

namespace dfrun::cuda {

// A bias that is added to each row, then an activation: of floating point. The bits are those of the ops.
template <class T>
struct ProductEpilogue {
  const T* bias = nullptr;  // null: there is none
  FusedActivation activation = FusedActivation::kNone;
  T* features = nullptr;  // with Gelu: receives Gelu's argument; null: it is not kept

  bool has_gelu() const {
    return activation == FusedActivation::kGelu || activation == FusedActivation::kApproximateGelu;
  }
  // The operations that are done in registers.
  BiasAndRelu<T> before_gelu() const { return {bias, activation == FusedActivation::kRelu}; }
};

// The last step of a product that Gelu follows, in one pass: adds the bias that the product lacks, if any, to its
// `features`, keeps the sums there where they are wanted, and writes Gelu of them, maybe to the same memory.
template <class T>
struct GeluPass {
  T* features;
  const T* bias;  // null: it is in them
  bool keeps;
  T* activations;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATRIX_PRODUCT_EPILOGUE_CUDA_H_
