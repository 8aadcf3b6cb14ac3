// Resolves a node's attrs: derives all of them from the dtypes of its inputs and the attrs that were given, and checks
// them.
#include <algorithm>

#include "src/base/text.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

template <class T>
constexpr bool kIsVector = false;
template <class T>
constexpr bool kIsVector<std::vector<T>> = true;

// Assigns an inferred attr; an explicit or earlier inferred value must agree.
Status Infer(const OpDef& op, const ArgDef& arg, const std::string& attr, AttrValue value, AttrMap& attrs) {
  if (const AttrValue* had = attrs.Find(attr)) {
    if (*had == value) return Status();
    return InvalidArgument(op.name, ": input '", arg.name, "' makes attr '", attr, "' ", value.ToString(),
                           ", but it is already ", had->ToString());
  }
  attrs.Set(attr, std::move(value));
  return Status();
}

std::string Expected(const ArgDef& arg) {
  if (arg.dtype != DType::kInvalid) return std::string(DTypeName(arg.dtype));
  return arg.type_attr;
}

Status CheckOne(const OpDef& op, const ArgDef& arg, const TypedArg& given) {
  if (arg.dtype != DType::kInvalid && given.dtype != arg.dtype) {
    return InvalidArgument(op.name, ": input '", arg.name, "' must be ", Expected(arg), ", but is ", given.dtype);
  }
  if (arg.is_ref && !given.is_ref) {
    return InvalidArgument(op.name, ": input '", arg.name, "' must be a variable (a ref), but is a plain ", given.dtype,
                           " value");
  }
  return Status();
}

Status CountError(const OpDef& op, size_t given) {
  return InvalidArgument(op.name, " got ", given, given == 1 ? " input" : " inputs", "; its signature is ",
                         op.Signature());
}

// Returns the number of inputs that the argument takes, when `left` inputs are left for it and `rest` later arguments.
Result<size_t> ArgLength(const OpDef& op, const ArgDef& arg, const AttrMap& attrs, size_t left, size_t rest,
                         size_t given) {
  if (arg.number_attr.empty() && arg.type_list_attr.empty()) return size_t{1};
  if (!arg.number_attr.empty() && attrs.Has(arg.number_attr)) {
    DF_ASSIGN(int64_t n, attrs.Get<int64_t>(arg.number_attr));
    if (n < 0 || static_cast<size_t>(n) > left) return CountError(op, given);
    return static_cast<size_t>(n);
  }
  if (!arg.type_list_attr.empty() && attrs.Has(arg.type_list_attr)) {
    DF_ASSIGN(std::vector<DType> types, attrs.Get<std::vector<DType>>(arg.type_list_attr));
    return types.size();
  }
  // Arguments that repeat by the same attr share the inputs that the others leave.
  size_t sharing = 1;
  for (const ArgDef* later = &arg + 1; later != op.inputs.data() + op.inputs.size(); ++later)
    sharing += !arg.number_attr.empty() && later->number_attr == arg.number_attr ? 1 : 0;
  const size_t others = rest - (sharing - 1);
  if (left < others || (left - others) % sharing != 0) return CountError(op, given);
  return (left - others) / sharing;
}

Status InferFromInputs(const OpDef& op, const std::vector<TypedArg>& inputs, AttrMap& attrs) {
  size_t at = 0;
  for (size_t a = 0; a < op.inputs.size(); ++a) {
    const ArgDef& arg = op.inputs[a];
    const size_t rest = op.inputs.size() - a - 1;
    DF_ASSIGN(const size_t n, ArgLength(op, arg, attrs, inputs.size() - at, rest, inputs.size()));
    if (inputs.size() - at < n) return CountError(op, inputs.size());
    std::vector<DType> types;
    for (size_t i = at; i < at + n; ++i) {
      DF_TRY(CheckOne(op, arg, inputs[i]));
      types.push_back(inputs[i].dtype);
    }
    if (!arg.number_attr.empty()) DF_TRY(Infer(op, arg, arg.number_attr, static_cast<int64_t>(n), attrs));
    if (!arg.type_list_attr.empty()) DF_TRY(Infer(op, arg, arg.type_list_attr, types, attrs));
    if (!arg.type_attr.empty()) {
      for (DType type : types) DF_TRY(Infer(op, arg, arg.type_attr, type, attrs));
    }
    at += n;
  }
  return at == inputs.size() ? Status() : CountError(op, inputs.size());
}

bool TypeFits(const AttrDef& def, const AttrValue& value) {
  if (value.TypeName() == def.type) return true;
  const auto* list = value.get<std::vector<int64_t>>();  // an empty list of unknown element type
  return list != nullptr && list->empty() && def.type.substr(0, 5) == "list(";
}

// Whether the value is among those allowed; an empty `allowed` allows any.
template <class T>
bool IsAllowed(const std::vector<T>& allowed, const T& value) {
  return allowed.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

Status CheckChoice(const OpDef& op, const AttrDef& def, const AttrValue& value) {
  std::vector<DType> types;
  if (const auto* type = value.get<DType>()) types = {*type};
  if (const auto* list = value.get<std::vector<DType>>()) types = *list;
  for (DType type : types) {
    if (IsAllowed(def.allowed_types, type)) continue;
    return InvalidArgument(op.name, ": attr '", def.name, "' is ", type, ", which is none of ",
                           Join(def.allowed_types));
  }
  const auto* text = value.get<std::string>();
  if (text == nullptr || IsAllowed(def.allowed_strings, *text)) return Status();
  return InvalidArgument(op.name, ": attr '", def.name, "' is '", *text, "', which is none of ",
                         Join(def.allowed_strings));
}

Status CheckMinimum(const OpDef& op, const AttrDef& def, const AttrValue& value) {
  if (!def.minimum) return Status();
  const auto* number = value.get<int64_t>();
  if (number != nullptr && *number < *def.minimum) {
    return InvalidArgument(op.name, ": attr '", def.name, "' is ", *number, ", but must be at least ", *def.minimum);
  }
  const size_t length = std::visit(
      [](const auto& v) -> size_t {
        if constexpr (kIsVector<std::decay_t<decltype(v)>>) return v.size();
        return SIZE_MAX;
      },
      value.variant());
  if (length >= static_cast<size_t>(*def.minimum)) return Status();
  return InvalidArgument(op.name, ": attr '", def.name, "' has ", length, " entries, but must have at least ",
                         *def.minimum);
}

Status CheckAttr(const OpDef& op, const AttrDef& def, const AttrValue& value) {
  if (!TypeFits(def, value)) {
    return InvalidArgument(op.name, ": attr '", def.name, "' must be ", def.type, ", but is ", value.TypeName(), " ",
                           value.ToString());
  }
  DF_TRY(CheckChoice(op, def, value));
  return CheckMinimum(op, def, value);
}

}  // namespace

Result<std::vector<TypedArg>> ExpandArgs(const std::vector<ArgDef>& args, const AttrMap& attrs) {
  std::vector<TypedArg> out;
  for (const ArgDef& arg : args) {
    if (!arg.type_list_attr.empty()) {
      DF_ASSIGN(std::vector<DType> types, attrs.Get<std::vector<DType>>(arg.type_list_attr));
      for (DType t : types) out.push_back({t, arg.is_ref});
      continue;
    }
    int64_t n = 1;
    if (!arg.number_attr.empty()) {
      DF_ASSIGN(n, attrs.Get<int64_t>(arg.number_attr));
    }
    DType dtype = arg.dtype;
    if (dtype == DType::kInvalid) {
      DF_ASSIGN(dtype, attrs.Get<DType>(arg.type_attr));
    }
    if (n < 0 || n > 1'000'000) return InvalidArgument("argument '", arg.name, "' is repeated ", n, " times");
    out.insert(out.end(), static_cast<size_t>(n), TypedArg{dtype, arg.is_ref});
  }
  return out;
}

int ArgOf(const std::vector<ArgDef>& args, const AttrMap& attrs, int number) {
  const auto count = [&](const ArgDef& arg) -> int64_t {
    if (!arg.type_list_attr.empty()) {
      const Result<std::vector<DType>> types = attrs.Get<std::vector<DType>>(arg.type_list_attr);
      return types.ok() ? static_cast<int64_t>(types->size()) : 0;
    }
    if (arg.number_attr.empty()) return 1;
    const Result<int64_t> repeated = attrs.Get<int64_t>(arg.number_attr);
    return repeated.ok() ? *repeated : 0;
  };
  int64_t end = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    end += count(args[i]);
    if (number < end) return static_cast<int>(i);
  }
  return -1;
}

Status ResolveAttrs(const OpDef& op, const std::vector<TypedArg>& inputs, AttrMap& attrs) {
  DF_TRY(InferFromInputs(op, inputs, attrs));
  for (const AttrDef& def : op.attrs) {
    if (!attrs.Has(def.name)) {
      if (def.default_value.empty())
        return InvalidArgument(op.name, " needs the attr '", def.name, "' (", def.type, ")");
      attrs.Set(def.name, def.default_value);
    }
    DF_TRY(CheckAttr(op, def, *attrs.Find(def.name)));
  }
  for (const auto& [name, value] : attrs) {
    if (name[0] == '_' || op.FindAttr(name) != nullptr) continue;
    std::vector<std::string> known;
    for (const AttrDef& def : op.attrs) known.push_back(def.name);
    const std::string near = Nearest(name, known);
    return InvalidArgument("unknown attr '", name, "' of ", op.name,
                           near.empty() ? "" : StrCat(", did you mean '", near, "'?"));
  }
  return Status();
}

}  // namespace dfrun
