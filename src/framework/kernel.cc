#include "src/framework/kernel.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace dfrun {
namespace {

std::vector<KernelDef>& Pending() {
  static std::vector<KernelDef>& pending = *new std::vector<KernelDef>();
  return pending;
}

}  // namespace

Status OpContext::AllocateOutput(int i, const Shape& shape, Tensor** output) {
  Tensor& slot = out_[i];
  *output = &slot;
  if (slot.borrowed()) {  // placed by the plan
    if (slot.shape() == shape) [[likely]]
      return Status();
    return Internal("output ", i, " has shape ", shape, ", but shape inference promised ", slot.shape());
  }
  DF_ASSIGN(slot, Tensor::Allocate(device_->allocator(), node_->outputs[i].dtype, shape));
  return Status();
}

Status OpContext::ForwardOrAllocate(int from, int i, const Shape& shape, Tensor** output) {
  Tensor& source = slots_[in_[from]];
  if (from < 64 && (forwardable_ >> from & 1) != 0 && !out_[i].borrowed() && source.SoleOwner() &&
      source.dtype() == node_->outputs[i].dtype && source.num_elements() == shape.num_elements()) {
    out_[i] = source.Reshaped(shape);  // the input stays readable: both headers share the bytes
    *output = &out_[i];
    return Status();
  }
  return AllocateOutput(i, shape, output);
}

const KernelRegistry& KernelRegistry::Builtin() {
  static const KernelRegistry& registry = *[] {
    auto* made = new KernelRegistry();
    for (const KernelDef& def : Pending()) {
      if (Status s = made->Register(def); !s.ok()) {
        std::fprintf(stderr, "dfrun: %s\n", s.ToString().c_str());
        std::abort();
      }
    }
    std::vector<KernelDef>().swap(Pending());
    return made;
  }();
  return registry;
}

Status KernelRegistry::Register(const KernelDef& def) {
  for (auto [it, end] = kernels_.equal_range(def.op); it != end; ++it) {
    const KernelDef& other = it->second;
    if (other.dtype == def.dtype && other.device_type == def.device_type && other.attr == def.attr) {
      return Error(Code::kAlreadyExists, "the ", def.device_type, " kernel of '", def.op, "' for ", def.dtype,
                   " is registered twice");
    }
  }
  kernels_.emplace(def.op, def);
  return Status();
}

Result<const KernelDef*> KernelRegistry::Find(std::string_view op, std::string_view device_type,
                                              const AttrMap& attrs) const {
  std::string known;
  std::string wanted;
  for (auto [it, end] = kernels_.equal_range(op); it != end; ++it) {
    const KernelDef& def = it->second;
    const AttrValue* value = def.attr.empty() ? nullptr : attrs.Find(def.attr);
    const DType* dtype = value == nullptr ? nullptr : value->get<DType>();
    if (def.device_type == device_type && (def.attr.empty() || (dtype != nullptr && *dtype == def.dtype))) return &def;
    known += StrCat(known.empty() ? "" : ", ", def.device_type,
                    def.attr.empty() ? "" : StrCat(" ", def.attr, "=", def.dtype));
    if (dtype != nullptr) wanted = StrCat(" with ", def.attr, "=", *dtype);
  }
  return NotFound("no ", device_type, " kernel for ", op, wanted,
                  known.empty() ? "; the op has no kernel" : "; there are: " + known);
}

std::vector<const KernelDef*> KernelRegistry::List(std::string_view op) const {
  std::vector<const KernelDef*> list;
  for (auto [it, end] = kernels_.equal_range(op); it != end; ++it) list.push_back(&it->second);
  return list;
}

namespace internal {
KernelRegistration::KernelRegistration(std::initializer_list<KernelDef> defs) {
  Pending().insert(Pending().end(), defs);
}
}  // namespace internal

}  // namespace dfrun
