#include "kernels/device/cuda/library/conv_plan.h"

#include <utility>

namespace dfrun::cuda {
namespace {

// A convolution or a gradient of one, or a convolution and its bias, as the library's graph.
class ConvGraph {
 public:
  ConvGraph(const CudnnTarget& target, const ConvTask& task)
      : graph_(target, "convolve"), task_(task), shape_(task.shape) {}

  Result<CudnnGraph> Build() {
    DF_ASSIGN(type_, CudnnTypeOf(task_.dtype));
    DF_ASSIGN(const cudnnBackendDescriptor_t x, Tensor(ConvPlan::kInputId, shape_.input, type_));
    DF_ASSIGN(const cudnnBackendDescriptor_t w, Tensor(ConvPlan::kFilterId, shape_.filter, type_));
    DF_ASSIGN(const cudnnBackendDescriptor_t y, Tensor(ConvPlan::kOutputId, shape_.output, type_));
    if (task_.epilogue == ConvEpilogue::kNone) {
      DF_TRY(AddConvolution(x, w, y));
    } else {
      DF_TRY(AddWithBias(x, w, y));
    }
    return std::move(graph_);
  }

 private:
  static constexpr int64_t kSumsId = 5;  // result of a convolution before its bias

  bool is_double() const { return task_.dtype == DType::kDouble; }
  cudnnDataType_t computes_in() const { return is_double() ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT; }

  Result<cudnnBackendDescriptor_t> Tensor(int64_t id, const std::vector<int64_t>& dims, cudnnDataType_t type,
                                          CudnnTensor::Kind kind = CudnnTensor::Kind::kMemory) {
    return graph_.AddTensor({id, dims, StridesOf(dims, shape_.channels_first), type, kind});
  }

  // Sums of the convolution are float32 until the bias is added.
  Status AddWithBias(cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t w, cudnnBackendDescriptor_t y) {
    std::vector<int64_t> channels(shape_.output.size(), 1);
    channels[1] = shape_.output[1];
    DF_ASSIGN(const cudnnBackendDescriptor_t bias, Tensor(ConvPlan::kBiasId, channels, type_));
    DF_ASSIGN(const cudnnBackendDescriptor_t sums,
              Tensor(kSumsId, shape_.output, computes_in(), CudnnTensor::Kind::kInner));
    DF_TRY(AddConvolution(x, w, sums));
    return graph_.AddPointwise(
        {.mode = CUDNN_POINTWISE_ADD, .x = sums, .b = bias, .y = y, .computes_in = computes_in()});
  }

  Result<cudnnBackendDescriptor_t> Convolution() {
    CudnnDescriptor conv = graph_.Describe(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    conv.SetOne(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, computes_in());
    conv.SetOne(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, mode);
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {static_cast<int64_t>(shape_.strides.size())});
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, shape_.pad_before);
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, shape_.pad_after);
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_DILATIONS, shape_.dilations);
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, shape_.strides);
    return graph_.Keep(std::move(conv));
  }

  // The attributes of one of the three operations.
  struct Names {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t alpha, beta, conv, x, w, y;
  };
  static Names NamesOf(ConvResult result) {
    switch (result) {
      case ConvResult::kOutput:
        return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
      case ConvResult::kInput:
        return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY};
      default:
        return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY};
    }
  }

  Status AddConvolution(cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t w, cudnnBackendDescriptor_t y) {
    DF_ASSIGN(const cudnnBackendDescriptor_t conv, Convolution());
    const Names names = NamesOf(task_.result);
    CudnnDescriptor operation = graph_.Describe(names.type);
    operation.SetOne(names.conv, CUDNN_TYPE_BACKEND_DESCRIPTOR, conv);
    operation.SetOne(names.x, CUDNN_TYPE_BACKEND_DESCRIPTOR, x);
    operation.SetOne(names.w, CUDNN_TYPE_BACKEND_DESCRIPTOR, w);
    operation.SetOne(names.y, CUDNN_TYPE_BACKEND_DESCRIPTOR, y);
    if (is_double()) {
      operation.SetOne(names.alpha, CUDNN_TYPE_DOUBLE, 1.0);
      operation.SetOne(names.beta, CUDNN_TYPE_DOUBLE, 0.0);
    } else {
      operation.SetOne(names.alpha, CUDNN_TYPE_FLOAT, 1.0F);
      operation.SetOne(names.beta, CUDNN_TYPE_FLOAT, 0.0F);
    }
    return graph_.AddOperation(std::move(operation));
  }

  CudnnGraph graph_;
  const ConvTask& task_;
  const LibraryConvShape& shape_;
  cudnnDataType_t type_ = CUDNN_DATA_FLOAT;
};

}  // namespace

Result<std::unique_ptr<const CudnnPlan>> ConvPlan::Create(const CudnnTarget& target, const ConvTask& task) {
  DF_ASSIGN(CudnnGraph graph, ConvGraph(target, task).Build());
  return CudnnPlan::Create(std::move(graph), {task.dtype, task.arithmetic});
}

}  // namespace dfrun::cuda
