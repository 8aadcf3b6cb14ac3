// Values that a graph is given: constants and feeds.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

MaybeConstant ConstantOfTensor(const ConstantContext& c) {
  const AttrValue* value = c.attrs().Find("value");
  const Tensor* tensor = value == nullptr ? nullptr : value->get<Tensor>();
  if (tensor == nullptr || tensor->shape().rank() > 1) return std::nullopt;
  if (tensor->num_elements() > static_cast<int64_t>(ConstantInts::kMaxElements)) return std::nullopt;
  ConstantInts out{tensor->shape().rank() == 0, {}};
  VisitDType<int32_t, int64_t>(tensor->dtype(), [&](auto tag) {
    for (auto v : tensor->values<typename decltype(tag)::type>()) out.elements.emplace_back(v);
  });
  return out;
}

Status ShapeOfValue(InferenceContext& c) {
  DF_ASSIGN(const Tensor value, c.attr<Tensor>("value"));
  DF_ASSIGN(const DType dtype, c.attr<DType>("dtype"));
  if (value.dtype() != dtype)
    return InvalidArgument("attr 'value' is a ", value.dtype(), " tensor, but attr 'dtype' is ", dtype);
  c.set_output(0, value.shape());
  return Status();
}

void HoldsValue(OpBuilder& op) {
  op.Output("output: dtype").Attr("value: tensor").Attr("dtype: type").Shape(ShapeOfValue).NotDifferentiable();
  op.ConstantValue(&ConstantOfTensor).Total().Cost(NoCost());
}

OP("Const").As(HoldsValue).Alias("Constant").Doc("A tensor that the graph holds.");
OP("_HostConst").As(HoldsValue).Own().Doc("A Const in the memory of the host, whatever the device.");

OP("Placeholder")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape = ?")
    .Shape(ShapeFromAttr("shape"))
    .NotDifferentiable()
    .Cost(NoCost())
    .Doc("A value that must be fed.");

OP("PlaceholderWithDefault")
    .Input("input: dtype")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(PartialShape shape, c.attr<PartialShape>("shape"));
      if (!shape.IsCompatibleWith(c.input(0)))
        return InvalidArgument("the default value has shape ", c.input(0), ", which does not fit attr 'shape' ", shape);
      c.set_output(0, std::move(shape));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.dy(0); })
    .Total()
    .Cost(NoCost())
    .Doc("The input, unless another value is fed in its place.");

}  // namespace
}  // namespace dfrun
