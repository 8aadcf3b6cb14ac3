// Two-dimensional pooling.
#include "kernels/nn/window.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

constexpr const char* kMaxPoolAttrs[] = {"ksize", "strides", "padding", "explicit_paddings", "data_format"};
constexpr const char* kAvgPoolAttrs[] = {"ksize", "strides", "padding", "data_format"};

template <size_t N>
AttrMap PoolAttrs(GradientBuilder& g, const char* const (&names)[N]) {
  AttrMap attrs;
  for (const char* name : names) attrs.Set(name, *g.attrs().Find(name));
  return attrs;
}

Status PoolOpShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape shape, c.WithRank(0, 4));
  DF_ASSIGN(const WindowAttrs window, WindowAttrs::Read(c.attrs()));
  for (int dim : {window.format().height(), window.format().width()}) {
    DF_ASSIGN(const WindowDim d, window.Dim(dim, shape.dim(dim), window.ksize(dim)));
    shape.set_dim(dim, d.output);
  }
  c.set_output(0, std::move(shape));
  return Status();
}

// orig_input, orig_output, grad: the result is like orig_input.
Status MaxPoolGradShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape input, c.WithRank(0, 4));
  DF_ASSIGN(const PartialShape output, c.WithRank(1, 4));
  DF_TRY(output.Merge(c.input(2)).status());
  c.set_output(0, std::move(input));
  return Status();
}

// orig_input, orig_output, grad (like orig_input): the result is like orig_output.
Status MaxPoolGradGradShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape input, c.WithRank(0, 4));
  DF_ASSIGN(PartialShape output, c.WithRank(1, 4));
  DF_TRY(input.Merge(c.input(2)).status());
  c.set_output(0, std::move(output));
  return Status();
}

Status AvgPoolGradShape(InferenceContext& c) {
  DF_TRY(c.WithRank(0, 1).status());
  DF_TRY(c.WithRank(1, 4).status());
  const PartialShape shape = c.input_as_shape(0);
  if (shape.known_rank() && shape.rank() != 4) {
    return InvalidArgument("orig_input_shape must hold 4 sizes, but is ", shape);
  }
  c.set_output(0, shape.known_rank() ? shape : PartialShape::UnknownOfRank(4));
  return Status();
}

}  // namespace

OP("MaxPool")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .Shape(&PoolOpShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("MaxPoolGrad", PoolAttrs(g, kMaxPoolAttrs), g.x(0), g.y(0), g.dy(0));
    })
    .Doc("The largest element of each window.");

OP("MaxPoolGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = float")
    .Shape(&MaxPoolGradShape)
    .Gradient([](GradientBuilder& g) {
      if (g.attr<std::string>("padding") == "EXPLICIT") {
        g.Fail(Unimplemented("the gradient of MaxPoolGrad with padding EXPLICIT"));
        return;
      }
      g.dx(2) = g.Op("MaxPoolGradGrad", PoolAttrs(g, kAvgPoolAttrs), g.x(0), g.x(1), g.dy(0));
    })
    .Doc("The gradient of MaxPool by its input: grad goes to the first largest element of each window.");

OP("MaxPoolGradGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
    .Shape(&MaxPoolGradGradShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(2) = g.Op("MaxPoolGrad", PoolAttrs(g, kAvgPoolAttrs), g.x(0), g.x(1), g.dy(0));
    })
    .Doc("The element of grad where each window of orig_input has its first largest element.");

OP("AvgPool")
    .Input("value: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {half, bfloat16, float, double}")
    .Shape(&PoolOpShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("AvgPoolGrad", PoolAttrs(g, kAvgPoolAttrs), g.Op("Shape", g.x(0)), g.dy(0));
    })
    .Doc("The mean of each window; padding does not count.");

OP("AvgPoolGrad")
    .Input("orig_input_shape: int32")
    .Input("grad: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {half, bfloat16, float, double}")
    .Shape(&AvgPoolGradShape)
    .Gradient([](GradientBuilder& g) { g.dx(1) = g.Op("AvgPool", PoolAttrs(g, kAvgPoolAttrs), g.dy(0)); })
    .Doc("The gradient of AvgPool by its input, whose shape orig_input_shape gives.");

}  // namespace dfrun
