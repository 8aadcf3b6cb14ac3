#include "src/framework/kernel/object_state.h"

#include "src/base/registry.h"

namespace dfrun {
namespace {

Registry<ObjectState>& States() {
  static Registry<ObjectState> states;
  return states;
}

}  // namespace

const ObjectState* FindObjectState(std::string_view op) {
  return States().Find(op);
}

AttrMap StateAttrs(const ObjectState& state, const std::string& maker, const std::vector<DType>& handles,
                   const std::vector<StatePart>& parts, const std::string& object) {
  if (state.save_op != kSaveObject) return {{"dtype", parts[0].dtype}};
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
  for (const StatePart& part : parts) {
    dtypes.push_back(part.dtype);
    shapes.push_back(part.shape);
  }
  return {{"handles", handles}, {"dtypes", dtypes}, {"shapes", shapes}, {"maker", maker}, {"object", object}};
}

Status CheckParts(std::span<const Tensor> tensors, std::span<const StatePart> parts) {
  if (tensors.size() != parts.size()) {
    return Error(Code::kDataLoss, "the saved state has ", tensors.size(), " parts, not ", parts.size());
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (tensors[i].dtype() == parts[i].dtype && parts[i].shape.IsCompatibleWith(tensors[i].shape())) continue;
    return Error(Code::kDataLoss, "'", parts[i].name, "' of the saved state is ", tensors[i].dtype(),
                 tensors[i].shape(), ", not ", parts[i].dtype, parts[i].shape);
  }
  return Status();
}

Status CheckKeepable(DType dtype, std::string_view what) {
  if (!IsHandle(dtype)) return Status();
  return InvalidArgument(what, " of dtype ", dtype, ", which stands for objects of this process");
}

namespace internal {

ObjectStateRegistration::ObjectStateRegistration(const ObjectState& state, std::initializer_list<const char*> ops) {
  for (const char* op : ops) States().Add(op, state);
}

}  // namespace internal
}  // namespace dfrun
