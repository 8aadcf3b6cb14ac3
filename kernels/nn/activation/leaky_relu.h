// LeakyRelu and its gradient: a slope of alpha where features are not above 0, an attr that the element-wise engines
// cannot pass. Written once for host and device.
#ifndef DFRUN_KERNELS_NN_ACTIVATION_LEAKY_RELU_H_
#define DFRUN_KERNELS_NN_ACTIVATION_LEAKY_RELU_H_

#include "kernels/math/functions/element.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// A value times the slope at a feature; LeakyRelu is this with values that are the features.
template <class T>
struct LeakySlope {
  using C = ComputeType<T>;
  C alpha;

  DF_HOST_DEVICE T operator()(T value, T feature) const {
    const C wide = static_cast<C>(value);
    return static_cast<T>(static_cast<C>(feature) > C(0) ? wide : alpha * wide);
  }
};

// The last input is `features`, the first the values. `Zip`, the device's, writes map(value, feature) for all:
//     template <class T, class Map>
//     static Status Run(OpContext& ctx, const Tensor& values, const Tensor& features, Tensor& y, const Map& map);
template <class Zip>
struct LeakyRelu {
  template <class T>
  class Kernel final : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : slope_{static_cast<ComputeType<T>>(setup.attr<float>("alpha"))} {}

    Status Compute(OpContext& ctx) {
      const Tensor& values = ctx.input(0);
      const Tensor& features = ctx.input(ctx.num_inputs() - 1);
      if (!(values.shape() == features.shape())) {
        return InvalidArgument(ctx.node().op->name, ": gradients of shape ", values.shape(), " for features of shape ",
                               features.shape());
      }
      Tensor* y = nullptr;
      DF_TRY(ctx.ForwardOrAllocate(0, 0, values.shape(), &y));
      return Zip::template Run<T>(ctx, values, features, *y, slope_);
    }

   private:
    const LeakySlope<T> slope_;
  };
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_ACTIVATION_LEAKY_RELU_H_
