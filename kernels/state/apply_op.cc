// The optimisers' update ops: for each rule ApplyX on refs and ResourceApplyX on handles, and where there is one
// SparseApplyX and ResourceSparseApplyX, which update the rows that `indices` names.
#include <algorithm>
#include <string_view>

#include "kernels/state/state_ops.h"

namespace dfrun {
namespace {

struct ApplySignature {
  std::vector<std::string_view> variables;
  std::vector<std::string_view> inputs;  // after the variables: all scalars but grad (delta) and indices
  const char* attr = nullptr;
  const char* doc = nullptr;
};

bool IsScalarInput(std::string_view name) {
  return name != "grad" && name != "delta" && name != "indices";
}

// Which inputs have the variable's shape, and which are scalars.
ShapeFn ApplyShape(const ApplySignature& signature, bool resource, bool sparse) {
  std::vector<int> same;
  std::vector<int> scalars;
  const int variables = static_cast<int>(signature.variables.size());
  for (int i = 0; !resource && i < variables; ++i) same.push_back(i);
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    const int input = variables + static_cast<int>(i);
    if (IsScalarInput(signature.inputs[i])) scalars.push_back(input);
    if (!IsScalarInput(signature.inputs[i]) && !resource && !sparse) same.push_back(input);
  }
  return SameShapes(std::move(same), std::move(scalars));
}

OpBuilder DefineApply(const std::string& name, const ApplySignature& signature, bool resource) {
  const bool sparse = std::count(signature.inputs.begin(), signature.inputs.end(), "indices") > 0;
  OpBuilder op(name);
  for (std::string_view v : signature.variables) op.Input(std::string(v) + (resource ? ": resource" : ": Ref(T)"));
  for (std::string_view i : signature.inputs) op.Input(std::string(i) + (i == "indices" ? ": Tindices" : ": T"));
  if (resource) {
    op.Stateful();
  } else {
    op.Output("out: Ref(T)");
  }
  op.Attr(kNumericT).Attr("use_locking: bool = false");
  if (sparse) op.Attr("Tindices: {int32, int64}");
  if (signature.attr != nullptr) op.Attr(signature.attr);
  return op.Shape(ApplyShape(signature, resource, sparse)).NotDifferentiable().Doc(signature.doc);
}

// Registers "ApplyX" and "ResourceApplyX".
struct ApplyOps {
  ApplyOps(const std::string& name, const ApplySignature& signature)
      : on_refs(DefineApply(name, signature, false)), on_handles(DefineApply("Resource" + name, signature, true)) {}
  internal::OpRegistration on_refs;
  internal::OpRegistration on_handles;
};

const ApplyOps kApplyOps[] = {
    {"ApplyGradientDescent", {{"var"}, {"alpha", "delta"}, nullptr, "var -= alpha * delta."}},
    {"ApplyMomentum",
     {{"var", "accum"},
      {"lr", "grad", "momentum"},
      "use_nesterov: bool = false",
      "accum = accum * momentum + grad; var -= lr * accum, or with use_nesterov lr * (grad + momentum * accum)."}},
    {"SparseApplyMomentum",
     {{"var", "accum"},
      {"lr", "grad", "indices", "momentum"},
      "use_nesterov: bool = false",
      "ApplyMomentum on the rows that indices names."}},
    {"ApplyAdam",
     {{"var", "m", "v"},
      {"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"},
      "use_nesterov: bool = false",
      "m += (grad - m)(1 - beta1); v += (grad^2 - v)(1 - beta2); "
      "var -= lr sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)."}},
    {"ApplyAdaMax",
     {{"var", "m", "v"},
      {"beta1_power", "lr", "beta1", "beta2", "epsilon", "grad"},
      nullptr,
      "m += (grad - m)(1 - beta1); v = max(beta2 v, |grad|); var -= lr / (1 - beta1_power) * m / (v + epsilon)."}},
    {"ApplyAdagrad",
     {{"var", "accum"},
      {"lr", "grad"},
      "update_slots: bool = true",
      "accum += grad^2 (where update_slots); var -= lr * grad / sqrt(accum)."}},
    {"SparseApplyAdagrad",
     {{"var", "accum"},
      {"lr", "grad", "indices"},
      "update_slots: bool = true",
      "ApplyAdagrad on the rows that indices names."}},
    {"ApplyAdagradV2",
     {{"var", "accum"},
      {"lr", "epsilon", "grad"},
      "update_slots: bool = true",
      "accum += grad^2 (where update_slots); var -= lr * grad / (sqrt(accum) + epsilon)."}},
    {"ApplyRMSProp",
     {{"var", "ms", "mom"},
      {"lr", "rho", "momentum", "epsilon", "grad"},
      nullptr,
      "ms += (grad^2 - ms)(1 - rho); mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -= mom."}},
    {"SparseApplyRMSProp",
     {{"var", "ms", "mom"},
      {"lr", "rho", "momentum", "epsilon", "grad", "indices"},
      nullptr,
      "ApplyRMSProp on the rows that indices names."}},
    {"ApplyCenteredRMSProp",
     {{"var", "mg", "ms", "mom"},
      {"lr", "rho", "momentum", "epsilon", "grad"},
      nullptr,
      "ApplyRMSProp with the variance in place of the mean square: mg += (grad - mg)(1 - rho) and ms - mg^2."}},
    {"ApplyAdadelta",
     {{"var", "accum", "accum_update"},
      {"lr", "rho", "epsilon", "grad"},
      nullptr,
      "accum = rho accum + (1 - rho) grad^2; update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad; "
      "accum_update = rho accum_update + (1 - rho) update^2; var -= lr * update."}},
    {"SparseApplyAdadelta",
     {{"var", "accum", "accum_update"},
      {"lr", "rho", "epsilon", "grad", "indices"},
      nullptr,
      "ApplyAdadelta on the rows that indices names."}},
    {"ApplyFtrl",
     {{"var", "accum", "linear"},
      {"grad", "lr", "l1", "l2", "lr_power"},
      "multiply_linear_by_lr: bool = false",
      "Follow the regularised leader, per coordinate."}},
    {"SparseApplyFtrl",
     {{"var", "accum", "linear"},
      {"grad", "indices", "lr", "l1", "l2", "lr_power"},
      "multiply_linear_by_lr: bool = false",
      "ApplyFtrl on the rows that indices names."}},
};

}  // namespace
}  // namespace dfrun
