// Max pooling and its gradients.
#include "kernels/nn/pool/pool_cost.h"
#include "kernels/nn/pool/pool_inference.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

constexpr const char* kRealT =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";

AttrMap Attrs(GradientBuilder& g, std::initializer_list<const char*> names) {
  AttrMap attrs;
  for (const char* name : names) attrs.Set(name, *g.attrs().Find(name));
  return attrs;
}
AttrMap MaxPoolWindows(GradientBuilder& g) {
  return Attrs(g, {"ksize", "strides", "padding", "data_format"});
}

// The gradient of an op with the inputs orig_input, orig_output and grad, which is linear in the last: `op` with dy in
// its place.
GradientFn OfGrad(const char* op) {
  return [op](GradientBuilder& g) { g.dx(2) = g.Op(op, MaxPoolWindows(g), g.x(0), g.x(1), g.dy(0)); };
}

void Windows(OpBuilder& op) {
  op.Attr("ksize: list(int) >= 4").Attr("strides: list(int) >= 4");
}
void DeepWindows(OpBuilder& op) {
  op.Attr("ksize: list(int) >= 5").Attr("strides: list(int) >= 5").Attr("padding: {'SAME', 'VALID'}");
  op.Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'");
}
void PaddingAndFormat(OpBuilder& op) {
  op.Attr("padding: {'SAME', 'VALID'}").Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'");
}
void MaybeExplicitPadding(OpBuilder& op) {
  op.Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").Attr("explicit_paddings: list(int) = []");
}
void OneImage(OpBuilder& op) {
  op.Input("input: T").Output("output: T");
  op.Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float");
}
void ThreeImages(OpBuilder& op) {
  op.Input("orig_input: T").Input("orig_output: T").Input("grad: T").Output("output: T");
  op.GradientEnds(GradientFlow::kZero, {"orig_input", "orig_output"});  // they choose elements of grad
}
void PaddingAndNumbers(OpBuilder& op) {
  op.Attr("padding: {'SAME', 'VALID'}").Attr("include_batch_in_index: bool = false");
}

// argmax and grad have one shape: the result has the size that windows of ksize tile.
Status TiledShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape argmax, c.WithRank(0, 4));
  DF_ASSIGN(PartialShape shape, argmax.Merge(c.input(1)));
  DF_ASSIGN(const std::vector<int64_t> ksize, c.attr<std::vector<int64_t>>("ksize"));
  if (ksize.size() != 4 || ksize[0] != 1 || ksize[3] != 1 || ksize[1] < 1 || ksize[2] < 1) {
    return InvalidArgument("attr 'ksize' must be four sizes from 1 on, the first and the last 1");
  }
  for (int dim : {1, 2}) {
    if (shape.dim(dim) < 0) continue;
    int64_t size = 0;
    if (__builtin_mul_overflow(shape.dim(dim), ksize[static_cast<size_t>(dim)], &size)) {
      return InvalidArgument("windows of ", ksize[static_cast<size_t>(dim)], " make ", shape, " too large");
    }
    shape.set_dim(dim, size);
  }
  c.set_output(0, std::move(shape));
  return Status();
}

void MaxPoolGradGradient(GradientBuilder& g) {
  if (g.attr<std::string>("padding") == "EXPLICIT") {
    g.Fail(Unimplemented("the gradient of MaxPoolGrad with padding EXPLICIT"));
    return;
  }
  g.dx(2) = g.Op("MaxPoolGradGrad", MaxPoolWindows(g), g.x(0), g.x(1), g.dy(0));
}

}  // namespace

OP("MaxPool")
    .As(&OneImage)
    .As(&Windows)
    .As(&MaybeExplicitPadding)
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .Shape(&PoolOutputShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("MaxPoolGrad", Attrs(g, {"ksize", "strides", "padding", "explicit_paddings", "data_format"}),
                     g.x(0), g.y(0), g.dy(0));
    })
    .Cost(PoolCost())
    .Rows(RowsOfInputs({0}))
    .Doc("The largest element of each window.");

OP("MaxPoolGrad")
    .As(&ThreeImages)
    .As(&Windows)
    .As(&MaybeExplicitPadding)
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr(std::string(kRealT) + " = float")
    .Shape(&PoolGradShape<4>)
    .Gradient(&MaxPoolGradGradient)
    .Cost(PoolGradCost(2))
    .Doc("The gradient of MaxPool by its input: grad goes to the first largest element of each window.");

OP("_MaxPoolReluGrad")
    .As(&ThreeImages)
    .As(&Windows)
    .As(&MaybeExplicitPadding)
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr(std::string(kRealT) + " = float")
    .Shape(&PoolGradShape<4>)
    .Own()
    .Cost(PoolGradCost(2))
    .Doc("ReluGrad of MaxPoolGrad, by the same orig_input: made when a graph is optimised.");

OP("_MaxPoolGradByArgmax")
    .Input("places: uint8")
    .Input("grad: T")
    .Output("output: T")
    .Attr("T: {float} = float")
    .Attr("ksize: list(int) >= 4")
    .Shape(&TiledShape)
    .Own()
    .Cost(ScanCost(1))
    .Doc(
        "_MaxPoolReluGrad where windows of ksize tile the image, by the indices of the largest elements that "
        "_FusedConv2DMaxPoolWithArgmax gives: made when a graph is optimised.");

OP("MaxPoolGradGrad")
    .As(&ThreeImages)
    .As(&Windows)
    .As(&PaddingAndFormat)
    .Attr(kRealT)
    .Shape(&PoolGradGradShape)
    .Gradient(OfGrad("MaxPoolGrad"))
    .Cost(PoolCost())
    .Doc("The element of grad where each window of orig_input is first equal to orig_output.");

OP("MaxPoolV2")
    .Input("input: T")
    .Input("ksize: int32")
    .Input("strides: int32")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .Shape(&PoolV2OutputShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("MaxPoolGradV2", Attrs(g, {"padding", "data_format"}), g.x(0), g.y(0), g.dy(0), g.x(1), g.x(2));
    })
    .Cost(ScanCost())
    .Rows(RowsOfInputs({0}))
    .Doc("MaxPool with the windows and strides that inputs give.");

OP("MaxPoolGradV2")
    .As(&ThreeImages)
    .Input("ksize: int32")
    .Input("strides: int32")
    .As(&PaddingAndFormat)
    .Attr(std::string(kRealT) + " = float")
    .Shape(&PoolGradShape<4>)
    .Gradient([](GradientBuilder& g) {
      g.dx(2) =
          g.Op("MaxPoolGradGradV2", Attrs(g, {"padding", "data_format"}), g.x(0), g.x(1), g.dy(0), g.x(3), g.x(4));
    })
    .Cost(ScanCost())
    .Doc("MaxPoolGrad with the windows and strides that inputs give.");

OP("MaxPoolGradGradV2")
    .As(&ThreeImages)
    .Input("ksize: int32")
    .Input("strides: int32")
    .As(&PaddingAndFormat)
    .Attr(kRealT)
    .Shape(&PoolGradGradShape)
    .Cost(ScanCost())
    .Doc("MaxPoolGradGrad with the windows and strides that inputs give.");

OP("MaxPoolWithArgmax")
    .Input("input: T")
    .Output("output: T")
    .Output("argmax: Targmax")
    .As(&Windows)
    .Attr("Targmax: {int32, int64} = int64")
    .As(&PaddingAndNumbers)
    .Attr(kRealT)
    .Shape(&PoolOutputShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("MaxPoolGradWithArgmax", Attrs(g, {"ksize", "strides", "padding", "include_batch_in_index"}),
                     g.x(0), g.dy(0), g.y(1));
    })
    .Cost(PoolCost())
    .Doc("The largest element of each window and its number: (row * width + column) * channels + channel.");

OP("MaxPoolGradWithArgmax")
    .Input("input: T")
    .Input("grad: T")
    .Input("argmax: Targmax")
    .Output("output: T")
    .As(&Windows)
    .As(&PaddingAndNumbers)
    .Attr("Targmax: {int32, int64}")
    .Attr(kRealT)
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(PartialShape input, c.WithRank(0, 4));
      DF_ASSIGN(const PartialShape grad, c.WithRank(1, 4));
      DF_TRY(grad.Merge(c.input(2)).status());
      c.set_output(0, std::move(input));
      return Status();
    })
    .Cost(ScanCost(1))
    .Doc("The gradient of MaxPoolWithArgmax by its input: grad goes to the elements that argmax names.");

OP("MaxPool3D")
    .Input("input: T")
    .Output("output: T")
    .As(&DeepWindows)
    .Attr("T: {half, bfloat16, float}")
    .Shape(&PoolOutputShape)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("MaxPool3DGrad", MaxPoolWindows(g), g.x(0), g.y(0), g.dy(0)); })
    .Cost(PoolCost())
    .Rows(RowsOfInputs({0}))
    .Doc("The largest element of each window of volumes.");

OP("MaxPool3DGrad")
    .Input("orig_input: TInput")
    .Input("orig_output: TInput")
    .Input("grad: T")
    .Output("output: T")
    .As(&DeepWindows)
    .Attr("T: {half, bfloat16, float} = float")
    .Attr("TInput: {half, bfloat16, float} = float")
    .Shape(&PoolGradShape<5>)
    .Gradient(OfGrad("MaxPool3DGradGrad"))
    .GradientEnds(GradientFlow::kZero, {"orig_input", "orig_output"})
    .Cost(PoolGradCost(2))
    .Doc("The gradient of MaxPool3D by its input: grad goes to every element of a window that equals orig_output.");

OP("MaxPool3DGradGrad")
    .As(&ThreeImages)
    .As(&DeepWindows)
    .Attr(kRealT)
    .Shape(&PoolGradGradShape)
    .Gradient(OfGrad("MaxPool3DGrad"))
    .Cost(PoolCost())
    .Doc("The element of grad where each window of orig_input is first equal to orig_output.");

}  // namespace dfrun
