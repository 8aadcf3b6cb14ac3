#include "tests/unit/autodiff/derivative_pairs.h"

#include <algorithm>

#include "src/base/text.h"
#include "src/framework/device/device_factory.h"
#include "src/framework/kernel/kernel_registry.h"

namespace dfrun::testing {
namespace {

const std::string& TypeAttrOf(const ArgDef& arg) {
  return arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
}

bool HasKernel(const OpDef& op, const std::string& attr, DType dtype) {
  const std::vector<const KernelDef*> kernels = KernelRegistry::Builtin().List(op.name);
  return std::any_of(kernels.begin(), kernels.end(), [&](const KernelDef* kernel) {
    const bool is_of_host = kernel->device_type == HostDeviceType() || kernel->device_type == kAnyDevice;
    return is_of_host && (kernel->attr != attr || kernel->dtype == dtype);
  });
}

bool MayBe(const OpDef& op, const ArgDef& arg, DType dtype) {
  if (arg.is_ref) return false;
  const std::string& name = TypeAttrOf(arg);
  if (name.empty()) return arg.dtype == dtype;
  const AttrDef* const attr = op.FindAttr(name);
  const std::vector<DType>& allowed = attr->allowed_types;
  const bool is_allowed = allowed.empty() || std::find(allowed.begin(), allowed.end(), dtype) != allowed.end();
  return is_allowed && HasKernel(op, name, dtype);
}

// Returns the kinds, float and complex, that an argument may have.
std::vector<bool> KindsOf(const OpDef& op, const ArgDef& arg) {
  std::vector<bool> kinds;
  if (MayBe(op, arg, DType::kDouble) || MayBe(op, arg, DType::kFloat)) kinds.push_back(false);
  if (MayBe(op, arg, DType::kComplex128) || MayBe(op, arg, DType::kComplex64)) kinds.push_back(true);
  return kinds;
}

}  // namespace

std::string NameOf(const OpDef& op, const DerivativePair& pair) {
  const auto name = [](const ArgDef& arg, bool is_complex) { return StrCat(arg.name, is_complex ? " (complex)" : ""); };
  return StrCat(name(op.inputs[static_cast<size_t>(pair.input)], pair.is_complex_input), " -> ",
                name(op.outputs[static_cast<size_t>(pair.output)], pair.is_complex_output));
}

std::vector<DerivativePair> PairsOf(const OpDef& op) {
  std::vector<DerivativePair> pairs;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    for (size_t k = 0; k < op.outputs.size(); ++k) {
      const std::string& type = TypeAttrOf(op.inputs[i]);
      const bool is_same = !type.empty() && type == TypeAttrOf(op.outputs[k]);
      for (const bool of_input : KindsOf(op, op.inputs[i])) {
        for (const bool of_output : KindsOf(op, op.outputs[k])) {
          if (is_same && of_input != of_output) continue;
          pairs.push_back({static_cast<int>(i), static_cast<int>(k), of_input, of_output});
        }
      }
    }
  }
  return pairs;
}

}  // namespace dfrun::testing
