#include "kernels/nn/pool_inference.h"

#include "kernels/nn/pool_shape.h"

namespace dfrun {
namespace {

Status SetOutputs(InferenceContext& c, const WindowAttrs& window) {
  DF_TRY(CheckChannelWindows(window));
  DF_ASSIGN(PartialShape shape, c.WithRank(0, window.format().rank()));
  for (int dim = 1; dim < window.format().rank(); ++dim) {
    DF_ASSIGN(const WindowDim d, window.Dim(dim, shape.dim(dim), window.ksize(dim)));
    shape.set_dim(dim, d.output);
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape);
  return Status();
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

}  // namespace

Status PoolOutputShape(InferenceContext& c) {
  DF_ASSIGN(const WindowAttrs window, WindowAttrs::Read(c.attrs()));
  return SetOutputs(c, window);
}

Status PoolV2OutputShape(InferenceContext& c) {
  DF_ASSIGN(const WindowAttrs window, WindowAttrs::Read(c.attrs()));
  const int rank = window.format().rank();
  DF_ASSIGN(PartialShape input, c.WithRank(0, rank));
  DF_ASSIGN(std::vector<int64_t> ksize, KnownSizes(c, 1, rank));
  DF_ASSIGN(std::vector<int64_t> strides, KnownSizes(c, 2, rank));
  if (ksize.empty() || strides.empty()) {
    PartialShape output = PartialShape::UnknownOfRank(rank);
    output.set_dim(0, input.dim(0));
    c.set_output(0, std::move(output));
    return Status();
  }
  DF_ASSIGN(const WindowAttrs known, window.With(std::move(ksize), std::move(strides)));
  return SetOutputs(c, known);
}

}  // namespace dfrun
