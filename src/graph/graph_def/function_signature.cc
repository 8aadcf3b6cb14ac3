#include "src/graph/graph_def/function_signature.h"

#include <utility>

#include "src/graph/graph_def/attr_proto.h"

namespace dfrun {
namespace {

Result<ArgDef> ReadArg(const proto::OpDef::ArgDef& from) {
  ArgDef arg;
  arg.name = from.name();
  arg.type_attr = from.type_attr();
  arg.number_attr = from.number_attr();
  arg.type_list_attr = from.type_list_attr();
  arg.is_ref = from.is_ref();
  if (arg.type_attr.empty() && arg.type_list_attr.empty()) {
    Result<DType> dtype = DTypeFromProto(from.type());
    if (!dtype.ok()) return dtype.status().Annotate(StrCat("argument '", from.name(), "'"));
    arg.dtype = *dtype;
  }
  return arg;
}

Result<AttrDef> ReadAttr(const proto::OpDef::AttrDef& from, ExpansionBudget& budget) {
  AttrDef attr;
  attr.name = from.name();
  attr.type = from.type();
  if (from.has_minimum()) attr.minimum = from.minimum();
  if (from.has_default_value()) {
    Result<AttrValue> value = AttrFromProto(from.default_value(), from.type(), budget);
    if (!value.ok()) return value.status().Annotate(StrCat("attr '", from.name(), "'"));
    attr.default_value = *std::move(value);
  }
  return attr;
}

}  // namespace

Result<OpDef> SignatureOf(const proto::FunctionDef& function) {
  const proto::OpDef& from = function.signature();
  OpDef signature;
  signature.name = from.name();
  ExpansionBudget budget;
  for (const auto& arg : from.input_arg()) {
    DF_ASSIGN(ArgDef read, ReadArg(arg));
    signature.inputs.push_back(std::move(read));
  }
  for (const auto& arg : from.output_arg()) {
    DF_ASSIGN(ArgDef read, ReadArg(arg));
    signature.outputs.push_back(std::move(read));
  }
  for (const auto& attr : from.attr()) {
    DF_ASSIGN(AttrDef read, ReadAttr(attr, budget));
    signature.attrs.push_back(std::move(read));
  }
  signature.is_stateful = from.is_stateful();
  return signature;
}

}  // namespace dfrun
