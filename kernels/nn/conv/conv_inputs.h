// The inputs and sizes that convolution kernels of any device read from their node.
#ifndef DFRUN_KERNELS_NN_CONV_CONV_INPUTS_H_
#define DFRUN_KERNELS_NN_CONV_CONV_INPUTS_H_

#include <string_view>
#include <vector>

#include "kernels/nn/conv/conv_kind.h"
#include "kernels/nn/conv/conv_shape.h"
#include "kernels/nn/pool/window_setup.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The inputs of an op: its operands in Conv's order, and the input that holds the result's shape.
struct ConvInputs {
  int a;
  int b;
  int sizes;  // -1: the result's shape follows from the operands
};
constexpr ConvInputs InputsOf(ConvKind kind) {
  switch (kind) {
    case ConvKind::kForward:
      return {0, 1, -1};
    case ConvKind::kBackpropInput:
      return {2, 1, 0};
    default:
      return {0, 2, 1};
  }
}

// The shape that an int32 or int64 vector holds.
inline Result<Shape> ReadSizes(const Tensor& sizes, int rank) {
  std::vector<int64_t> dims;
  VisitDType<int32_t, int64_t>(sizes.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    dims.assign(sizes.data<T>(), sizes.data<T>() + sizes.num_elements());
  });
  if (sizes.shape().rank() != 1 || dims.size() != static_cast<size_t>(rank)) {
    return InvalidArgument("the sizes of a convolution must be a vector of ", rank, ", but have shape ", sizes.shape());
  }
  return Shape::Create(dims);
}

// Makes the sizes of a convolution from the shapes of its input and its filter.
using MakeConvShape = Result<ConvShape> (*)(const WindowAttrs&, const Shape& input, const Shape& filter);

class ConvSizesKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"input_sizes", "filter_sizes"};
};

template <ConvKind kKind>
class ConvInputsKernel : public ConvSizesKernel {
 protected:
  ConvInputsKernel(KernelSetup& setup, MakeConvShape make_shape)
      : window_(TakeWindows(setup, WindowAttrs::Read(setup.attrs()))), make_shape_(make_shape) {}

  const WindowAttrs& window() const { return window_; }

  // The convolution whose product this is; InvalidArgument where out_backprop is not of its output's shape.
  Result<ConvShape> ReadShape(const OpContext& ctx) const {
    if constexpr (kKind == ConvKind::kForward) {
      return make_shape_(window_, ctx.input(0).shape(), ctx.input(1).shape());
    } else {
      DF_ASSIGN(const Shape sizes, Sizes(ctx));
      constexpr bool kIsInput = kKind == ConvKind::kBackpropInput;
      const Shape& other = ctx.input(kIsInput ? 1 : 0).shape();
      DF_ASSIGN(const ConvShape shape, make_shape_(window_, kIsInput ? sizes : other, kIsInput ? other : sizes));
      if (!(shape.output() == ctx.input(2).shape())) {
        return InvalidArgument(ctx.node().op->name, ": out_backprop has shape ", ctx.input(2).shape(),
                               ", but the convolution of ", shape.input(), " with ", kIsInput ? other : sizes, " has ",
                               shape.output());
      }
      return shape;
    }
  }

  // The shape that the sizes input gives. For the input of a flat convolution it may be height and width alone.
  Result<Shape> Sizes(const OpContext& ctx) const {
    const Tensor& sizes = ctx.input(InputsOf(kKind).sizes);
    const ImageFormat& format = window_.format();
    const Shape& dy = ctx.input(2).shape();
    const Shape& filter = ctx.input(1).shape();
    if (kKind == ConvKind::kBackpropInput && format.spatial == 2 && sizes.num_elements() == 2 && dy.rank() == 4 &&
        filter.rank() == 4) {
      DF_ASSIGN(const Shape plane, ReadSizes(sizes, 2));
      return format.MakeShape(dy[0], filter[2], 1, plane[0], plane[1]);
    }
    return ReadSizes(sizes, format.rank());
  }

  Result<Shape> ResultShape(const ConvShape& shape, const OpContext& ctx) const {
    if constexpr (kKind == ConvKind::kForward) return shape.output();
    if constexpr (kKind == ConvKind::kBackpropInput) return shape.input();
    return Sizes(ctx);
  }

 private:
  const WindowAttrs window_;
  const MakeConvShape make_shape_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_CONV_INPUTS_H_
