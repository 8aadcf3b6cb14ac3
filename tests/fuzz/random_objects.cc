#include "tests/fuzz/random_objects.h"

#include <algorithm>
#include <array>
#include <random>
#include <string_view>
#include <utility>

#include "tests/fuzz/random_case.h"

namespace dfrun::fuzz {
namespace {

// Ops whose names begin so belong to it.
struct Family {
  std::vector<std::string_view> makers;
  std::vector<std::string_view> users;
  bool of_names = false;  // its elements are names of files
};

const std::vector<Family>& Families() {
  static const std::vector<Family> families = {
      {{"FIFOQueue", "PaddingFIFOQueue", "RandomShuffleQueue", "PriorityQueue"}, {"Queue"}},
      {{"ConditionalAccumulator", "SparseConditionalAccumulator", "ResourceConditionalAccumulator"},
       {"Accumulator", "SparseAccumulator", "ResourceAccumulator"}},
      {{"MutexV2"}, {"MutexLock", "MutexAcquire", "ConsumeMutexLock", "MutexRelease"}},
      {{"FIFOQueue", "TextLineReader", "WholeFileReader", "FixedLengthRecordReader", "TFRecordReader",
        "IdentityReader"},
       {"Reader", "QueueEnqueue", "QueueClose"},
       true},
      {{"Stack", "StackV2"}, {"StackPush", "StackPop", "StackClose"}},
      {{"TensorArrayV3"}, {"TensorArray"}},
      {{"EmptyTensorList", "TensorListReserve", "TensorListFromTensor"}, {"TensorList"}},
      {{"OptionalFromValue", "OptionalNone"}, {"Optional"}},
      {{"CollectiveBcastRecv"}, {"Collective", "AllReduce", "AllGather", "ReduceScatter"}},
  };
  return families;
}

bool IsMaker(const Family& family, std::string_view op) {
  return std::any_of(family.makers.begin(), family.makers.end(), [&](std::string_view maker) {
    return op == maker || (op.starts_with(maker) && op.substr(maker.size()) == "V2");
  });
}

bool IsOf(const Family& family, std::string_view op) {
  return IsMaker(family, op) || std::any_of(family.users.begin(), family.users.end(),
                                            [&](std::string_view user) { return op.starts_with(user); });
}

class ObjectMaker {
 public:
  explicit ObjectMaker(uint64_t seed) : random_(seed) {}

  RandomObjects Make(const std::string& with_op) {
    std::vector<const Family*> families;
    for (const Family& family : Families()) {
      if (with_op.empty() || IsOf(family, with_op)) families.push_back(&family);
    }
    if (families.empty()) return std::move(made_);
    const Family& family = *families[Below(families.size())];
    for (const OpDef* op : OpRegistry::Builtin().List()) {
      if (IsMaker(family, op->name)) makers_.push_back(op);
      if (IsOf(family, op->name)) ops_.push_back(op);
    }
    DrawSetting(family.of_names);
    for (size_t i = 1 + Below(2); i > 0; --i) AddNode(*makers_[Below(makers_.size())]);
    for (size_t i = 1 + Below(10); i > 0; --i) AddNode(*ops_[Below(ops_.size())]);
    return std::move(made_);
  }

 private:
  size_t Below(size_t n) { return static_cast<size_t>(random_() % n); }
  bool Chance(size_t percent) { return Below(100) < percent; }

  void DrawSetting(bool of_names) {
    constexpr std::array<DType, 6> kTypes = {DType::kFloat, DType::kDouble, DType::kHalf,
                                             DType::kInt64, DType::kString, DType::kInt32};
    const DType dtype = of_names ? DType::kString : kTypes[Below(kTypes.size())];
    const std::vector<DType> types(of_names ? 1 : 1 + Below(2), dtype);
    std::vector<int64_t> dims(of_names ? 0 : Below(4));
    for (int64_t& dim : dims) dim = static_cast<int64_t>(Below(4));
    setting_.dims = dims;
    element_ = PartialShape(std::move(dims));
    for (const char* attr : {"T", "dtype", "elem_type", "element_dtype", "tensor_type"})
      setting_.attrs.Set(attr, dtype);
    for (const char* attr : {"component_types", "Tcomponents", "Toutput_types", "output_types"}) {
      setting_.attrs.Set(attr, types);
    }
    setting_.attrs.Set("shapes", std::vector<PartialShape>(types.size(), element_));
    for (const char* attr : {"group_size", "group_key", "instance_key"}) setting_.attrs.Set(attr, 1 + Chance(20));
  }

  // The setting, some of it left out.
  Setting DrawnSetting() {
    Setting setting;
    setting.dims = setting_.dims;
    if (Chance(30)) setting.dims.insert(setting.dims.begin(), static_cast<int64_t>(Below(4)));
    for (const auto& [name, value] : setting_.attrs) {
      if (Chance(97)) setting.attrs.Set(name, value);
    }
    if (Chance(70)) setting.attrs.Set("shape", element_);
    if (Chance(70)) setting.attrs.Set("element_shape", Chance(50) ? element_ : PartialShape());
    return setting;
  }

  void AddNode(const OpDef& op) {
    const RandomCase drawn = MakeCaseIn(DrawnSetting(), op, random_());
    NodeSpec spec;
    for (const RandomInput& input : drawn.inputs) {
      const bool needs_object = IsHandle(input.value.dtype()) || input.is_ref;
      if (needs_object && !FindLike(input.value.dtype(), input.is_ref).valid() && Chance(95)) return;
      spec.inputs.push_back(AddInput(input));
    }
    spec.name = StrCat("n", made_.graph.num_nodes());
    spec.op = op.name;
    spec.attrs = drawn.attrs;
    if (Chance(20)) spec.device = StrCat("/job:worker/task:0", Chance(50) ? "/device:cpu:0" : "");
    if (made_.graph.num_nodes() > 0 && Chance(40)) {
      spec.control_inputs = {static_cast<NodeId>(Below(static_cast<size_t>(made_.graph.num_nodes())))};
    }
    const std::string text = drawn.Describe();
    const Result<NodeId> added = made_.graph.AddNode(std::move(spec));
    if (!added.ok()) made_.refused.push_back(StrCat(text, "\n  -> ", added.status().ToString()));
  }

  // An output of an earlier node that is of this sort: the last, or any.
  Output FindLike(DType dtype, bool is_ref) {
    std::vector<Output> fit;
    for (const Node& node : made_.graph.nodes()) {
      for (int32_t port = 0; port < node.num_outputs(); ++port) {
        const TypedArg& type = node.output_types[static_cast<size_t>(port)];
        if (type.dtype == dtype && type.is_ref == is_ref) fit.push_back({node.id, port});
      }
    }
    if (fit.empty()) return {};
    return Chance(60) ? fit.back() : fit[Below(fit.size())];
  }

  Output AddInput(const RandomInput& input) {
    const DType dtype = input.value.dtype();
    if (IsHandle(dtype) || input.is_ref || Chance(25)) {
      if (const Output found = FindLike(dtype, input.is_ref); found.valid()) return found;
    }
    NodeSpec spec;
    spec.name = StrCat("n", made_.graph.num_nodes());
    spec.op = IsHandle(dtype) ? "Placeholder" : input.is_ref ? "VariableV2" : "Const";
    spec.attrs = {{"dtype", dtype}};
    if (spec.op == "Const") spec.attrs.Set("value", input.value);
    if (spec.op == "VariableV2") spec.attrs.Set("shape", PartialShape(input.value.shape()));
    const bool is_hidden = spec.op == "Const" && !input.is_known;
    const Result<NodeId> added = made_.graph.AddNode(std::move(spec));
    DF_CHECK(added.ok());
    return is_hidden ? Hidden({*added, 0}) : Output{*added, 0};
  }

  // The value, where shape inference cannot see it.
  Output Hidden(Output value) {
    NodeSpec spec;
    spec.name = StrCat("n", made_.graph.num_nodes());
    spec.op = "PlaceholderWithDefault";
    spec.inputs = {value};
    spec.attrs = {{"dtype", made_.graph.dtype(value)}, {"shape", PartialShape()}};
    const Result<NodeId> added = made_.graph.AddNode(std::move(spec));
    DF_CHECK(added.ok());
    return {*added, 0};
  }

  std::mt19937_64 random_;
  std::vector<const OpDef*> makers_;
  std::vector<const OpDef*> ops_;
  Setting setting_;
  PartialShape element_;
  RandomObjects made_;
};

}  // namespace

RandomObjects MakeRandomObjects(const std::string& with_op, uint64_t seed) {
  return ObjectMaker(seed).Make(with_op);
}

}  // namespace dfrun::fuzz
