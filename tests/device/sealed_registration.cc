// Gives the sealed device a kernel for every op that the CPU has one for.
#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <optional>

#include "tests/device/sealed_kernel.h"

namespace dfrun::sealed {
namespace {

using Names = std::vector<std::string_view>;

// The arguments that devices' kernels read in host memory: values that say how much there is to do.
constexpr std::string_view kHostInputs[] = {
    "shape",      "dims",      "perm",         "axis",         "reduction_indices",
    "multiples",  "paddings",  "input_sizes",  "begin",        "end",
    "strides",    "size",      "size_splits",  "split_dim",    "filter_sizes",
    "concat_dim", "dimension", "num_segments", "block_shape",  "crops",
    "start",      "limit",     "delta",        "output_shape", "orig_input_shape"};

// The ops whose outputs are such values.
constexpr std::string_view kShapeOps[] = {"Shape", "ShapeN", "Size", "Rank", "BroadcastArgs", "BroadcastGradientArgs"};

bool IsAmong(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Returns the host arguments that the CPU's kernel names and those that `choose` chooses. Op definitions live for ever,
// and so do these lists, which are in a std::list that does not move them.
template <class Choose>
std::span<const std::string_view> HostArgs(const std::vector<ArgDef>& args, std::span<const std::string_view> named,
                                           Choose choose) {
  static std::list<Names>& kept = *new std::list<Names>();
  Names& names = kept.emplace_back(named.begin(), named.end());
  for (const ArgDef& arg : args) {
    if (!arg.is_ref && choose(arg.name)) names.push_back(arg.name);
  }
  return names;
}

template <class K>
std::unique_ptr<Kernel> Make(KernelSetup& setup) {
  return internal::MakeKernel<K>(setup);
}

std::optional<KernelDef> OfSealed(const KernelDef& of_cpu) {
  const OpDef* const op = OpRegistry::Builtin().Find(of_cpu.op);
  if (of_cpu.device_type != "cpu" || op == nullptr) return std::nullopt;
  KernelDef def = of_cpu;
  def.device_type = kDeviceType;
  def.make = of_cpu.is_async ? &Make<SealedAsyncKernel> : &Make<SealedKernel>;
  def.host_inputs =
      HostArgs(op->inputs, of_cpu.host_inputs, [](std::string_view name) { return IsAmong(name, kHostInputs); });
  def.host_outputs =
      HostArgs(op->outputs, of_cpu.host_outputs, [&](std::string_view) { return IsAmong(of_cpu.op, kShapeOps); });
  return def;
}

DERIVED_KERNELS(&OfSealed);

}  // namespace
}  // namespace dfrun::sealed
