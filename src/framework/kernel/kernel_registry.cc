#include "src/framework/kernel/kernel_registry.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace dfrun {
namespace {

std::vector<KernelDef>& PendingKernels() {
  static std::vector<KernelDef>& pending = *new std::vector<KernelDef>();
  return pending;
}

std::vector<KernelDefMaker>& Derivations() {
  static std::vector<KernelDefMaker>& derivations = *new std::vector<KernelDefMaker>();
  return derivations;
}

void RegisterOrDie(KernelRegistry& registry, const KernelDef& def) {
  if (Status s = registry.Register(def); !s.ok()) {
    std::fprintf(stderr, "dfrun: %s\n", s.ToString().c_str());
    std::abort();
  }
}

// Returns the number of a node's arguments that an ArgDef stands for.
Result<size_t> CountOf(const ArgDef& arg, const AttrMap& attrs) {
  DF_ASSIGN(const std::vector<TypedArg> expanded, ExpandArgs({arg}, attrs));
  return expanded.size();
}

Status SetHost(const std::vector<ArgDef>& defs, std::span<const std::string_view> named, const AttrMap& attrs,
               std::vector<TypedArg>& args) {
  size_t at = 0;
  for (const ArgDef& def : defs) {
    DF_ASSIGN(const size_t count, CountOf(def, attrs));
    const bool is_named = std::find(named.begin(), named.end(), def.name) != named.end();
    for (size_t end = at + count; at < end; ++at) args[at].in_host = is_named || !IsPlain(args[at].dtype);
  }
  return Status();
}

}  // namespace

const KernelRegistry& KernelRegistry::Builtin() {
  static const KernelRegistry& registry = *[] {
    auto* made = new KernelRegistry();
    for (const KernelDef& def : PendingKernels()) RegisterOrDie(*made, def);
    for (KernelDefMaker derive : Derivations()) {
      for (const KernelDef& def : PendingKernels()) {
        if (const std::optional<KernelDef> derived = derive(def); derived) RegisterOrDie(*made, *derived);
      }
    }
    std::vector<KernelDef>().swap(PendingKernels());
    return made;
  }();
  return registry;
}

Status SetHostArgs(const KernelDef* def, const AttrMap& attrs, NodeInfo& info) {
  DF_TRY(SetHost(info.op->inputs, def == nullptr ? std::span<const std::string_view>() : def->host_inputs, attrs,
                 info.inputs));
  return SetHost(info.op->outputs, def == nullptr ? std::span<const std::string_view>() : def->host_outputs, attrs,
                 info.outputs);
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
  const KernelDef* of_any_device = nullptr;
  for (auto [it, end] = kernels_.equal_range(op); it != end; ++it) {
    const KernelDef& def = it->second;
    const AttrValue* value = def.attr.empty() ? nullptr : attrs.Find(def.attr);
    const DType* dtype = value == nullptr ? nullptr : value->get<DType>();
    if (def.attr.empty() || (dtype != nullptr && *dtype == def.dtype)) {
      if (def.device_type == device_type) return &def;
      if (def.device_type == kAnyDevice) of_any_device = &def;
    }
    known += StrCat(known.empty() ? "" : ", ", def.device_type == kAnyDevice ? "any" : def.device_type,
                    def.attr.empty() ? "" : StrCat(" ", def.attr, "=", def.dtype));
    if (dtype != nullptr) wanted = StrCat(" with ", def.attr, "=", *dtype);
  }
  if (of_any_device != nullptr) return of_any_device;
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
  PendingKernels().insert(PendingKernels().end(), defs);
}
KernelDerivation::KernelDerivation(KernelDefMaker make) {
  Derivations().push_back(make);
}
}  // namespace internal

}  // namespace dfrun
