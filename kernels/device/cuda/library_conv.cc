#include "kernels/device/cuda/library_conv.h"

#include <algorithm>
#include <utility>

#include "kernels/device/cuda/cuda_kernel.h"

namespace dfrun::cuda {
namespace {

// Names of the tensors within a plan.
constexpr int64_t kInputId = 1;
constexpr int64_t kFilterId = 2;
constexpr int64_t kOutputId = 3;
// Ways that are looked at before the library is said to have none.
constexpr int64_t kMostWays = 16;
// A plan's own statement has been seen to be too small by some MiB where it was made for another card.
constexpr int64_t kMostWorkspace = int64_t{1} << 30;

Result<cudnnDataType_t> DataTypeOf(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return CUDNN_DATA_HALF;
    case DType::kBfloat16:
      return CUDNN_DATA_BFLOAT16;
    case DType::kFloat:
      return CUDNN_DATA_FLOAT;
    case DType::kDouble:
      return CUDNN_DATA_DOUBLE;
    default:
      return Unimplemented("cuDNN has no convolution of ", dtype);
  }
}

// Of dense memory, with the second dimension innermost or in its place.
std::vector<int64_t> StridesOf(const std::vector<int64_t>& dims, bool channels_first) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  if (!channels_first) {
    strides[1] = 1;
    stride = dims[1];
  }
  for (size_t d = dims.size(); d-- > 0;) {
    if (d == 1 && !channels_first) continue;
    strides[d] = stride;
    stride *= dims[d];
  }
  return strides;
}

class ConvPlanner {
 public:
  ConvPlanner(const Cudnn& cudnn, cudnnHandle_t handle, const LibraryConvShape& shape, DType dtype)
      : cudnn_(cudnn), handle_(handle), shape_(shape), dtype_(dtype) {}

  // The operation as a graph; what it is made of goes to `kept`.
  Result<CudnnDescriptor> Describe(ConvResult result, std::vector<CudnnDescriptor>& kept) const {
    DF_ASSIGN(CudnnDescriptor x, Tensor(kInputId, shape_.input));
    DF_ASSIGN(CudnnDescriptor w, Tensor(kFilterId, shape_.filter));
    DF_ASSIGN(CudnnDescriptor y, Tensor(kOutputId, shape_.output));
    DF_ASSIGN(CudnnDescriptor conv, Convolution());
    DF_ASSIGN(CudnnDescriptor operation, Operation(result, x, w, y, conv));
    CudnnDescriptor graph(cudnn_, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, "make a graph of a convolution");
    graph.SetOne(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle_);
    graph.SetDescriptor(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    DF_TRY(graph.Finalize());
    for (CudnnDescriptor* made : {&x, &w, &y, &conv, &operation}) kept.push_back(std::move(*made));
    return graph;
  }

  // The first way that is taken, as a plan. `workspace_bytes` gets what it needs.
  Result<std::unique_ptr<CudnnDescriptor>> Choose(const CudnnDescriptor& graph, std::vector<CudnnDescriptor>& kept,
                                                  int64_t& workspace_bytes) const {
    for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
      CudnnDescriptor heuristic(cudnn_, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, "look for ways to convolve");
      heuristic.SetDescriptor(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
      heuristic.SetOne(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
      if (!heuristic.Finalize().ok()) continue;
      DF_ASSIGN(std::vector<CudnnDescriptor> ways, Ways(heuristic));
      for (CudnnDescriptor& way : ways) {
        if (!MayTake(way)) continue;
        auto plan =
            std::make_unique<CudnnDescriptor>(cudnn_, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, "plan a convolution");
        plan->SetOne(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle_);
        plan->SetDescriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, way);
        if (!plan->Finalize().ok()) continue;
        DF_TRY(plan->Get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &workspace_bytes).status());
        if (workspace_bytes > kMostWorkspace) continue;
        kept.push_back(std::move(way));
        return plan;
      }
    }
    return Unimplemented("cuDNN has no way to convolve ", dtype_,
                         " of these sizes whose results are the same each time");
  }

 private:
  bool is_double() const { return dtype_ == DType::kDouble; }

  Result<CudnnDescriptor> Tensor(int64_t id, const std::vector<int64_t>& dims) const {
    DF_ASSIGN(const cudnnDataType_t type, DataTypeOf(dtype_));
    CudnnDescriptor tensor(cudnn_, CUDNN_BACKEND_TENSOR_DESCRIPTOR, "describe a tensor");
    tensor.SetOne(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
    tensor.SetInts(CUDNN_ATTR_TENSOR_DIMENSIONS, dims);
    tensor.SetInts(CUDNN_ATTR_TENSOR_STRIDES, StridesOf(dims, shape_.channels_first));
    tensor.SetInts(CUDNN_ATTR_TENSOR_UNIQUE_ID, {id});
    tensor.SetInts(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {16});
    DF_TRY(tensor.Finalize());
    return tensor;
  }

  Result<CudnnDescriptor> Convolution() const {
    CudnnDescriptor conv(cudnn_, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, "describe a convolution");
    const cudnnDataType_t computes_in = is_double() ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    conv.SetOne(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, computes_in);
    conv.SetOne(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, mode);
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {static_cast<int64_t>(shape_.strides.size())});
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, shape_.pad_before);
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, shape_.pad_after);
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_DILATIONS, shape_.dilations);
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, shape_.strides);
    DF_TRY(conv.Finalize());
    return conv;
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

  Result<CudnnDescriptor> Operation(ConvResult result, const CudnnDescriptor& x, const CudnnDescriptor& w,
                                    const CudnnDescriptor& y, const CudnnDescriptor& conv) const {
    const Names names = NamesOf(result);
    CudnnDescriptor operation(cudnn_, names.type, "describe a convolution's operation");
    operation.SetDescriptor(names.conv, conv);
    operation.SetDescriptor(names.x, x);
    operation.SetDescriptor(names.w, w);
    operation.SetDescriptor(names.y, y);
    if (is_double()) {
      operation.SetOne(names.alpha, CUDNN_TYPE_DOUBLE, 1.0);
      operation.SetOne(names.beta, CUDNN_TYPE_DOUBLE, 0.0);
    } else {
      operation.SetOne(names.alpha, CUDNN_TYPE_FLOAT, 1.0F);
      operation.SetOne(names.beta, CUDNN_TYPE_FLOAT, 0.0F);
    }
    DF_TRY(operation.Finalize());
    return operation;
  }

  Result<std::vector<CudnnDescriptor>> Ways(const CudnnDescriptor& heuristic) const {
    std::vector<CudnnDescriptor> ways;
    std::vector<cudnnBackendDescriptor_t> places;
    for (int64_t i = 0; i < kMostWays; ++i) {
      ways.emplace_back(cudnn_, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, "ask for a way to convolve");
      places.push_back(ways.back().get());
    }
    DF_ASSIGN(const int64_t count,
              heuristic.Get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, kMostWays, places.data()));
    while (static_cast<int64_t>(ways.size()) > count) ways.pop_back();
    return ways;
  }

  // Whether results are the same each time, and as exact as the dtype is.
  bool MayTake(const CudnnDescriptor& way) const {
    CudnnDescriptor engine(cudnn_, CUDNN_BACKEND_ENGINE_DESCRIPTOR, "ask for an engine");
    cudnnBackendDescriptor_t place = engine.get();
    if (!way.Get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &place).ok()) return false;
    cudnnBackendNumericalNote_t notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
    const Result<int64_t> count =
        engine.Get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT, notes);
    if (!count.ok()) return false;
    const auto has = [&](cudnnBackendNumericalNote_t note) {
      return std::find(notes, notes + *count, note) != notes + *count;
    };
    if (has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)) return false;
    if (has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)) return false;
    const bool is_float = dtype_ == DType::kFloat;
    return !is_float || (!has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE) && !has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS));
  }

  const Cudnn& cudnn_;
  const cudnnHandle_t handle_;
  const LibraryConvShape& shape_;
  const DType dtype_;
};

}  // namespace

Result<std::shared_ptr<const LibraryConv>> LibraryConv::Create(ConvResult result, const LibraryConvShape& shape,
                                                               DType dtype, int card) {
  if (!Cudnn::Get().ok()) return Cudnn::Get().status();
  const Cudnn& cudnn = **Cudnn::Get();
  std::shared_ptr<LibraryConv> made(new LibraryConv(cudnn));
  DF_ASSIGN(made->handle_, cudnn.Handle(card));
  const ConvPlanner planner(cudnn, made->handle_, shape, dtype);
  DF_ASSIGN(CudnnDescriptor graph, planner.Describe(result, made->kept_));
  DF_ASSIGN(made->plan_, planner.Choose(graph, made->kept_, made->workspace_bytes_));
  made->kept_.push_back(std::move(graph));
  return std::shared_ptr<const LibraryConv>(std::move(made));
}

Status LibraryConv::Run(OpContext& ctx, const void* input, const void* filter, const void* output) const {
  DF_ASSIGN(Tensor workspace, ctx.AllocateTemp(DType::kUint8, Shape({workspace_bytes_})));
  const std::vector<int64_t> ids = {kInputId, kFilterId, kOutputId};
  const void* data[] = {input, filter, output};
  void* const work = workspace.raw();
  CudnnDescriptor pack(cudnn_, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "bind a convolution's tensors");
  pack.SetInts(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
  pack.Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, data);
  pack.SetOne(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, work);
  DF_TRY(pack.Finalize());
  static Mutex& mu = *new Mutex();  // a handle is one thread's at a time
  MutexLock lock(mu);
  return EnqueueLibraryCall(ctx, static_cast<size_t>(workspace_bytes_), [&](cudaStream_t stream) -> Status {
    DF_TRY(cudnn_.Check(cudnn_.cudnnSetStream(handle_, stream), "use a stream"));
    return cudnn_.Check(cudnn_.cudnnBackendExecute(handle_, plan_->get(), pack.get()), "convolve");
  });
}

}  // namespace dfrun::cuda
