// What a product is followed by within its node.
#ifndef DFRUN_KERNELS_MATRIX_FUSED_OPS_H_
#define DFRUN_KERNELS_MATRIX_FUSED_OPS_H_

#include <string>
#include <vector>

#include "kernels/matrix/gemm_output.h"
#include "src/framework/kernel.h"

namespace dfrun {

// Attr fused_ops of _FusedMatMul and _MatMulPacked: none; BiasAdd with input 2, then Relu where it says so; or
// ReluGrad, whose features input 2 is.
template <class T>
class FusedOps {
 public:
  static constexpr bool kFinishes = true;
  explicit FusedOps(KernelSetup& setup) {
    const auto ops = setup.attr<std::vector<std::string>>("fused_ops");
    const std::string first = ops.empty() ? "" : ops[0];
    is_none_ = ops.empty();
    is_gradient_ = first == "ReluGrad";
    has_relu_ = ops.size() == 2 && first == "BiasAdd" && ops[1] == "Relu";
    if (!is_none_ && !has_relu_ && (ops.size() != 1 || !(is_gradient_ || first == "BiasAdd"))) {
      setup.Fail(Unimplemented("attr 'fused_ops' must be [], [BiasAdd], [BiasAdd, Relu] or [ReluGrad]"));
    }
  }
  // InvalidArgument where there is not the input 2 that fits a product of this shape.
  Result<GemmOutput<T>> OutputOf(const OpContext& ctx, int64_t rows, int64_t columns) const {
    if (is_none_ && ctx.num_inputs() == 2) return GemmOutput<T>{};
    const Shape wanted = is_gradient_ ? Shape({rows, columns}) : Shape({columns});
    if (is_none_ || ctx.num_inputs() != 3 || !(ctx.input(2).shape() == wanted)) {
      return InvalidArgument("a fused product of ", rows, " rows and ", columns, " columns takes ",
                             is_none_ ? "nothing" : "one tensor of shape " + wanted.ToString(), " beside its operands");
    }
    const T* const arg = ctx.input(2).data<T>();
    if (is_gradient_) return GemmOutput<T>{.features = {arg, columns, false}};
    return GemmOutput<T>{.bias = arg, .relu = has_relu_};
  }

 private:
  bool is_none_ = false;
  bool is_gradient_ = false;
  bool has_relu_ = false;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_FUSED_OPS_H_
