// FusedOps: the epilogue that attr fused_ops of a matrix product names.
#ifndef DFRUN_KERNELS_MATRIX_FUSED_OPS_H_
#define DFRUN_KERNELS_MATRIX_FUSED_OPS_H_

#include <string>
#include <vector>

#include "kernels/gemm/epilogue.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

enum class FusedActivation { kNone, kRelu, kGelu, kApproximateGelu };

// None, as of ops without the attr; BiasAdd with input 2, then an activation where it says so; or ReluGrad, whose
// features input 2 is.
template <class T>
class FusedOps {
 public:
  explicit FusedOps(KernelSetup& setup) {
    if (!setup.attrs().Has("fused_ops")) return;
    const auto ops = setup.attr<std::vector<std::string>>("fused_ops");
    const std::string first = ops.empty() ? "" : ops[0];
    is_none_ = ops.empty();
    is_gradient_ = first == "ReluGrad";
    if (ops.size() == 2 && first == "BiasAdd") activation_ = ActivationOf(ops[1]);
    const bool has_activation = activation_ != FusedActivation::kNone;
    if (!is_none_ && !has_activation && (ops.size() != 1 || !(is_gradient_ || first == "BiasAdd"))) {
      setup.Fail(
          Unimplemented("attr 'fused_ops' must be [], [BiasAdd], [BiasAdd, Relu], [BiasAdd, GeluExact], [BiasAdd, "
                        "GeluApproximate] or [ReluGrad]"));
    }
  }
  bool is_none() const { return is_none_; }
  bool is_gradient() const { return is_gradient_; }
  FusedActivation activation() const { return activation_; }
  // Fails the setup if the op asks for Gelu. Kernels call it that apply only a bias, Relu and its gradient.
  void RefuseGelu(KernelSetup& setup) const {
    if (activation_ == FusedActivation::kGelu || activation_ == FusedActivation::kApproximateGelu) {
      setup.Fail(Unimplemented("this device's product is not followed by Gelu"));
    }
  }

  // Reads the epilogue of a product of so many rows and columns. InvalidArgument unless input 2 fits it.
  Status Read(const OpContext& ctx, int64_t rows, int64_t columns, Epilogue<T>* epilogue) const {
    if (is_none_ && ctx.num_inputs() == 2) return Status();
    const Shape wanted = is_gradient_ ? Shape({rows, columns}) : Shape({columns});
    if (is_none_ || ctx.num_inputs() != 3 || !(ctx.input(2).shape() == wanted)) {
      return InvalidArgument("a fused product of ", rows, " rows and ", columns, " columns takes ",
                             is_none_ ? "nothing" : "one tensor of shape " + wanted.ToString(), " beside its operands");
    }
    const T* const arg = ctx.input(2).data<T>();
    if (is_gradient_) {
      epilogue->features = {arg, columns, false};
    } else {
      epilogue->bias = arg;
      epilogue->relu = activation_ == FusedActivation::kRelu;
    }
    return Status();
  }

 private:
  static FusedActivation ActivationOf(const std::string& op) {
    return op == "Relu"              ? FusedActivation::kRelu
           : op == "GeluExact"       ? FusedActivation::kGelu
           : op == "GeluApproximate" ? FusedActivation::kApproximateGelu
                                     : FusedActivation::kNone;
  }

  bool is_none_ = true;
  bool is_gradient_ = false;
  FusedActivation activation_ = FusedActivation::kNone;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_FUSED_OPS_H_
