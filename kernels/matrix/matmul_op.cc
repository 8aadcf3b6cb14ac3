// MatMul: signature, shape, gradient.
#include "kernels/math/gradients.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

Status MatMulShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape a, c.WithRank(0, 2));
  DF_ASSIGN(const PartialShape b, c.WithRank(1, 2));
  DF_ASSIGN(const bool transpose_a, c.attr<bool>("transpose_a"));
  DF_ASSIGN(const bool transpose_b, c.attr<bool>("transpose_b"));
  const int64_t inner_a = a.dim(transpose_a ? 0 : 1);
  const int64_t inner_b = b.dim(transpose_b ? 1 : 0);
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b) {
    return InvalidArgument("cannot multiply ", a, transpose_a ? " (transposed)" : "", " by ", b,
                           transpose_b ? " (transposed)" : "", ": the inner sizes ", inner_a, " and ", inner_b,
                           " differ");
  }
  c.set_output(0, PartialShape({a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)}));
  return Status();
}

Output Product(GradientBuilder& g, Output a, bool transpose_a, Output b, bool transpose_b, const char* mark) {
  return g.Op("MatMul", {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}, {mark, true}}, a, b);
}

void MatMulGradient(GradientBuilder& g) {
  const bool ta = g.attr<bool>("transpose_a");
  const bool tb = g.attr<bool>("transpose_b");
  const Output a = Conj(g, g.x(0));
  const Output b = Conj(g, g.x(1));
  const Output dy = g.dy(0);
  g.dx(0) = ta ? Product(g, b, tb, dy, true, "grad_a") : Product(g, dy, false, b, !tb, "grad_a");
  g.dx(1) = tb ? Product(g, dy, true, a, ta, "grad_b") : Product(g, a, !ta, dy, false, "grad_b");
}

}  // namespace

OP("MatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}")
    .Attr("grad_a: bool = false")
    .Attr("grad_b: bool = false")
    .Shape(&MatMulShape)
    .Gradient(&MatMulGradient)
    .Doc("The product of two matrices, either of which may be taken transposed.");

}  // namespace dfrun
