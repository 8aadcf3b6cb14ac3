#include "src/autodiff/node_adder.h"

#include <algorithm>

#include "src/framework/values/element_types.h"

namespace dfrun {

std::string GradientPrefix(std::string_view scope, std::string_view name) {
  return StrCat(scope, "/", name, "_grad/");
}

AddedNode NodeAdder::Add(std::string_view op, const std::vector<Output>& inputs, AttrMap attrs) {
  if (!status_.ok()) return {};
  if (!std::all_of(inputs.begin(), inputs.end(), [](Output input) { return input.valid(); })) {
    Fail(Internal("a gradient's node '", prefix_, op, "' has an input that is no value"));
    return {};
  }
  NodeSpec spec;
  spec.name = graph_.UniqueName(prefix_ + std::string(op));
  spec.op = op;
  spec.inputs = inputs;
  spec.attrs = std::move(attrs);
  spec.colocate_with = colocate_with_;
  Result<NodeId> added = sink_ == nullptr ? graph_.AddNode(std::move(spec)) : sink_->AddNode(std::move(spec));
  if (!added.ok()) {
    Fail(std::move(added).status());
    return {};
  }
  return {*added};
}

Output NodeAdder::Const(Tensor value) {
  const DType dtype = value.dtype();
  return Add("Const", {}, {{"dtype", dtype}, {"value", std::move(value)}});
}

Output NodeAdder::Scalar(DType dtype, double value) {
  Tensor scalar;
  const bool numeric =
      VisitDType<DF_REAL>(dtype,
                          [&](auto tag) {
                            using T = typename decltype(tag)::type;
                            if constexpr (DTypeOf<T> == DType::kHalf || DTypeOf<T> == DType::kBfloat16) {
                              scalar = Tensor::Scalar(T(static_cast<float>(value)));
                            } else {
                              scalar = Tensor::Scalar(static_cast<T>(value));
                            }
                          }) ||
      VisitDType<std::complex<float>, std::complex<double>>(dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        scalar = Tensor::Scalar(T(static_cast<typename T::value_type>(value), 0));
      });
  if (!numeric) {
    Fail(Internal("a gradient below '", prefix_, "' asks for a numeric constant of dtype ", dtype));
    return {};
  }
  return Const(std::move(scalar));
}

}  // namespace dfrun
