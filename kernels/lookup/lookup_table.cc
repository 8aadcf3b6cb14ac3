#include "kernels/lookup/lookup_table.h"

namespace dfrun {

std::string LookupTable::DebugString() const {
  return StrCat("table '", name_, "' from ", type_.key, " to ", type_.value, type_.value_shape);
}

Status LookupTable::CheckKeys(const Tensor& keys) const {
  if (keys.dtype() == type_.key) return Status();
  return InvalidArgument("the ", DebugString(), " has no keys of ", keys.dtype());
}

Status LookupTable::CheckValues(const Tensor& keys, const Tensor& values) const {
  DF_TRY(CheckKeys(keys));
  DF_ASSIGN(const Shape wanted, ValuesShape(keys.shape(), type_.value_shape));
  if (values.dtype() == type_.value && values.shape() == wanted) return Status();
  return InvalidArgument("the ", DebugString(), " takes values ", type_.value, wanted, " for keys of shape ",
                         keys.shape(), ", but is given ", values.dtype(), values.shape());
}

Status LookupTable::CheckMutable(const char* what) const {
  if (type_.is_mutable) return Status();
  return Unimplemented(what, " the ", DebugString(), ", which is filled once (use MutableHashTableV2)");
}

Status LookupTable::NotInitialized() const {
  return FailedPrecondition("the ", DebugString(), " is not initialised: run InitializeTableV2 first");
}

Result<Shape> ValuesShape(const Shape& keys, const Shape& value) {
  std::vector<int64_t> dims(keys.dims().begin(), keys.dims().end());
  dims.insert(dims.end(), value.dims().begin(), value.dims().end());
  return Shape::Create(dims);
}

Result<LookupTable*> TableInput(const OpContext& ctx, int i) {
  const Tensor& handle = ctx.input(i);
  if (handle.num_elements() != 1) {
    return InvalidArgument("input ", i, " must be one handle to a table, but has shape ", handle.shape());
  }
  return handle.scalar<ResourceHandle>().As<LookupTable>("table");
}

}  // namespace dfrun
