#include "tests/conformance/kernels/case_variables.h"

#include <algorithm>

#include "src/framework/op/op.h"

namespace dfrun::testing {
namespace {

bool TakesRefs(const std::string& op) {
  const OpDef* def = OpRegistry::Builtin().Find(op);
  return def != nullptr &&
         std::any_of(def->inputs.begin(), def->inputs.end(), [](const ArgDef& input) { return input.is_ref; });
}

RefPtr<Variable> MakeVariable(const std::string& name, const Tensor& value, bool declare_shape, Device& device) {
  const PartialShape shape = declare_shape && value.initialized() ? PartialShape(value.shape()) : PartialShape();
  RefPtr<Variable> variable(new Variable(name, value.dtype(), shape));
  if (value.initialized()) {
    MutexLock lock(variable->mu());
    const Status status = variable->Assign(value, device);
    DF_CHECK(status.ok());
  }
  return variable;
}

RefPtr<LookupTable> MakeTable(const GoldenTable& golden) {
  const TableContents& contents = golden.contents;
  const TableType type{contents.keys.dtype(), contents.values.dtype(), Shape(), golden.op != "HashTableV2"};
  const Result<LookupTable*> made = LookupTable::Create(golden.op, type);
  DF_CHECK(made.ok());
  RefPtr<LookupTable> table(*made);
  if (contents.keys.initialized()) {
    const Status filled = type.is_mutable ? table->Insert(contents.keys, contents.values)
                                          : table->Initialize(contents.keys, contents.values);
    DF_CHECK(filled.ok());
  }
  return table;
}

Tensor Handle(const std::string& name, Resource* object) {
  return Tensor::Scalar(ResourceHandle(name, RefPtr<Resource>(object)));
}

}  // namespace

CaseVariables::CaseVariables(const GoldenCase& c, bool declare_shapes, Device& device)
    : device_(device), inputs_(c.inputs) {
  const bool refs = TakesRefs(c.op);
  for (size_t i : c.variables) {
    const std::string name = StrCat("variable", i);
    variables_.push_back(MakeVariable(name, c.inputs[i], declare_shapes, device));
    Variable* const variable = variables_.back().get();
    inputs_[i] = refs ? Tensor::Reference(variable->dtype(), variable) : Handle(name, variable);
  }
  for (const GoldenTable& golden : c.tables) {
    tables_.push_back(MakeTable(golden));
    inputs_[golden.input] = Handle(golden.op, tables_.back().get());
  }
}

std::vector<Tensor> CaseVariables::Values() const {
  std::vector<Tensor> values;
  for (const RefPtr<Variable>& variable : variables_) {
    Result<Tensor> value = device_.ToHostMemory(variable->value());
    DF_CHECK(value.ok());
    values.push_back(*std::move(value));
  }
  return values;
}

std::vector<TableContents> CaseVariables::Held() const {
  std::vector<TableContents> held;
  for (const RefPtr<LookupTable>& table : tables_) {
    TableContents& contents = held.emplace_back();
    const Status status = table->Export(SystemAllocator(), &contents.keys, &contents.values);
    DF_CHECK(status.ok() || status.code() == Code::kFailedPrecondition);
  }
  return held;
}

}  // namespace dfrun::testing
