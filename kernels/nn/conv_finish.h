// What a convolution does to its result before it leaves the cache.
#ifndef DFRUN_KERNELS_NN_CONV_FINISH_H_
#define DFRUN_KERNELS_NN_CONV_FINISH_H_

#include <string>
#include <vector>

#include "kernels/math/activations.h"
#include "kernels/math/functors.h"
#include "src/framework/kernel.h"

namespace dfrun {

template <class T>
struct NoFinish {
  static constexpr bool kChanges = false;
  explicit NoFinish(KernelSetup&) {}
  static Status Check(const OpContext&, int64_t) { return Status(); }
  static void Apply(const OpContext&, T*, int64_t) {}
};

// Attr fused_ops of _FusedConv2D: BiasAdd with input 2, then Relu where it says so. The bits are those of the ops.
// Results have their channels last.
template <class T>
class BiasAndActivation {
 public:
  static constexpr bool kChanges = true;

  explicit BiasAndActivation(KernelSetup& setup) {
    const auto ops = setup.attr<std::vector<std::string>>("fused_ops");
    has_relu_ = ops.size() == 2 && ops[1] == "Relu";
    if (ops.empty() || ops[0] != "BiasAdd" || ops.size() > (has_relu_ ? 2U : 1U)) {
      setup.Fail(Unimplemented("attr 'fused_ops' must be [BiasAdd] or [BiasAdd, Relu]"));
    }
    if (setup.attr<std::string>("data_format") != "NHWC") {
      setup.Fail(Unimplemented("fused convolutions have their channels last"));
    }
  }

  static Status Check(const OpContext& ctx, int64_t channels) {
    const bool fits = ctx.num_inputs() == 3 && ctx.input(2).shape().rank() == 1 && ctx.input(2).shape()[0] == channels;
    if (fits) return Status();
    return InvalidArgument("a fused convolution of ", channels, " channels takes one bias of that size");
  }

  // Of whole pixels.
  void Apply(const OpContext& ctx, T* values, int64_t count) const {
    const T* bias = ctx.input(2).data<T>();
    const int64_t channels = ctx.input(2).num_elements();
    for (T* pixel = values; pixel < values + count; pixel += channels) {
      if (has_relu_) {
        Finish(pixel, bias, channels, [](T x) { return Activate(x); });
      } else {
        Finish(pixel, bias, channels, [](T x) { return x; });
      }
    }
  }

 private:
  using C = ComputeType<T>;
  static T Activate(T x) { return static_cast<T>(fn::Relu()(static_cast<C>(x))); }

  template <class Activation>
  static void Finish(T* pixel, const T* bias, int64_t channels, Activation activation) {
    DF_INDEPENDENT_ITERATIONS
    for (int64_t c = 0; c < channels; ++c) {
      pixel[c] = activation(static_cast<T>(fn::Add()(static_cast<C>(pixel[c]), static_cast<C>(bias[c]))));
    }
  }

  bool has_relu_ = false;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_FINISH_H_
