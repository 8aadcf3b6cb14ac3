// Discrete Fourier transforms: signatures, shapes, gradients.
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/math/functions/gradients.h"
#include "kernels/signal/fourier.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

constexpr const char kComplexAttr[] = "Tcomplex: {complex64, complex128} = DT_COMPLEX64";
constexpr const char kRealAttr[] = "Treal: {float, double} = DT_FLOAT";

// 5 n log2 n operations for n complex points, as FFTs are counted; half for real ones.
template <FourierKind kKind, int kRank>
OpCost FourierCost(const CostContext& c) {
  double points = 1;
  for (int d = -kRank; d < 0; ++d) {
    const bool is_half = kKind == FourierKind::kFromReal && d == -1;
    points *= is_half ? 2 * (c.output_dim(0, d) - 1) : c.output_dim(0, d);
  }
  const double factor = kKind == FourierKind::kToReal ? 2.5 : 5;
  return WholeCost(c, factor * c.output_elements(0) * std::log2(points));
}

template <int kRank>
Status SameShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape x, c.WithRankAtLeast(0, kRank));
  c.set_output(0, std::move(x));
  return Status();
}

// The innermost dimensions are those of fft_length; of a spectrum the last one is half as long.
template <FourierKind kKind, int kRank>
Status LengthsShape(InferenceContext& c) {
  DF_ASSIGN(const DType complex, c.attr<DType>("Tcomplex"));
  DF_ASSIGN(const DType real, c.attr<DType>("Treal"));
  DF_TRY(CheckFourierTypes(real, complex));
  DF_ASSIGN(PartialShape shape, c.WithRankAtLeast(0, kRank));
  DF_ASSIGN(PartialShape lengths, c.WithRank(1, 1));
  DF_ASSIGN(lengths, lengths.Merge(PartialShape({kRank})));
  const PartialShape sizes = c.input_as_shape(1);
  if (shape.known_rank()) {
    for (int d = 0; d < kRank; ++d) {
      int64_t size = sizes.known_rank() ? sizes.dim(d) : PartialShape::kUnknown;
      if (kKind == FourierKind::kFromReal && d == kRank - 1 && size > 0) size = size / 2 + 1;
      shape.set_dim(shape.rank() - kRank + d, size);
    }
  }
  c.set_output(0, std::move(shape));
  return Status();
}

// A transform's matrix is symmetric: the adjoint is its conjugate.
void ComplexGradient(GradientBuilder& g, const char* op) {
  g.dx(0) = g.Op("Conj", g.Op(op, g.Op("Conj", g.dy(0))));
}

template <int kRank>
void ComplexSignature(OpBuilder& op) {
  op.Input("input: Tcomplex").Output("output: Tcomplex").Attr(kComplexAttr).Shape(&SameShape<kRank>);
  op.Cost(&FourierCost<FourierKind::kComplex, kRank>);
}

template <int kRank>
void FromRealSignature(OpBuilder& op) {
  op.Input("input: Treal").Input("fft_length: int32").Output("output: Tcomplex").Attr(kRealAttr).Attr(kComplexAttr);
  op.Shape(&LengthsShape<FourierKind::kFromReal, kRank>).Cost(&FourierCost<FourierKind::kFromReal, kRank>);
}

template <int kRank>
void ToRealSignature(OpBuilder& op) {
  op.Input("input: Tcomplex").Input("fft_length: int32").Output("output: Treal").Attr(kRealAttr).Attr(kComplexAttr);
  op.Shape(&LengthsShape<FourierKind::kToReal, kRank>).Cost(&FourierCost<FourierKind::kToReal, kRank>);
}

Output As(GradientBuilder& g, DType dtype, Output value) {
  return g.Op("Cast", AttrMap{{"DstT", dtype}}, value);
}

// The number of points of all dimensions, as a real number.
Output Points(GradientBuilder& g, DType real) {
  return As(g, real, g.Op("Prod", g.x(1), g.Const<int32_t>({0})));
}

// A factor for each frequency of half a spectrum: `alone` for the frequencies that are their own conjugates', `paired`
// for the others.
Output FrequencyFactors(GradientBuilder& g, int rank, Output alone, Output paired) {
  const auto number = [&](int32_t value) { return g.Const(Tensor::Scalar<int32_t>(value)); };
  const Output last = g.Op("GatherV2", g.x(1), number(rank - 1), number(0));
  const Output doubled = g.Op("Range", number(0), g.Op("AddV2", last, number(1)), number(2));
  const Output is_alone = g.Op("Equal", g.Op("FloorMod", doubled, last), number(0));
  return g.Op("SelectV2", is_alone, alone, paired);
}

bool HasTheSizes(const PartialShape& a, const PartialShape& b) {
  return a.IsFullyDefined() && b.IsFullyDefined() && a.dims() == b.dims();
}

// The gradient of the whole input 0, from that of the part that the transform took: there are zeros behind it.
Output OfWholeInput(GradientBuilder& g, Output taken) {
  if (HasTheSizes(g.shape(taken), g.shape(g.x(0)))) return taken;
  const Output after = g.Op("Sub", g.Op("Shape", g.x(0)), g.Op("Shape", taken));
  const Output before = g.Op("ZerosLike", after);
  return g.Op("Pad", taken, g.Op("Pack", AttrMap{{"axis", 1}, {"N", 2}}, before, after));
}

// The gradient of a transform from real numbers, by IRFFT. A frequency that stands for a pair of conjugates would reach
// the input twice, so that the factors take half of it.
void FromRealGradient(GradientBuilder& g, const char* inverse, int rank) {
  const DType real = g.dtype(g.x(0));
  const Output points = Points(g, real);
  const Output factors = FrequencyFactors(g, rank, points, g.Op("Mul", points, g.ScalarLike(points, 0.5)));
  const Output spectrum = g.Op("Mul", g.dy(0), As(g, g.dtype(g.dy(0)), factors));
  g.dx(0) = OfWholeInput(g, g.Op(inverse, AttrMap{{"Treal", real}}, spectrum, g.x(1)));
}

void ToRealGradient(GradientBuilder& g, const char* forward, int rank) {
  const DType complex = g.dtype(g.x(0));
  const Output alone = g.Op("Reciprocal", Points(g, g.dtype(g.dy(0))));
  const Output factors = FrequencyFactors(g, rank, alone, g.Op("Mul", alone, g.ScalarLike(alone, 2)));
  const Output spectrum = g.Op(forward, AttrMap{{"Tcomplex", complex}}, g.dy(0), g.x(1));
  g.dx(0) = OfWholeInput(g, g.Op("Mul", spectrum, As(g, complex, factors)));
}

GradientFn Complex(const char* op) {
  return [op](GradientBuilder& g) { ComplexGradient(g, op); };
}
GradientFn FromReal(const char* inverse, int rank) {
  return [=](GradientBuilder& g) { FromRealGradient(g, inverse, rank); };
}
GradientFn ToReal(const char* forward, int rank) {
  return [=](GradientBuilder& g) { ToRealGradient(g, forward, rank); };
}

OP("FFT").As(ComplexSignature<1>).Gradient(Complex("FFT")).Doc("The Fourier transform over the last dimension.");
OP("FFT2D").As(ComplexSignature<2>).Gradient(Complex("FFT2D")).Doc("The Fourier transform over the last 2 dimensions.");
OP("FFT3D").As(ComplexSignature<3>).Gradient(Complex("FFT3D")).Doc("The Fourier transform over the last 3 dimensions.");

OP("IFFT").As(ComplexSignature<1>).Gradient(Complex("IFFT")).Doc("The inverse of FFT.");
OP("IFFT2D").As(ComplexSignature<2>).Gradient(Complex("IFFT2D")).Doc("The inverse of FFT2D.");
OP("IFFT3D").As(ComplexSignature<3>).Gradient(Complex("IFFT3D")).Doc("The inverse of FFT3D.");

OP("RFFT")
    .As(FromRealSignature<1>)
    .Gradient(FromReal("IRFFT", 1))
    .Doc(
        "The Fourier transform of the first fft_length real numbers of the last dimension: its frequencies up to half "
        "of "
        "that.");
OP("RFFT2D")
    .As(FromRealSignature<2>)
    .Gradient(FromReal("IRFFT2D", 2))
    .Doc("The Fourier transform of real numbers over the last 2 dimensions: RFFT along the last, then FFT.");
OP("RFFT3D")
    .As(FromRealSignature<3>)
    .Gradient(FromReal("IRFFT3D", 3))
    .Doc("The Fourier transform of real numbers over the last 3 dimensions: RFFT along the last, then FFT.");

OP("IRFFT")
    .As(ToRealSignature<1>)
    .Gradient(ToReal("RFFT", 1))
    .Doc("The fft_length real numbers whose RFFT are the first frequencies of the input.");
OP("IRFFT2D").As(ToRealSignature<2>).Gradient(ToReal("RFFT2D", 2)).Doc("The inverse of RFFT2D.");
OP("IRFFT3D").As(ToRealSignature<3>).Gradient(ToReal("RFFT3D", 3)).Doc("The inverse of RFFT3D.");

}  // namespace
}  // namespace dfrun
