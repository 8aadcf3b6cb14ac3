#include "kernels/device/cuda/conv_plan.h"

#include <algorithm>
#include <utility>

#include "kernels/device/cuda/library.h"

namespace dfrun::cuda {
namespace {

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

// A convolution or a gradient of one, or a convolution and its bias, as the library's graph.
class ConvGraph {
 public:
  // What it is made of goes to `kept`.
  ConvGraph(const CudnnTarget& target, const ConvTask& task, std::vector<CudnnDescriptor>& kept)
      : target_(target), cudnn_(target.cudnn()), task_(task), shape_(task.shape), kept_(kept) {}

  Result<CudnnDescriptor> Build() {
    DF_ASSIGN(type_, DataTypeOf(task_.dtype));
    DF_ASSIGN(const cudnnBackendDescriptor_t x, Tensor(ConvPlan::kInputId, shape_.input, type_));
    DF_ASSIGN(const cudnnBackendDescriptor_t w, Tensor(ConvPlan::kFilterId, shape_.filter, type_));
    DF_ASSIGN(const cudnnBackendDescriptor_t y, Tensor(ConvPlan::kOutputId, shape_.output, type_));
    if (task_.epilogue == ConvEpilogue::kNone) {
      DF_TRY(AddConvolution(x, w, y));
    } else {
      DF_TRY(AddWithBias(x, w, y));
    }
    CudnnDescriptor graph(cudnn_, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, "make a graph of a convolution");
    target_.SetOnGraph(graph);
    graph.Set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<int64_t>(operations_.size()),
              operations_.data());
    DF_TRY(graph.Finalize());
    return graph;
  }

 private:
  static constexpr int64_t kSumsId = 5;  // of a convolution, before its bias

  bool is_double() const { return task_.dtype == DType::kDouble; }
  cudnnDataType_t computes_in() const { return is_double() ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT; }

  Result<cudnnBackendDescriptor_t> Keep(CudnnDescriptor made) {
    DF_TRY(made.Finalize());
    kept_.push_back(std::move(made));
    return kept_.back().get();
  }

  // `is_inner`: one that never lies in memory.
  Result<cudnnBackendDescriptor_t> Tensor(int64_t id, const std::vector<int64_t>& dims, cudnnDataType_t type,
                                          bool is_inner = false) {
    CudnnDescriptor tensor(cudnn_, CUDNN_BACKEND_TENSOR_DESCRIPTOR, "describe a tensor");
    tensor.SetOne(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
    tensor.SetInts(CUDNN_ATTR_TENSOR_DIMENSIONS, dims);
    tensor.SetInts(CUDNN_ATTR_TENSOR_STRIDES, StridesOf(dims, shape_.channels_first));
    tensor.SetInts(CUDNN_ATTR_TENSOR_UNIQUE_ID, {id});
    tensor.SetInts(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {kLibraryAlignment});
    if (is_inner) tensor.SetOne(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, true);
    return Keep(std::move(tensor));
  }

  // Sums of the convolution are float32 until the bias is added.
  Status AddWithBias(cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t w, cudnnBackendDescriptor_t y) {
    std::vector<int64_t> channels(shape_.output.size(), 1);
    channels[1] = shape_.output[1];
    DF_ASSIGN(const cudnnBackendDescriptor_t bias, Tensor(ConvPlan::kBiasId, channels, type_));
    DF_ASSIGN(const cudnnBackendDescriptor_t sums, Tensor(kSumsId, shape_.output, computes_in(), /*is_inner=*/true));
    DF_TRY(AddConvolution(x, w, sums));
    return AddBias(sums, bias, y);
  }

  Result<cudnnBackendDescriptor_t> Convolution() {
    CudnnDescriptor conv(cudnn_, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, "describe a convolution");
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    conv.SetOne(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, computes_in());
    conv.SetOne(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, mode);
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {static_cast<int64_t>(shape_.strides.size())});
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, shape_.pad_before);
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, shape_.pad_after);
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_DILATIONS, shape_.dilations);
    conv.SetInts(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, shape_.strides);
    return Keep(std::move(conv));
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
    CudnnDescriptor operation(cudnn_, names.type, "describe a convolution's operation");
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
    return AddOperation(std::move(operation));
  }

  Status AddBias(cudnnBackendDescriptor_t sums, cudnnBackendDescriptor_t bias, cudnnBackendDescriptor_t y) {
    CudnnDescriptor addition(cudnn_, CUDNN_BACKEND_POINTWISE_DESCRIPTOR, "describe the addition of a bias");
    const cudnnPointwiseMode_t mode = CUDNN_POINTWISE_ADD;
    addition.SetOne(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
    addition.SetOne(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, computes_in());
    DF_ASSIGN(const cudnnBackendDescriptor_t described, Keep(std::move(addition)));
    CudnnDescriptor operation(cudnn_, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, "describe the addition of a bias");
    operation.SetOne(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_TYPE_BACKEND_DESCRIPTOR, described);
    operation.SetOne(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, sums);
    operation.SetOne(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, bias);
    operation.SetOne(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, y);
    return AddOperation(std::move(operation));
  }

  Status AddOperation(CudnnDescriptor operation) {
    DF_ASSIGN(const cudnnBackendDescriptor_t made, Keep(std::move(operation)));
    operations_.push_back(made);
    return Status();
  }

  const CudnnTarget& target_;
  const Cudnn& cudnn_;
  const ConvTask& task_;
  const LibraryConvShape& shape_;
  std::vector<CudnnDescriptor>& kept_;
  cudnnDataType_t type_ = CUDNN_DATA_FLOAT;
  std::vector<cudnnBackendDescriptor_t> operations_;
};

// Descriptors for the library to fill, and how many of them it has filled.
Result<std::vector<CudnnDescriptor>> GetAll(const Cudnn& cudnn, const CudnnDescriptor& of,
                                            cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type,
                                            int64_t most, std::string_view what) {
  std::vector<CudnnDescriptor> made;
  std::vector<cudnnBackendDescriptor_t> slots;
  for (int64_t i = 0; i < most; ++i) {
    made.emplace_back(cudnn, type, what);
    slots.push_back(made.back().get());
  }
  DF_ASSIGN(const int64_t count, of.Get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, slots.data()));
  while (static_cast<int64_t>(made.size()) > count) made.pop_back();
  return made;
}

// Whether results are the same each time, and as exact as the dtype is, or the arithmetic asks for less.
bool MayTake(const Cudnn& cudnn, const ConvTask& task, const CudnnDescriptor& way) {
  const auto engines =
      GetAll(cudnn, way, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1, "ask for an engine");
  if (!engines.ok() || engines->empty()) return false;
  cudnnBackendNumericalNote_t notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
  const Result<int64_t> count = (*engines)[0].Get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                                  CUDNN_NUMERICAL_NOTE_TYPE_COUNT, notes);
  if (!count.ok()) return false;
  const auto has = [&](cudnnBackendNumericalNote_t note) {
    return std::find(notes, notes + *count, note) != notes + *count;
  };
  if (task.arithmetic.deterministic && has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)) return false;
  if (has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)) return false;
  if (task.dtype != DType::kFloat || task.arithmetic.tf32) return true;
  return !has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE) && !has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
}

}  // namespace

Result<CudnnTarget> CudnnTarget::OfDescription(const Cudnn& cudnn, const std::string& json) {
  constexpr size_t kFirstVersion = 90800;
  if (cudnn.cudnnGetVersion() < kFirstVersion) {
    return Unimplemented("cuDNN ", cudnn.cudnnGetVersion(), " makes plans for cards that are here alone");
  }
  auto description =
      std::make_shared<CudnnDescriptor>(cudnn, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, "read the description of a card");
  description->Set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, static_cast<int64_t>(json.size()),
                   json.data());
  DF_TRY(description->Finalize());
  return CudnnTarget(cudnn, nullptr, std::move(description));
}

void CudnnTarget::SetOnGraph(CudnnDescriptor& graph) const {
  if (description_ == nullptr) graph.SetOne(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle_);
}

// Never with a number of multiprocessors: plans then avoid the fast engines of large cards.
void CudnnTarget::SetOnHeuristic(CudnnDescriptor& heuristic) const {
  if (description_ != nullptr) heuristic.SetDescriptor(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *description_);
}

void CudnnTarget::SetOnPlan(CudnnDescriptor& plan) const {
  if (description_ == nullptr) {
    plan.SetOne(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle_);
  } else {
    plan.SetDescriptor(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *description_);
  }
}

// The first way that may be taken and that the library can finish.
Result<std::unique_ptr<const ConvPlan>> ConvPlan::Create(const CudnnTarget& target, const ConvTask& task) {
  const Cudnn& cudnn = target.cudnn();
  std::unique_ptr<ConvPlan> made(new ConvPlan(cudnn));
  DF_ASSIGN(CudnnDescriptor graph, ConvGraph(target, task, made->kept_).Build());
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    CudnnDescriptor heuristic(cudnn, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, "look for ways to convolve");
    heuristic.SetDescriptor(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    heuristic.SetOne(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
    target.SetOnHeuristic(heuristic);
    if (!heuristic.Finalize().ok()) continue;
    DF_ASSIGN(std::vector<CudnnDescriptor> ways,
              GetAll(cudnn, heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, kMostWays,
                     "ask for a way to convolve"));
    for (CudnnDescriptor& way : ways) {
      if (!MayTake(cudnn, task, way)) continue;
      auto plan =
          std::make_unique<CudnnDescriptor>(cudnn, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, "plan a convolution");
      target.SetOnPlan(*plan);
      plan->SetDescriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, way);
      if (!plan->Finalize().ok()) continue;
      DF_TRY(
          plan->Get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &made->workspace_bytes_).status());
      if (made->workspace_bytes_ > kMostWorkspace) continue;
      made->plan_ = std::move(plan);
      made->kept_.push_back(std::move(graph));
      made->kept_.push_back(std::move(way));
      return std::unique_ptr<const ConvPlan>(std::move(made));
    }
  }
  return Unimplemented("cuDNN has no way to convolve ", task.dtype,
                       " of these sizes whose results are the same each time");
}

Result<std::string> ConvPlan::Knobs(const CudnnDescriptor& way) const {
  DF_ASSIGN(const std::vector<CudnnDescriptor> choices,
            GetAll(cudnn_, way, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR,
                   CUDNN_KNOB_TYPE_COUNTS, "ask for the choices of a plan"));
  std::string text;
  for (const CudnnDescriptor& choice : choices) {
    cudnnBackendKnobType_t knob{};
    int64_t value = 0;
    DF_TRY(choice.Get(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &knob).status());
    DF_TRY(choice.Get(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1, &value).status());
    text += StrCat(" ", static_cast<int>(knob), "=", value);
  }
  return text;
}

Result<std::string> ConvPlan::Describe() const {
  const CudnnDescriptor& way = kept_.back();
  DF_ASSIGN(const std::vector<CudnnDescriptor> engines,
            GetAll(cudnn_, way, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1, "ask for an engine"));
  if (engines.empty()) return Internal("a plan of cuDNN has no engine");
  int64_t engine = 0;
  DF_TRY(engines[0].Get(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &engine).status());
  DF_ASSIGN(const std::string knobs, Knobs(way));
  return StrCat("engine ", engine, ", knobs", knobs.empty() ? " none" : knobs, ", ", workspace_bytes_,
                " bytes of workspace");
}

}  // namespace dfrun::cuda
