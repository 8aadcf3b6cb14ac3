// The bytes of a tensor as another dtype.
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

// A wider output takes the last dimension, which must be of its width; a narrower one has one more.
Status BitcastShape(InferenceContext& c) {
  DF_ASSIGN(const DType to, c.attr<DType>("type"));
  const auto from_bytes = static_cast<int64_t>(DTypeSize(c.input_dtype(0)));
  const auto to_bytes = static_cast<int64_t>(DTypeSize(to));
  PartialShape shape = c.input(0);
  if (!shape.known_rank()) return Status();
  if (to_bytes < from_bytes) shape.Append(from_bytes / to_bytes);
  if (to_bytes > from_bytes) {
    DF_ASSIGN(shape, c.WithRankAtLeast(0, 1));
    std::vector<int64_t> dims = shape.dims();
    if (dims.back() != PartialShape::kUnknown && dims.back() != to_bytes / from_bytes)
      return InvalidArgument("Bitcast of ", c.input_dtype(0), shape, " to ", to,
                             ": the last dimension must be of size ", to_bytes / from_bytes);
    dims.pop_back();
    shape = PartialShape(std::move(dims));
  }
  c.set_output(0, std::move(shape));
  return Status();
}

OP("Bitcast")
    .Input("input: T")
    .Output("output: type")
    .Attr(
        "T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, "
        "complex128, qint8, quint8, qint16, quint16, qint32}")
    .Attr(
        "type: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, "
        "complex128, qint8, quint8, qint16, quint16, qint32}")
    .Shape(BitcastShape)
    .Cost(NoCost())
    .Doc("The same bytes as another dtype; the last dimension makes up for a different width.");

}  // namespace
}  // namespace dfrun
