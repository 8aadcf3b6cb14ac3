#include "tests/device/variable_aliases.h"

#include <utility>

namespace dfrun::sealed {

Variable& VariableAliases::Find(Variable& variable) {
  for (const Entry& entry : entries_) {
    if (entry.variable.get() == &variable) return *entry.alias;
  }
  RefPtr<Variable> alias(new Variable(variable.name(), variable.dtype(), variable.declared_shape()));
  MutexLock lock(variable.mu());
  if (variable.initialized()) {
    MutexLock of_alias(alias->mu());
    alias->Replace(device_.AtAlias(variable.value()));
  }
  entries_.push_back({RefPtr<Variable>(&variable), std::move(alias), nullptr});
  Entry& entry = entries_.back();
  entry.data = entry.alias->value().raw();
  return *entry.alias;
}

Variable& VariableAliases::Original(Variable& alias) const {
  for (const Entry& entry : entries_) {
    if (entry.alias.get() == &alias) return *entry.variable;
  }
  return alias;
}

template <class Replace>
Tensor VariableAliases::WithHandles(const Tensor& handles, Replace replace) {
  Tensor replaced(handles.dtype(), handles.shape());
  for (int64_t i = 0; i < handles.num_elements(); ++i) {
    const ResourceHandle& handle = handles.data<ResourceHandle>()[i];
    auto* const variable = dynamic_cast<Variable*>(handle.get());
    replaced.data<ResourceHandle>()[i] =
        variable == nullptr ? handle : ResourceHandle(handle.name(), RefPtr<Resource>(&replace(*variable)));
  }
  return replaced;
}

Tensor VariableAliases::HandlesToAliases(const Tensor& handles) {
  return WithHandles(handles, [&](Variable& variable) -> Variable& { return Find(variable); });
}

Tensor VariableAliases::HandlesToOriginals(const Tensor& handles) const {
  return WithHandles(handles, [&](Variable& alias) -> Variable& { return Original(alias); });
}

Status VariableAliases::WriteBack() {
  for (const Entry& entry : entries_) {
    const Tensor& value = entry.alias->value();
    if (value.raw() == entry.data) continue;
    DF_ASSIGN(Tensor sealed, device_.Sealed(value));
    MutexLock lock(entry.variable->mu());
    entry.variable->Replace(std::move(sealed));
  }
  return Status();
}

}  // namespace dfrun::sealed
