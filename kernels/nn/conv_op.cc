// Two-dimensional convolution and the ops that are its gradients: each is linear in two inputs, and the gradients of
// any of the three are the other two.
#include "kernels/nn/window.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

constexpr const char* kConvAttrs[] = {"strides",           "use_cudnn_on_gpu", "padding",
                                      "explicit_paddings", "data_format",      "dilations"};

AttrMap ConvAttrs(GradientBuilder& g) {
  AttrMap attrs;
  for (const char* name : kConvAttrs) attrs.Set(name, *g.attrs().Find(name));
  return attrs;
}

Output Convolve(GradientBuilder& g, Output input, Output filter) {
  return g.Op("Conv2D", ConvAttrs(g), input, filter);
}
Output BackpropInput(GradientBuilder& g, Output sizes, Output filter, Output dy) {
  return g.Op("Conv2DBackpropInput", ConvAttrs(g), sizes, filter, dy);
}
Output BackpropFilter(GradientBuilder& g, Output input, Output sizes, Output dy) {
  return g.Op("Conv2DBackpropFilter", ConvAttrs(g), input, sizes, dy);
}

Status ConvOpShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape input, c.WithRank(0, 4));
  DF_ASSIGN(const PartialShape filter, c.WithRank(1, 4));
  DF_ASSIGN(const WindowAttrs window, WindowAttrs::Read(c.attrs()));
  const ImageFormat& format = window.format();
  const int64_t channels = input.dim(format.channels());
  if (channels >= 0 && filter.dim(2) > 0 && channels % filter.dim(2) != 0) {
    return InvalidArgument("an input ", input, " of ", channels, " channels does not fit a filter ", filter, " for ",
                           filter.dim(2));
  }
  DF_ASSIGN(const WindowDim height, window.Dim(format.height(), input.dim(format.height()), filter.dim(0)));
  DF_ASSIGN(const WindowDim width, window.Dim(format.width(), input.dim(format.width()), filter.dim(1)));
  PartialShape output = PartialShape::UnknownOfRank(4);
  output.set_dim(0, input.dim(0));
  output.set_dim(format.channels(), filter.dim(3));
  output.set_dim(format.height(), height.output);
  output.set_dim(format.width(), width.output);
  c.set_output(0, std::move(output));
  return Status();
}

// The shape that an integer vector input gives, of rank 4.
Status ShapeOfSizes(InferenceContext& c, int sizes) {
  DF_TRY(c.WithRank(sizes, 1).status());
  const PartialShape shape = c.input_as_shape(sizes);
  if (shape.known_rank() && shape.rank() != 4) {
    return InvalidArgument("input ", sizes, " must hold the 4 sizes of a shape, but is ", shape);
  }
  c.set_output(0, shape.known_rank() ? shape : PartialShape::UnknownOfRank(4));
  return Status();
}

Status BackpropInputShape(InferenceContext& c) {
  DF_TRY(c.WithRank(1, 4).status());
  DF_TRY(c.WithRank(2, 4).status());
  return ShapeOfSizes(c, 0);
}

Status BackpropFilterShape(InferenceContext& c) {
  DF_TRY(c.WithRank(0, 4).status());
  DF_TRY(c.WithRank(2, 4).status());
  return ShapeOfSizes(c, 1);
}

OpBuilder ConvOp(const char* name, std::initializer_list<const char*> inputs, const char* types) {
  OpBuilder op(name);
  for (const char* input : inputs) op.Input(input);
  op.Output("output: T").Attr(types);
  op.Attr("strides: list(int)");
  op.Attr("use_cudnn_on_gpu: bool = true");
  op.Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}");
  op.Attr("explicit_paddings: list(int) = []");
  op.Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'");
  op.Attr("dilations: list(int) = [1, 1, 1, 1]");
  return op;
}

const internal::OpRegistration kConvOps[] = {
    ConvOp("Conv2D", {"input: T", "filter: T"}, "T: {half, bfloat16, float, double, int32}")
        .Alias("Convolution2D")
        .Shape(&ConvOpShape)
        .Gradient([](GradientBuilder& g) {
          g.dx(0) = BackpropInput(g, g.Op("Shape", g.x(0)), g.x(1), g.dy(0));
          g.dx(1) = BackpropFilter(g, g.x(0), g.Op("Shape", g.x(1)), g.dy(0));
        })
        .Doc("Images convolved with a filter [height, width, in_channels, out_channels]."),
    ConvOp("Conv2DBackpropInput", {"input_sizes: int32", "filter: T", "out_backprop: T"},
           "T: {half, bfloat16, float, double, int32}")
        .Shape(&BackpropInputShape)
        .Gradient([](GradientBuilder& g) {
          g.dx(1) = BackpropFilter(g, g.dy(0), g.Op("Shape", g.x(1)), g.x(2));
          g.dx(2) = Convolve(g, g.dy(0), g.x(1));
        })
        .Doc("The gradient of Conv2D by its input, whose shape input_sizes gives."),
    ConvOp("Conv2DBackpropFilter", {"input: T", "filter_sizes: int32", "out_backprop: T"},
           "T: {half, bfloat16, float, double}")
        .Shape(&BackpropFilterShape)
        .Gradient([](GradientBuilder& g) {
          g.dx(0) = BackpropInput(g, g.Op("Shape", g.x(0)), g.dy(0), g.x(2));
          g.dx(2) = Convolve(g, g.x(0), g.dy(0));
        })
        .Doc("The gradient of Conv2D by its filter, whose shape filter_sizes gives."),
};

}  // namespace
}  // namespace dfrun
