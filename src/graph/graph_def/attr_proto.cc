#include "src/graph/graph_def/attr_proto.h"

#include <utility>

namespace dfrun {
namespace {

void FunctionToProto(const FunctionName& function, proto::NameAttrList& out) {
  out.set_name(function.name);
  for (const auto& [name, value] : function.attrs) AttrToProto(value, (*out.mutable_attr())[name]);
}

// Has one overload for each kind of value.
struct Writer {
  proto::AttrValue& out;

  void operator()(std::monostate) const {}
  void operator()(int64_t v) const { out.set_i(v); }
  void operator()(float v) const { out.set_f(v); }
  void operator()(bool v) const { out.set_b(v); }
  void operator()(const std::string& v) const { out.set_s(v); }
  void operator()(DType v) const { out.set_type(static_cast<proto::DataType>(v)); }
  void operator()(const PartialShape& v) const { ShapeToProto(v, *out.mutable_shape()); }
  void operator()(const Tensor& v) const { TensorToProto(v, *out.mutable_tensor()); }
  void operator()(const FunctionName& v) const { FunctionToProto(v, *out.mutable_func()); }
  template <class T>
  void operator()(const std::vector<T>& list) const {
    out.mutable_list();
    for (const T& v : list) Append(v);
  }
  void operator()(const std::vector<bool>& list) const {
    out.mutable_list();
    for (bool v : list) out.mutable_list()->add_b(v);
  }

 private:
  void Append(int64_t v) const { out.mutable_list()->add_i(v); }
  void Append(float v) const { out.mutable_list()->add_f(v); }
  void Append(const std::string& v) const { out.mutable_list()->add_s(v); }
  void Append(DType v) const { out.mutable_list()->add_type(static_cast<proto::DataType>(v)); }
  void Append(const PartialShape& v) const { ShapeToProto(v, *out.mutable_list()->add_shape()); }
  void Append(const Tensor& v) const { TensorToProto(v, *out.mutable_list()->add_tensor()); }
  void Append(const FunctionName& v) const { FunctionToProto(v, *out.mutable_list()->add_func()); }
};

Result<FunctionName> FunctionFromProto(const proto::NameAttrList& proto, ExpansionBudget& budget) {
  FunctionName out{proto.name(), {}};
  AttrMap sorted;  // a protobuf map has no order of its own
  for (const auto& [name, value] : proto.attr()) {
    DF_ASSIGN(AttrValue attr, AttrFromProto(value, "", budget));
    sorted.Set(name, std::move(attr));
  }
  for (const auto& [name, value] : sorted) out.attrs.emplace_back(name, value);
  return out;
}

AttrValue EmptyList(std::string_view type) {
  if (type == "list(float)") return std::vector<float>();
  if (type == "list(bool)") return std::vector<bool>();
  if (type == "list(string)") return std::vector<std::string>();
  if (type == "list(type)") return std::vector<DType>();
  if (type == "list(shape)") return std::vector<PartialShape>();
  if (type == "list(tensor)") return std::vector<Tensor>();
  if (type == "list(func)") return std::vector<FunctionName>();
  return std::vector<int64_t>();
}

template <class T, class Field, class Convert>
Result<AttrValue> ConvertList(const Field& field, Convert convert) {
  std::vector<T> out;
  out.reserve(static_cast<size_t>(field.size()));
  for (const auto& element : field) {
    DF_ASSIGN(T value, convert(element));
    out.push_back(std::move(value));
  }
  return AttrValue(std::move(out));
}

Result<AttrValue> ListFromProto(const proto::AttrValue::ListValue& list, std::string_view type,
                                ExpansionBudget& budget) {
  if (list.i_size() > 0) return AttrValue(std::vector<int64_t>(list.i().begin(), list.i().end()));
  if (list.f_size() > 0) return AttrValue(std::vector<float>(list.f().begin(), list.f().end()));
  if (list.b_size() > 0) return AttrValue(std::vector<bool>(list.b().begin(), list.b().end()));
  if (list.s_size() > 0) return AttrValue(std::vector<std::string>(list.s().begin(), list.s().end()));
  if (list.type_size() > 0) return ConvertList<DType>(list.type(), DTypeFromProto);
  if (list.shape_size() > 0) return ConvertList<PartialShape>(list.shape(), ShapeFromProto);
  if (list.tensor_size() > 0) {
    return ConvertList<Tensor>(list.tensor(), [&](const auto& t) { return TensorFromProto(t, budget); });
  }
  if (list.func_size() > 0) {
    return ConvertList<FunctionName>(list.func(), [&](const auto& f) { return FunctionFromProto(f, budget); });
  }
  return EmptyList(type);
}

}  // namespace

void AttrToProto(const AttrValue& value, proto::AttrValue& out) {
  std::visit(Writer{out}, value.variant());
}

Result<AttrValue> AttrFromProto(const proto::AttrValue& proto, std::string_view type, ExpansionBudget& budget) {
  switch (proto.value_case()) {
    case proto::AttrValue::kList:
      return ListFromProto(proto.list(), type, budget);
    case proto::AttrValue::kS:
      return AttrValue(proto.s());
    case proto::AttrValue::kI:
      return AttrValue(static_cast<int64_t>(proto.i()));
    case proto::AttrValue::kF:
      return AttrValue(proto.f());
    case proto::AttrValue::kB:
      return AttrValue(proto.b());
    case proto::AttrValue::kType: {
      DF_ASSIGN(const DType dtype, DTypeFromProto(proto.type()));
      return AttrValue(dtype);
    }
    case proto::AttrValue::kShape: {
      DF_ASSIGN(PartialShape shape, ShapeFromProto(proto.shape()));
      return AttrValue(std::move(shape));
    }
    case proto::AttrValue::kTensor: {
      DF_ASSIGN(Tensor tensor, TensorFromProto(proto.tensor(), budget));
      return AttrValue(std::move(tensor));
    }
    case proto::AttrValue::kFunc: {
      DF_ASSIGN(FunctionName function, FunctionFromProto(proto.func(), budget));
      return AttrValue(std::move(function));
    }
    case proto::AttrValue::kPlaceholder:
      return InvalidArgument("it stands for the attr '", proto.placeholder(), "' of a function, outside of a function");
    case proto::AttrValue::VALUE_NOT_SET:
      break;
  }
  return InvalidArgument("it has no value");
}

}  // namespace dfrun
