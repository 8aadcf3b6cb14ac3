#include "kernels/device/cuda/library/graph_plan.h"

#include <algorithm>
#include <utility>

#include "kernels/device/cuda/library/library.h"

namespace dfrun::cuda {
namespace {

// The number of engine configurations that are tried before the library is said to have none.
constexpr int64_t kMaxWays = 16;
// A plan's own statement has been seen to be too small by some MiB where it was made for another GPU.
constexpr int64_t kMaxWorkspace = int64_t{1} << 30;

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

bool MayTake(const Cudnn& cudnn, const CudnnRules& rules, const CudnnDescriptor& way) {
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
  if (rules.arithmetic.deterministic && has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)) return false;
  if (has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)) return false;
  if (rules.dtype != DType::kFloat || rules.arithmetic.tf32) return true;
  return !has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE) && !has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
}

}  // namespace

Result<CudnnTarget> CudnnTarget::OfDescription(const Cudnn& cudnn, const std::string& json) {
  constexpr size_t kFirstVersion = 90800;
  if (cudnn.cudnnGetVersion() < kFirstVersion) {
    return Unimplemented("cuDNN ", cudnn.cudnnGetVersion(), " makes plans for GPUs that are here alone");
  }
  auto description =
      std::make_shared<CudnnDescriptor>(cudnn, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, "read the description of a GPU");
  description->Set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, static_cast<int64_t>(json.size()),
                   json.data());
  DF_TRY(description->Finalize());
  return CudnnTarget(cudnn, nullptr, std::move(description));
}

void CudnnTarget::SetOnGraph(CudnnDescriptor& graph) const {
  if (description_ == nullptr) graph.SetOne(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle_);
}

// Never with a number of multiprocessors: plans then avoid the fast engines of large GPUs.
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

Result<cudnnDataType_t> CudnnTypeOf(DType dtype) {
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
      return Unimplemented("cuDNN does not compute with ", dtype);
  }
}

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

Result<cudnnBackendDescriptor_t> CudnnGraph::AddTensor(const CudnnTensor& t) {
  CudnnDescriptor tensor = Describe(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.SetOne(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, t.type);
  tensor.SetInts(CUDNN_ATTR_TENSOR_DIMENSIONS, t.dims);
  tensor.SetInts(CUDNN_ATTR_TENSOR_STRIDES, t.strides);
  tensor.SetInts(CUDNN_ATTR_TENSOR_UNIQUE_ID, {t.id});
  tensor.SetInts(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {kLibraryAlignment});
  if (t.kind == CudnnTensor::Kind::kInner) tensor.SetOne(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, true);
  if (t.kind == CudnnTensor::Kind::kNumber) tensor.SetOne(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, true);
  return Keep(std::move(tensor));
}

Result<cudnnBackendDescriptor_t> CudnnGraph::Keep(CudnnDescriptor made) {
  DF_TRY(made.Finalize());
  kept_.push_back(std::move(made));
  return kept_.back().get();
}

Status CudnnGraph::AddOperation(CudnnDescriptor operation) {
  DF_ASSIGN(const cudnnBackendDescriptor_t made, Keep(std::move(operation)));
  operations_.push_back(made);
  return Status();
}

Status CudnnGraph::AddPointwise(const CudnnPointwise& p) {
  CudnnDescriptor pointwise = Describe(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  pointwise.SetOne(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, p.mode);
  pointwise.SetOne(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, p.computes_in);
  if (p.axis >= 0) pointwise.SetInts(CUDNN_ATTR_POINTWISE_AXIS, {p.axis});
  DF_ASSIGN(const cudnnBackendDescriptor_t described, Keep(std::move(pointwise)));
  CudnnDescriptor operation = Describe(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.SetOne(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_TYPE_BACKEND_DESCRIPTOR, described);
  operation.SetOne(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, p.x);
  if (p.b != nullptr) operation.SetOne(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, p.b);
  if (p.t != nullptr) operation.SetOne(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, p.t);
  operation.SetOne(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, p.y);
  return AddOperation(std::move(operation));
}

Result<CudnnDescriptor> CudnnGraph::Finish() {
  CudnnDescriptor graph = Describe(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  target_.SetOnGraph(graph);
  graph.Set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<int64_t>(operations_.size()),
            operations_.data());
  DF_TRY(graph.Finalize());
  return graph;
}

// The first way that may be taken and that the library can finish.
Result<std::unique_ptr<const CudnnPlan>> CudnnPlan::Create(CudnnGraph graph, const CudnnRules& rules) {
  const CudnnTarget& target = graph.target();
  std::unique_ptr<CudnnPlan> made(new CudnnPlan(target.cudnn()));
  DF_ASSIGN(CudnnDescriptor finished, graph.Finish());
  size_t offered = 0;
  Status last = Unimplemented("none of them may be taken");
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    CudnnDescriptor heuristic = graph.Describe(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristic.SetDescriptor(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, finished);
    heuristic.SetOne(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
    target.SetOnHeuristic(heuristic);
    if (!heuristic.Finalize().ok()) continue;
    DF_ASSIGN(std::vector<CudnnDescriptor> ways, GetAll(target.cudnn(), heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                                        CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, kMaxWays, graph.what()));
    offered += ways.size();
    for (CudnnDescriptor& way : ways) {
      if (!MayTake(target.cudnn(), rules, way)) continue;
      if (last = made->Take(graph, way); !last.ok()) continue;
      made->kept_ = graph.TakeParts();
      made->kept_.push_back(std::move(finished));
      made->kept_.push_back(std::move(way));
      return std::unique_ptr<const CudnnPlan>(std::move(made));
    }
  }
  return Unimplemented("cuDNN has no way to ", graph.what(), " ", rules.dtype,
                       " of these sizes whose results are the same each time: it offers ", offered, " here",
                       offered == 0 ? "" : "; ", offered == 0 ? "" : last.message());
}

Status CudnnPlan::Take(const CudnnGraph& graph, const CudnnDescriptor& way) {
  auto plan = std::make_unique<CudnnDescriptor>(graph.Describe(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR));
  graph.target().SetOnPlan(*plan);
  plan->SetDescriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, way);
  DF_TRY(plan->Finalize());
  DF_TRY(plan->Get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &workspace_bytes_).status());
  if (workspace_bytes_ > kMaxWorkspace) return Unimplemented("one needs ", workspace_bytes_, " bytes of workspace");
  plan_ = std::move(plan);
  return Status();
}

Result<std::string> CudnnPlan::Knobs(const CudnnDescriptor& way) const {
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

Result<std::string> CudnnPlan::Describe() const {
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
