#include "kernels/nn/pool/pool_inference.h"

#include "kernels/nn/pool/pool_shape.h"

namespace dfrun {
namespace {

// `shape`, of the windows' rank, after pooling. Averages ask nothing of the channels, of which there may be none.
Result<PartialShape> Pooled(PartialShape shape, const WindowAttrs& window, bool is_average = false) {
  DF_TRY(CheckChannelWindows(window));
  const int channels = window.format().channels();
  for (int dim = 1; dim < window.format().rank(); ++dim) {
    if (is_average && dim == channels && window.ksize(dim) == 1) continue;
    DF_ASSIGN(const WindowDim d, window.Dim(dim, shape.dim(dim), window.ksize(dim)));
    shape.set_dim(dim, d.output);
  }
  return shape;
}

// The windows or strides that vector input i gives; empty where they are not known.
Result<std::vector<int64_t>> KnownSizes(InferenceContext& c, int i, int rank) {
  DF_ASSIGN(const PartialShape shape, c.WithRank(i, 1));
  if (shape.dim(0) >= 0 && shape.dim(0) != rank) {
    return InvalidArgument("input ", i, " must hold ", rank, " sizes, but has shape ", shape);
  }
  const Tensor* value = c.input_value(i);
  if (value == nullptr) return std::vector<int64_t>();
  return std::vector<int64_t>(value->data<int32_t>(), value->data<int32_t>() + value->num_elements());
}

// `input` after pooling by the vector inputs `windows` and the one after it.
Result<PartialShape> PooledByInputs(InferenceContext& c, const WindowAttrs& window, const PartialShape& input,
                                    int windows) {
  const int rank = window.format().rank();
  DF_ASSIGN(std::vector<int64_t> ksize, KnownSizes(c, windows, rank));
  DF_ASSIGN(std::vector<int64_t> strides, KnownSizes(c, windows + 1, rank));
  if (ksize.empty() || strides.empty()) {
    PartialShape output = PartialShape::UnknownOfRank(rank);
    output.set_dim(0, input.dim(0));
    return output;
  }
  DF_ASSIGN(const WindowAttrs known, window.With(std::move(ksize), std::move(strides)));
  return Pooled(input, known);
}

Status SetPooled(InferenceContext& c, bool is_average) {
  DF_ASSIGN(const WindowAttrs window, WindowAttrs::Read(c.attrs()));
  DF_ASSIGN(const PartialShape input, c.WithRank(0, window.format().rank()));
  DF_ASSIGN(const PartialShape shape, Pooled(input, window, is_average));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape);
  return Status();
}

}  // namespace

Status PoolOutputShape(InferenceContext& c) {
  return SetPooled(c, false);
}

Status AveragePoolOutputShape(InferenceContext& c) {
  return SetPooled(c, true);
}

Status PoolV2OutputShape(InferenceContext& c) {
  DF_ASSIGN(const WindowAttrs window, WindowAttrs::Read(c.attrs()));
  DF_ASSIGN(const PartialShape input, c.WithRank(0, window.format().rank()));
  DF_ASSIGN(PartialShape shape, PooledByInputs(c, window, input, 1));
  c.set_output(0, std::move(shape));
  return Status();
}

Status PoolGradGradShape(InferenceContext& c) {
  DF_ASSIGN(const WindowAttrs window, WindowAttrs::Read(c.attrs()));
  DF_ASSIGN(PartialShape input, c.WithRank(0, window.format().rank()));
  DF_ASSIGN(input, input.Merge(c.input(2)));
  DF_ASSIGN(PartialShape output, c.num_inputs() == 3 ? Pooled(input, window) : PooledByInputs(c, window, input, 3));
  DF_ASSIGN(output, output.Merge(c.input(1)));
  c.set_output(0, std::move(output));
  return Status();
}

}  // namespace dfrun
