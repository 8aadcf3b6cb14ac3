// Ops whose CPU kernels look at no elements of the device's memory: they hand tensors on, look at shapes, or work on
// values that they ask for in host memory. The same kernels serve a GPU.
#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "src/framework/device/graph_capture.h"
#include "src/framework/kernel/kernel_registry.h"

namespace dfrun::cuda {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view kAssert[] = {"condition", "data"};
constexpr std::string_view kConcatOffset[] = {"concat_dim", "shape"};
constexpr std::string_view kDim[] = {"dim"};
constexpr std::string_view kGate[] = {"values", "found"};
constexpr std::string_view kInput[] = {"input"};
constexpr std::string_view kIsInitialized[] = {"is_initialized"};
constexpr std::string_view kKeyOfSeed[] = {"seed", "key", "counter", "alg"};
constexpr std::string_view kLinSpace[] = {"start", "stop", "num", "output"};
constexpr std::string_view kOffset[] = {"offset"};
constexpr std::string_view kOutput[] = {"output"};
constexpr std::string_view kPred[] = {"pred"};
constexpr std::string_view kShape[] = {"shape"};
constexpr std::string_view kTwoShapes[] = {"s0", "s1", "r0", "r1"};
constexpr std::string_view kValueIndex[] = {"value_index"};
constexpr std::string_view kXAndY[] = {"x", "y"};

struct SharedOp {
  std::string_view name;
  Names host_inputs = {};
  Names host_outputs = {};
};

// The shared ops, sorted by name.
constexpr SharedOp kShared[] = {
    {"Assert", kAssert},
    {"Assign"},
    {"AssignVariableOp"},
    {"Bitcast"},
    {"BroadcastArgs", kTwoShapes, kTwoShapes},
    {"BroadcastGradientArgs", kTwoShapes, kTwoShapes},
    {"ConcatOffset", kConcatOffset, kOffset},
    {"Const"},
    {"ControlTrigger"},
    {"DestroyResourceOp"},
    {"DisableCopyOnRead"},
    {"EnsureShape"},
    {"Enter"},
    {"Exit"},
    {"ExpandDims", kDim},
    {"Identity"},
    {"IdentityN"},
    {"InvertPermutation", kXAndY, kXAndY},
    {"IsVariableInitialized", {}, kIsInitialized},
    {"LinSpace", kLinSpace, kLinSpace},
    {"LoopCond", kInput, kOutput},
    {"Merge", {}, kValueIndex},
    {"NextIteration"},
    {"NoOp"},
    {"Placeholder"},
    {"PlaceholderWithDefault"},
    {"PreventGradient"},
    {"Rank", {}, kOutput},
    {"ReadVariableOp"},
    {"RefEnter"},
    {"RefExit"},
    {"RefIdentity"},
    {"RefMerge", {}, kValueIndex},
    {"RefNextIteration"},
    {"RefSwitch", kPred},
    {"Reshape", kShape},
    {"Shape", {}, kOutput},
    {"ShapeN", {}, kOutput},
    {"Size", {}, kOutput},
    {"Squeeze"},
    {"StatelessRandomGetAlg", {}, kKeyOfSeed},
    {"StatelessRandomGetKeyCounter", kKeyOfSeed, kKeyOfSeed},
    {"StatelessRandomGetKeyCounterAlg", kKeyOfSeed, kKeyOfSeed},
    {"StopGradient"},
    {"Switch", kPred},
    {"VarHandleOp"},
    {"VarIsInitializedOp", {}, kIsInitialized},
    {"Variable"},
    {"VariableShape", {}, kOutput},
    {"VariableV2"},
    {"_NotFiniteValues", kGate},
    {"_UpdateGate", kGate, kGate},
};

std::optional<KernelDef> SharedWithCpu(const KernelDef& of_cpu) {
  if (of_cpu.device_type != "cpu") return std::nullopt;
  const auto before = [](const SharedOp& op, std::string_view name) { return op.name < name; };
  const auto* const op = std::lower_bound(std::begin(kShared), std::end(kShared), of_cpu.op, before);
  if (op == std::end(kShared) || op->name != of_cpu.op) return std::nullopt;
  KernelDef def = of_cpu;
  def.device_type = "gpu";
  def.host_inputs = op->host_inputs;
  def.host_outputs = op->host_outputs;
  return def;
}

DERIVED_KERNELS(&SharedWithCpu);

RECORDING_TRAITS("gpu", "Assign", .assigns = true, .obeys_gate = true);
RECORDING_TRAITS("gpu", "AssignVariableOp", .assigns = true, .obeys_gate = true);
RECORDING_TRAITS("gpu", "DestroyResourceOp", .why_not = "it takes the variable's value away");

}  // namespace
}  // namespace dfrun::cuda
