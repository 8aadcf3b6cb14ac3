#include "tests/conformance/kernels/case_variables.h"

#include <algorithm>

#include "src/framework/op.h"

namespace dfrun::testing {
namespace {

bool TakesRefs(const std::string& op) {
  const OpDef* def = OpRegistry::Builtin().Find(op);
  return def != nullptr &&
         std::any_of(def->inputs.begin(), def->inputs.end(), [](const ArgDef& input) { return input.is_ref; });
}

RefPtr<Variable> MakeVariable(const std::string& name, const Tensor& value, bool declare_shape) {
  const PartialShape shape = declare_shape && value.initialized() ? PartialShape(value.shape()) : PartialShape();
  RefPtr<Variable> variable(new Variable(name, value.dtype(), shape));
  if (value.initialized()) {
    MutexLock lock(variable->mu());
    const Status status = variable->Assign(value, SystemAllocator());
    DF_CHECK(status.ok());
  }
  return variable;
}

}  // namespace

CaseVariables::CaseVariables(const GoldenCase& c, bool declare_shapes) : inputs_(c.inputs) {
  const bool refs = TakesRefs(c.op);
  for (size_t i : c.variables) {
    const std::string name = StrCat("variable", i);
    variables_.push_back(MakeVariable(name, c.inputs[i], declare_shapes));
    Variable* const variable = variables_.back().get();
    inputs_[i] = refs ? Tensor::Reference(variable->dtype(), variable)
                      : Tensor::Scalar(ResourceHandle(name, RefPtr<Resource>(variable)));
  }
}

std::vector<Tensor> CaseVariables::Values() const {
  std::vector<Tensor> values;
  for (const RefPtr<Variable>& variable : variables_) values.push_back(variable->value());
  return values;
}

}  // namespace dfrun::testing
