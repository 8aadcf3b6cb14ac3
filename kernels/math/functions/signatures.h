// The signatures that math's ops share, for OP("Sin").As(UnaryOp<kComplexFloats>): sets of element types, each the text
// of attr T, and families of ops that differ by that set alone. The sets are TensorFlow's.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_SIGNATURES_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_SIGNATURES_H_

#include <utility>

#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {

inline constexpr char kFloats[] = "T: {bfloat16, half, float, double}";
inline constexpr char kComplexFloats[] = "T: {bfloat16, half, float, double, complex64, complex128}";
inline constexpr char kWideFloats[] = "T: {float, double}";
inline constexpr char kComplex[] = "T: {complex64, complex128} = DT_COMPLEX64";
inline constexpr char kIntegers[] = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";
inline constexpr char kNumbers[] = "T: numbertype";
inline constexpr char kRealNumbers[] = "T: realnumbertype";
inline constexpr char kFloatsAndSigned[] = "T: {bfloat16, half, float, double, int8, int16, int32, int64}";
inline constexpr char kSignedNumbers[] =
    "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}";
inline constexpr char kUnquantized[] =
    "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, "
    "complex128}";
inline constexpr char kOrdered[] =
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}";
inline constexpr char kOrderedOrQuantized[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, "
    "qint32, qint16, quint16}";

// Output 0 has the shape that all inputs have.
inline Status SameAsAllInputs(InferenceContext& c) {
  PartialShape shape = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    DF_ASSIGN(shape, shape.Merge(c.input(i)));
  }
  c.set_output(0, std::move(shape));
  return Status();
}

// y has the shape of x.
template <const char* kTypes>
void UnaryOp(OpBuilder& op) {
  op.Input("x: T").Output("y: T").Attr(kTypes).Shape(SameAsInput(0)).Rows(RowsOfElements()).Total();
}

// A question about each element.
template <const char* kTypes>
void UnaryTest(OpBuilder& op) {
  op.Input("x: T").Output("y: bool").Attr(kTypes).Shape(SameAsInput(0)).Rows(RowsOfElements());
  op.NotDifferentiable().Total();
}

// z is x and y broadcast against each other.
template <const char* kTypes>
void BinaryOp(OpBuilder& op) {
  op.Input("x: T").Input("y: T").Output("z: T").Attr(kTypes).Shape(BroadcastOfInputs()).Rows(RowsOfElements()).Total();
}

// A question about each pair of elements.
template <const char* kTypes>
void BinaryTest(OpBuilder& op) {
  op.Input("x: T").Input("y: T").Output("z: bool").Attr(kTypes).Shape(BroadcastOfInputs()).Rows(RowsOfElements());
  op.NotDifferentiable().Total();
}

// The gradient of an element-wise function of which y is the result.
template <const char* kTypes>
void GradientOfUnary(OpBuilder& op) {
  op.Input("y: T").Input("dy: T").Output("z: T").Attr(kTypes).Shape(SameAsAllInputs).Rows(RowsOfElements()).Total();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_SIGNATURES_H_
