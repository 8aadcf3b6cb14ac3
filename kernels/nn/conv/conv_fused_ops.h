// FusedConvOps: the epilogue that attr fused_ops of a convolution names.
#ifndef DFRUN_KERNELS_NN_CONV_CONV_FUSED_OPS_H_
#define DFRUN_KERNELS_NN_CONV_CONV_FUSED_OPS_H_

#include <string>
#include <vector>

#include "kernels/nn/conv/conv_shape.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// BiasAdd with input 2, then Relu where it says so. Results have their channels last.
class FusedConvOps {
 public:
  explicit FusedConvOps(KernelSetup& setup) {
    const auto ops = setup.attr<std::vector<std::string>>("fused_ops");
    has_relu_ = ops.size() == 2 && ops[1] == "Relu";
    if (ops.empty() || ops[0] != "BiasAdd" || ops.size() > (has_relu_ ? 2U : 1U)) {
      setup.Fail(Unimplemented("attr 'fused_ops' must be [BiasAdd] or [BiasAdd, Relu]"));
    }
    if (setup.attr<std::string>("data_format") != "NHWC") {
      setup.Fail(Unimplemented("fused convolutions have their channels last"));
    }
  }
  bool has_relu() const { return has_relu_; }

  static Status CheckBias(const OpContext& ctx, const ConvShape& shape) {
    const int64_t channels = shape.out_channels;
    const bool fits = ctx.num_inputs() == 3 && ctx.input(2).shape().rank() == 1 && ctx.input(2).shape()[0] == channels;
    if (fits) return Status();
    return InvalidArgument("a fused convolution of ", channels, " channels takes one bias of that size");
  }

 private:
  bool has_relu_ = false;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_CONV_FUSED_OPS_H_
