// ArgMax and ArgMin: the index of the extreme along a dimension.
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

Status ArgShape(InferenceContext& c) {
  const PartialShape& x = c.input(0);
  const Tensor* dimension = c.input_value(1);
  if (c.input(1).known_rank() && c.input(1).rank() != 0)
    return InvalidArgument("the dimension has shape ", c.input(1), ", but must be a scalar");
  if (!x.known_rank()) return Status();
  if (dimension == nullptr) {
    if (x.rank() > 0) c.set_output(0, PartialShape::UnknownOfRank(x.rank() - 1));
    return Status();
  }
  int64_t value = 0;
  VisitDType<int16_t, int32_t, int64_t>(dimension->dtype(),
                                        [&](auto tag) { value = dimension->scalar<typename decltype(tag)::type>(); });
  DF_ASSIGN(const int64_t axis, CanonicalAxis(value, x.rank()));
  std::vector<int64_t> dims = x.dims();
  dims.erase(dims.begin() + axis);
  c.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

template <const char* kTidx, const char* kOutputTypes>
void ArgOp(OpBuilder& op) {
  op.Input("input: T")
      .Input("dimension: Tidx")
      .Output("output: output_type")
      .Attr(
          "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, "
          "qint32, qint16, quint16, bool}")
      .Attr(kTidx)
      .Attr(kOutputTypes)
      .Shape(ArgShape)
      .Rows(RowsUnlessAxis(1))
      .NotDifferentiable();
}

constexpr char kArgMaxTidx[] = "Tidx: {int16, int32, int64} = DT_INT32";
constexpr char kArgMaxOutputs[] = "output_type: {int16, uint16, int32, int64} = DT_INT64";
constexpr char kArgMinTidx[] = "Tidx: {int32, int64} = DT_INT32";
constexpr char kArgMinOutputs[] = "output_type: {int32, int64} = DT_INT64";

OP("ArgMax")
    .As(ArgOp<kArgMaxTidx, kArgMaxOutputs>)
    .Cost(ScanCost())
    .Doc("The index of the largest value along a dimension, the first where several are equal.");

OP("ArgMin")
    .As(ArgOp<kArgMinTidx, kArgMinOutputs>)
    .Cost(ScanCost())
    .Doc("The index of the smallest value along a dimension, the first where several are equal.");

}  // namespace
}  // namespace dfrun
