#include "kernels/device/cuda/library/attention_plan.h"

#include <utility>

namespace dfrun::cuda {
namespace {

using Descriptor = cudnnBackendDescriptor_t;
using Dims = std::vector<int64_t>;

// The library recognises the operations of attention by their order, and refuses any other. Source: cudnn-frontend,
// scaled_dot_product_flash_attention.h.
class AttentionGraph {
 public:
  AttentionGraph(const CudnnTarget& target, const AttentionTask& task)
      : graph_(target, task.is_gradient ? "compute the gradient of attention of" : "compute attention of"),
        task_(task) {}

  Result<CudnnGraph> Build() {
    DF_ASSIGN(type_, CudnnTypeOf(task_.dtype));
    if (type_ != CUDNN_DATA_HALF && type_ != CUDNN_DATA_BFLOAT16) {
      return Unimplemented("cuDNN has no attention of ", task_.dtype);
    }
    DF_ASSIGN(query_, AddTensor(AttentionPlan::kQueryId, task_.queries, task_.depth));
    DF_ASSIGN(key_, AddTensor(AttentionPlan::kKeyId, task_.keys, task_.depth, /*is_transposed=*/true));
    DF_ASSIGN(log_sums_, AddByQuery(AttentionPlan::kLogSumsId));
    DF_ASSIGN(scale_, AddNumber(AttentionPlan::kScaleId));
    if (task_.causal) {
      DF_ASSIGN(unseen_, AddNumber(AttentionPlan::kUnseenId));
    }
    DF_TRY(task_.is_gradient ? AddGradient() : AddForward());
    return std::move(graph_);
  }

 private:
  // The dimensions of a tensor with one matrix for each pair of a batch and a head.
  Dims DimsOf(int64_t rows, int64_t columns) const { return {task_.batch, task_.heads, rows, columns}; }
  static Dims RowMajor(const Dims& dims) { return StridesOf(dims, /*channels_first=*/true); }
  // The dimensions of the same memory with the last two exchanged.
  static Dims Turned(Dims dims) {
    std::swap(dims[2], dims[3]);
    return dims;
  }

  Result<Descriptor> AddTensor(int64_t id, int64_t rows, int64_t columns, bool is_transposed = false) {
    const Dims dims = DimsOf(rows, columns);
    if (!is_transposed) return graph_.AddTensor({id, dims, RowMajor(dims), type_});
    return graph_.AddTensor({id, Turned(dims), Turned(RowMajor(dims)), type_});
  }
  Result<Descriptor> AddByQuery(int64_t id) {
    const Dims dims = DimsOf(task_.queries, 1);
    return graph_.AddTensor({id, dims, RowMajor(dims)});
  }
  Result<Descriptor> AddNumber(int64_t id) {
    return graph_.AddTensor({id, {1, 1, 1, 1}, {1, 1, 1, 1}, CUDNN_DATA_FLOAT, CudnnTensor::Kind::kNumber});
  }
  Result<Descriptor> AddInner(const Dims& dims, const Dims& strides, cudnnDataType_t type) {
    return graph_.AddTensor({next_inner_++, dims, strides, type, CudnnTensor::Kind::kInner});
  }
  Result<Descriptor> AddInner(int64_t rows, int64_t columns, cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    const Dims dims = DimsOf(rows, columns);
    return AddInner(dims, RowMajor(dims), type);
  }
  Result<Descriptor> AddScores(cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return AddInner(task_.queries, task_.keys, type);
  }

  Status AddProduct(Descriptor a, Descriptor b, Descriptor c) {
    CudnnDescriptor product = graph_.Describe(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    const cudnnDataType_t computes_in = CUDNN_DATA_FLOAT;
    product.SetOne(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, computes_in);
    DF_ASSIGN(const Descriptor described, graph_.Keep(std::move(product)));
    CudnnDescriptor operation = graph_.Describe(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    operation.SetOne(CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, a);
    operation.SetOne(CUDNN_ATTR_OPERATION_MATMUL_BDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, b);
    operation.SetOne(CUDNN_ATTR_OPERATION_MATMUL_CDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, c);
    operation.SetOne(CUDNN_ATTR_OPERATION_MATMUL_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, described);
    return graph_.AddOperation(std::move(operation));
  }
  // Adds a reduction over the last dimension.
  Status AddReduction(cudnnReduceTensorOp_t op, Descriptor x, Descriptor y) {
    CudnnDescriptor reduction = graph_.Describe(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    const cudnnDataType_t computes_in = CUDNN_DATA_FLOAT;
    reduction.SetOne(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, computes_in);
    reduction.SetOne(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, op);
    DF_ASSIGN(const Descriptor described, graph_.Keep(std::move(reduction)));
    CudnnDescriptor operation = graph_.Describe(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    operation.SetOne(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, x);
    operation.SetOne(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, y);
    operation.SetOne(CUDNN_ATTR_OPERATION_REDUCTION_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, described);
    return graph_.AddOperation(std::move(operation));
  }
  Status AddPointwise(const CudnnPointwise& pointwise) { return graph_.AddPointwise(pointwise); }
  // A matrix of float32, or of numbers by query, that an operation makes.
  Result<Descriptor> Of(cudnnPointwiseMode_t mode, Descriptor x, Descriptor b, int64_t columns) {
    DF_ASSIGN(const Descriptor y, AddInner(task_.queries, columns));
    DF_TRY(AddPointwise({.mode = mode, .x = x, .b = b, .y = y}));
    return y;
  }
  Result<Descriptor> OfScores(cudnnPointwiseMode_t mode, Descriptor x, Descriptor b) {
    return Of(mode, x, b, task_.keys);
  }
  // The elements of a matrix in the other order of its last two dimensions.
  Result<Descriptor> Reshaped(Descriptor x, const Dims& dims, const Dims& strides) {
    DF_ASSIGN(const Descriptor y, AddInner(dims, strides, type_));
    CudnnDescriptor operation = graph_.Describe(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
    operation.SetOne(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, x);
    operation.SetOne(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, y);
    DF_TRY(graph_.AddOperation(std::move(operation)));
    return y;
  }
  Result<Descriptor> TurnedScores(Descriptor x) {
    const Dims dims = DimsOf(task_.queries, task_.keys);
    return Reshaped(x, Turned(dims), Turned(RowMajor(dims)));
  }

  // The number of each score's query, or of its key.
  Result<Descriptor> Index(Descriptor scores, int64_t axis) {
    DF_ASSIGN(const Descriptor index, AddScores(CUDNN_DATA_INT32));
    DF_TRY(AddPointwise({.mode = CUDNN_POINTWISE_GEN_INDEX, .x = scores, .y = index, .axis = axis}));
    return index;
  }
  Result<Descriptor> Masked(Descriptor scores) {
    if (!task_.causal) return scores;
    DF_ASSIGN(const Descriptor query, Index(scores, 2));
    DF_ASSIGN(const Descriptor key, Index(scores, 3));
    DF_ASSIGN(const Descriptor sees, AddScores(CUDNN_DATA_BOOLEAN));
    DF_TRY(AddPointwise(
        {.mode = CUDNN_POINTWISE_CMP_GE, .x = query, .b = key, .y = sees, .computes_in = CUDNN_DATA_BOOLEAN}));
    DF_ASSIGN(const Descriptor masked, AddScores());
    DF_TRY(AddPointwise({.mode = CUDNN_POINTWISE_BINARY_SELECT, .x = scores, .b = unseen_, .t = sees, .y = masked}));
    return masked;
  }
  Result<Descriptor> ScaledScores() {
    DF_ASSIGN(const Descriptor scores, AddScores());
    DF_TRY(AddProduct(query_, key_, scores));
    return OfScores(CUDNN_POINTWISE_MUL, scores, scale_);
  }

  Status AddForward() {
    DF_ASSIGN(const Descriptor value, AddTensor(AttentionPlan::kValueId, task_.keys, task_.value_depth));
    DF_ASSIGN(const Descriptor output, AddTensor(AttentionPlan::kOutputId, task_.queries, task_.value_depth));
    DF_ASSIGN(const Descriptor scaled, ScaledScores());
    DF_ASSIGN(const Descriptor scores, Masked(scaled));
    DF_ASSIGN(const Descriptor largest, AddInner(task_.queries, 1));
    DF_TRY(AddReduction(CUDNN_REDUCE_TENSOR_MAX, scores, largest));
    DF_ASSIGN(const Descriptor below, OfScores(CUDNN_POINTWISE_SUB, scores, largest));
    DF_ASSIGN(const Descriptor exponentials, OfScores(CUDNN_POINTWISE_EXP, below, nullptr));
    DF_ASSIGN(const Descriptor sums, AddInner(task_.queries, 1));
    DF_TRY(AddReduction(CUDNN_REDUCE_TENSOR_ADD, exponentials, sums));
    DF_ASSIGN(const Descriptor logs, Of(CUDNN_POINTWISE_LOG, sums, nullptr, 1));
    DF_TRY(AddPointwise({.mode = CUDNN_POINTWISE_ADD, .x = largest, .b = logs, .y = log_sums_}));
    DF_ASSIGN(const Descriptor weights, AddScores(type_));
    DF_TRY(AddPointwise({.mode = CUDNN_POINTWISE_DIV, .x = exponentials, .b = sums, .y = weights}));
    return AddProduct(weights, value, output);
  }

  // The gradient of the queries is a product by itself, not sums that blocks of keys add up in any order.
  Status AddGradient() {
    const AttentionTask& t = task_;
    DF_ASSIGN(const Descriptor value, AddTensor(AttentionPlan::kValueId, t.keys, t.value_depth, true));
    DF_ASSIGN(const Descriptor output, AddTensor(AttentionPlan::kOutputId, t.queries, t.value_depth));
    DF_ASSIGN(const Descriptor dy, AddTensor(AttentionPlan::kGradientsId, t.queries, t.value_depth));
    DF_ASSIGN(const Descriptor along, AddByQuery(AttentionPlan::kAlongId));
    DF_TRY(AddAlong(dy, output, along));
    DF_ASSIGN(const Descriptor scaled, ScaledScores());
    DF_ASSIGN(const Descriptor below, OfScores(CUDNN_POINTWISE_SUB, scaled, log_sums_));
    DF_ASSIGN(const Descriptor masked, Masked(below));
    DF_ASSIGN(const Descriptor weights, OfScores(CUDNN_POINTWISE_EXP, masked, nullptr));
    DF_ASSIGN(const Descriptor turned_weights, TurnedScores(weights));
    DF_ASSIGN(const Descriptor dvalue, AddTensor(AttentionPlan::kValueGradId, t.keys, t.value_depth));
    DF_TRY(AddProduct(turned_weights, dy, dvalue));
    DF_ASSIGN(const Descriptor dweights, AddScores());
    DF_TRY(AddProduct(dy, value, dweights));
    DF_ASSIGN(const Descriptor across, OfScores(CUDNN_POINTWISE_SUB, dweights, along));
    DF_ASSIGN(const Descriptor slopes, OfScores(CUDNN_POINTWISE_MUL, across, weights));
    DF_ASSIGN(const Descriptor dscores, OfScores(CUDNN_POINTWISE_MUL, slopes, scale_));
    DF_ASSIGN(const Descriptor turned_scores, TurnedScores(dscores));
    DF_ASSIGN(const Descriptor dkey, AddTensor(AttentionPlan::kKeyGradId, t.keys, t.depth));
    DF_TRY(AddProduct(turned_scores, query_, dkey));
    const Dims keys = DimsOf(t.keys, t.depth);
    DF_ASSIGN(const Descriptor key, Reshaped(key_, keys, RowMajor(keys)));
    DF_ASSIGN(const Descriptor dquery, AddTensor(AttentionPlan::kQueryGradId, t.queries, t.depth));
    return AddProduct(dscores, key, dquery);
  }

  Status AddAlong(Descriptor dy, Descriptor output, Descriptor along) {
    DF_ASSIGN(const Descriptor one, AddNumber(AttentionPlan::kOneId));
    DF_ASSIGN(const Descriptor products, Of(CUDNN_POINTWISE_MUL, dy, output, task_.value_depth));
    DF_ASSIGN(const Descriptor sums, AddInner(task_.queries, 1));
    DF_TRY(AddReduction(CUDNN_REDUCE_TENSOR_ADD, products, sums));
    return AddPointwise({.mode = CUDNN_POINTWISE_MUL, .x = sums, .b = one, .y = along});
  }

  CudnnGraph graph_;
  const AttentionTask& task_;
  cudnnDataType_t type_ = CUDNN_DATA_BFLOAT16;
  int64_t next_inner_ = 100;
  Descriptor query_ = nullptr;
  Descriptor key_ = nullptr;  // transposed
  Descriptor log_sums_ = nullptr;
  Descriptor scale_ = nullptr;
  Descriptor unseen_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<const CudnnPlan>> AttentionPlan::Create(const CudnnTarget& target, const AttentionTask& task) {
  DF_ASSIGN(CudnnGraph graph, AttentionGraph(target, task).Build());
  return CudnnPlan::Create(std::move(graph), {task.dtype, task.arithmetic});
}

}  // namespace dfrun::cuda
