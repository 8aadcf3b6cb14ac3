// Lowers variables and their first values.
#include <algorithm>
#include <limits>
#include <utility>

#include "src/spec/attr_value.h"
#include "src/spec/lowering.h"
#include "src/spec/schema/node_keys.h"
#include "src/spec/schema/schema.h"

namespace dfrun {
namespace {

std::optional<VariableArgs> ReadVariableArgs(const Expr& call, Diagnostics& diagnostics) {
  VariableArgs args;
  for (const KeywordArg& k : call.keywords) {
    const Expr** slot = k.name == "shape"         ? &args.shape
                        : k.name == "init"        ? &args.init
                        : k.name == "dtype"       ? &args.dtype
                        : k.name == "trainable"   ? &args.trainable
                        : k.name == "reduce"      ? &args.reduce
                        : k.name == "finite"      ? &args.finite
                        : k.name == "container"   ? &args.container
                        : k.name == "shared_name" ? &args.shared_name
                                                  : nullptr;
    if (slot == nullptr) {
      diagnostics.Error(k.location, "unknown attr '", k.name, "' of Variable",
                        DidYouMean(k.name, NamesOf(VariableKeys())));
      return {};
    }
    *slot = &k.value;
  }
  if (!call.items.empty()) {
    diagnostics.Error(call.items[0].location, "a Variable has no inputs: write shape=, init=");
    return {};
  }
  for (auto [slot, name] : {std::pair{args.shape, "shape"}, std::pair{args.init, "init"}}) {
    if (slot != nullptr) continue;
    diagnostics.Error(call.location, "Variable needs '", name, "'");
    return {};
  }
  return args;
}

// Reads a bool attr.
std::optional<bool> ReadBool(const char* name, const Expr& value, const FoldCall& fold_call, Diagnostics& diagnostics) {
  const std::optional<AttrValue> read =
      ToAttrValue({name, "bool", {}, {}, {}, {}}, value, DType::kInvalid, fold_call, diagnostics);
  return read ? std::optional(*read->get<bool>()) : std::nullopt;
}

std::optional<VariableSpec::Reduce> ReadReduce(const Expr& value, DType dtype, const FoldCall& fold_call,
                                               Diagnostics& diagnostics) {
  const std::optional<AttrValue> read =
      ToAttrValue({"reduce", "string", {}, {}, {}, {}}, value, DType::kInvalid, fold_call, diagnostics);
  if (!read) return {};
  const std::string& word = *read->get<std::string>();
  const std::vector<std::string>& words = FindKeyDef(VariableKeys(), "reduce")->choices;
  if (std::find(words.begin(), words.end(), word) == words.end()) {
    diagnostics.Error(value.location, "'reduce' is one of mean, sum and first, not '", word, "'",
                      DidYouMean(word, words));
    return {};
  }
  const bool has_sum = IsFloating(dtype) || IsComplex(dtype) || IsInteger(dtype);
  if (word == "mean" && !IsFloating(dtype)) {
    diagnostics.Error(value.location, "there is no mean of ", dtype,
                      ": write reduce: ", has_sum ? "sum or first" : "first");
    return {};
  }
  if (word == "sum" && !has_sum) {
    diagnostics.Error(value.location, "there is no sum of ", dtype, ": write reduce: first");
    return {};
  }
  return word == "mean"  ? VariableSpec::Reduce::kMean
         : word == "sum" ? VariableSpec::Reduce::kSum
                         : VariableSpec::Reduce::kFirst;
}

Constant ScalarConstant(int64_t value) {
  Constant constant;
  constant.elements.emplace_back(value);
  return constant;
}

}  // namespace

std::optional<Lowering::VariableType> Lowering::ReadVariableType(const ExprContext& context, const VariableArgs& args) {
  const FoldCall fold_call = [&](const Expr& call) { return FoldCallOf(context, call); };
  const std::optional<PartialShape> partial = ToShape(*args.shape, fold_call, diagnostics_);
  const std::optional<DType> dtype = args.dtype == nullptr ? DType::kFloat : ToDType(*args.dtype, diagnostics_);
  if (!partial || !dtype) return {};
  const Result<Shape> shape = partial->ToShape();
  if (!shape.ok()) {
    diagnostics_.Error(args.shape->location,
                       "a variable needs a shape that is fully known: ", shape.status().message());
    return {};
  }
  VariableType type{{*dtype, *shape}, IsFloating(*dtype) || IsComplex(*dtype)};
  if (args.finite != nullptr) {
    const std::optional<bool> finite = ReadBool("finite", *args.finite, fold_call, diagnostics_);
    if (!finite) return {};
    type.finite = *finite;
  }
  if (args.reduce != nullptr) {
    const std::optional<VariableSpec::Reduce> reduce = ReadReduce(*args.reduce, *dtype, fold_call, diagnostics_);
    if (!reduce) return {};
    type.reduce = *reduce;
  }
  if (args.trainable == nullptr) return type;
  const std::optional<bool> trainable = ReadBool("trainable", *args.trainable, fold_call, diagnostics_);
  if (!trainable) return {};
  if (*trainable && !type.trainable) {
    diagnostics_.Error(args.trainable->location, "a variable of dtype ", *dtype,
                       " cannot be trained: it has no gradient");
    return {};
  }
  type.trainable = *trainable;
  return type;
}

std::optional<Value> Lowering::LowerVariable(const ExprContext& context, const Expr& call,
                                             const std::string& own_name) {
  if (!flow_.empty()) {
    diagnostics_.ErrorOfCall(call.location, "a Variable in '", flow_.back().scope, "', which is part of a ",
                             flow_.back().is_loop() ? "While" : "Cond", "; make it outside and use it by its name");
    return {};
  }
  const std::optional<VariableArgs> args = ReadVariableArgs(call, diagnostics_);
  if (!args) return {};
  const std::optional<VariableType> type = ReadVariableType(context, *args);
  if (!type) return {};
  NodeSpec spec;
  spec.name = own_name.empty() ? FreshName(context.frame, context.scope, "Variable") : own_name;
  spec.op = "VariableV2";
  spec.attrs.Set("shape", *type->value.shape);
  spec.attrs.Set("dtype", type->value.dtype);
  if (args->container != nullptr) spec.attrs.Set("container", std::string(args->container->text));
  if (args->shared_name != nullptr) spec.attrs.Set("shared_name", std::string(args->shared_name->text));
  const std::string init_name = FreshName(context.frame, spec.name, "init");
  const std::optional<NodeId> id = Add(context, std::move(spec), call.location);
  if (!id) return {};

  NodeOptions options;
  options.device = graph_.node(*id).device;
  // The control inputs of a call are steps' nodes, but the first values of its variables are made before any step.
  std::vector<NodeId> controls = std::exchange(context.frame.options.controls, {});
  const bool was_in_init = std::exchange(in_init_, true);
  const std::optional<Output> init =
      InitialValue({context.frame, init_name, options, &type->value}, init_name, *args->init);
  in_init_ = was_in_init;
  context.frame.options.controls = std::move(controls);
  if (!init) return {};
  variables_.push_back({*id, *init, type->trainable, type->finite, type->reduce});
  return AllOutputs(*id);
}

std::optional<Output> Lowering::InitialValue(const ExprContext& context, const std::string& name, const Expr& init) {
  const bool is_word = init.is(Expr::Kind::kName) && !context.frame.values.contains(init.text);
  if (is_word && (init.text == "zeros" || init.text == "ones"))
    return LowerConstant(context, name, ScalarConstant(init.text == "ones" ? 1 : 0), init.location);
  const std::optional<Output> value = LowerOne(context, init, name);
  if (!value) return {};
  const WantedValue& wanted = *context.wanted;
  if (graph_.dtype(*value) != wanted.dtype || !graph_.shape(*value).IsCompatibleWith(*wanted.shape)) {
    diagnostics_.Error(init.location, "the variable is ", wanted.dtype, *wanted.shape, ", but its 'init' is ",
                       graph_.dtype(*value), graph_.shape(*value));
    return {};
  }
  return value;
}

std::optional<Output> Lowering::LowerConstant(const ExprContext& context, const std::string& name,
                                              const Constant& value, SourceLocation location) {
  const WantedValue* wanted = context.wanted;
  Result<Tensor> tensor = ToTensor(value, wanted != nullptr ? wanted->dtype : NaturalDType(value));
  if (!tensor.ok()) {
    diagnostics_.Error(location, tensor.status());
    return {};
  }
  // A scalar fills the wanted shape; a list must have it.
  if (wanted == nullptr || !wanted->shape || tensor->shape() == *wanted->shape || tensor->shape().rank() != 0)
    return AddConst(context, name, *std::move(tensor), location);
  std::vector<int32_t> dims;
  for (int64_t size : wanted->shape->dims()) {
    if (size > std::numeric_limits<int32_t>::max()) {
      diagnostics_.Error(location, "a dimension of ", size, " is too large to fill");
      return {};
    }
    dims.push_back(static_cast<int32_t>(size));
  }
  const std::optional<Output> shape = AddConst(context, name + "/dims", Tensor::Vector<int32_t>(dims), location);
  const std::optional<Output> scalar = AddConst(context, name + "/value", *std::move(tensor), location);
  if (!shape || !scalar) return {};
  NodeSpec fill{name, "Fill", {*shape, *scalar}, {}, {}, "", "", {}};
  const std::optional<NodeId> id = Add(context, std::move(fill), location);
  if (!id) return {};
  return Output{*id, 0};
}

std::optional<NodeId> Lowering::AddCounter(const std::string& name, SourceLocation location) {
  NodeSpec spec{name, "VariableV2", {}, {}, {}, "", "", {}};
  spec.attrs.Set("shape", PartialShape::Scalar());
  spec.attrs.Set("dtype", DType::kInt64);
  const std::optional<NodeId> id = AddNode(std::move(spec), location);
  if (!id) return {};
  NodeSpec init{name + "/init", "Const", {}, {}, {}, "", "", {}};
  init.attrs.Set("dtype", DType::kInt64);
  init.attrs.Set("value", Tensor::Scalar<int64_t>(0));
  const std::optional<NodeId> init_id = AddNode(std::move(init), location);
  if (!init_id) return {};
  variables_.push_back({*id, {*init_id, 0}, false});
  return id;
}

}  // namespace dfrun
