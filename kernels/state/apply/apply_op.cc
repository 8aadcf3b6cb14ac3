// The optimisers' update ops. A rule may have up to four: ApplyX on refs, ResourceApplyX on handles, and SparseApplyX
// and ResourceSparseApplyX, which update the rows that `indices` names.
#include <algorithm>
#include <string_view>
#include <utility>

#include "kernels/state/state_ops.h"

namespace dfrun {
namespace {

enum Forms : unsigned {
  kDense = 1,
  kResourceDense = 2,
  kSparse = 4,
  kResourceSparse = 8,
  kBothDense = kDense | kResourceDense,
  kAll = kBothDense | kSparse | kResourceSparse,
};

struct Rule {
  std::string name;
  std::vector<std::string_view> variables;
  std::vector<std::string_view> inputs;  // after the variables: all scalars but grad (delta)
  const char* attr = nullptr;
  unsigned forms = kAll;
  double flops = 0;  // an element of the gradient
  const char* doc = nullptr;
};

bool IsGradient(std::string_view name) {
  return name == "grad" || name == "delta";
}

// The inputs of a sparse form: the rows' numbers follow their gradient.
std::vector<std::string_view> WithIndices(const std::vector<std::string_view>& dense) {
  std::vector<std::string_view> inputs;
  for (std::string_view input : dense) {
    inputs.push_back(IsGradient(input) ? "grad" : input);
    if (IsGradient(input)) inputs.emplace_back("indices");
  }
  return inputs;
}

// The positions of the inputs in one form of an optimiser's op.
struct ApplyInputs {
  int variables = 0;
  int gradient = 0;
  bool resource = false;
  bool sparse = false;
};

// The variables and a dense gradient have one shape, which is the output's; rows of that shape, as many as there are
// indices, are a sparse gradient; all else are scalars.
Status ApplyShape(const ApplyInputs& inputs, InferenceContext& c) {
  PartialShape shape;
  for (int i = 0; i < inputs.variables; ++i) {
    DF_ASSIGN(shape, shape.Merge(inputs.resource ? c.handle_shape(i) : c.input(i)));
  }
  if (!inputs.sparse) {
    DF_ASSIGN(shape, shape.Merge(c.input(inputs.gradient)));
  } else {
    DF_ASSIGN(const PartialShape indices, c.WithRank(inputs.gradient + 1, 1));
    if (shape.rank() == 0) return InvalidArgument("the variable is a scalar: it has no rows");
    PartialShape rows = shape;
    if (rows.known_rank()) rows.set_dim(0, indices.dim(0));
    DF_ASSIGN(rows, rows.Merge(c.input(inputs.gradient)));
    if (rows.rank() > 0) {
      rows.set_dim(0, shape.known_rank() ? shape.dim(0) : PartialShape::kUnknown);
      shape = std::move(rows);
    }
  }
  for (int i = inputs.variables; i < c.num_inputs(); ++i) {
    const bool is_indices = inputs.sparse && i == inputs.gradient + 1;
    if (i != inputs.gradient && !is_indices) DF_TRY(c.WithRank(i, 0).status());
  }
  if (c.num_outputs() > 0) c.set_output(0, shape);
  return Status();
}

// Each variable is read and written where there is a gradient; which rows those are is read, too.
OpCost ApplyCost(const ApplyInputs& inputs, double flops, const CostContext& c) {
  const double changed = inputs.variables * c.input_bytes(inputs.gradient);
  return {flops * c.input_elements(inputs.gradient), changed + c.bytes_in(inputs.variables), changed};
}

std::string InputText(std::string_view name) {
  if (name == "indices") return "indices: Tindices";
  if (name == "global_step") return "global_step: int64";
  return std::string(name) + ": T";
}

OpBuilder DefineForm(const Rule& rule, bool resource, bool sparse) {
  const std::vector<std::string_view> inputs = sparse ? WithIndices(rule.inputs) : rule.inputs;
  OpBuilder op(std::string(resource ? "Resource" : "") + (sparse ? "Sparse" : "") + "Apply" + rule.name);
  for (std::string_view v : rule.variables) op.Input(std::string(v) + (resource ? ": resource" : ": Ref(T)"));
  for (std::string_view input : inputs) op.Input(InputText(input));
  if (resource) {
    op.Stateful();
  } else {
    op.Output("out: Ref(T)");
  }
  op.Attr(kNumericT);
  if (sparse) op.Attr("Tindices: {int32, int64}");
  op.Attr("use_locking: bool = false");
  if (rule.attr != nullptr) op.Attr(rule.attr);
  ApplyInputs where;
  where.variables = static_cast<int>(rule.variables.size());
  where.gradient =
      where.variables + static_cast<int>(std::find_if(inputs.begin(), inputs.end(), &IsGradient) - inputs.begin());
  where.resource = resource;
  where.sparse = sparse;
  op.Shape([where](InferenceContext& c) { return ApplyShape(where, c); }).GradientEnds(GradientFlow::kState);
  op.Cost([where, flops = rule.flops](const CostContext& c) { return ApplyCost(where, flops, c); });
  return op.Doc(std::string(rule.doc) + (sparse ? " On the rows that indices names." : ""));
}

const Rule kRules[] = {
    {"GradientDescent", {"var"}, {"alpha", "delta"}, nullptr, kBothDense, 2, "var -= alpha * delta."},
    {"Momentum",
     {"var", "accum"},
     {"lr", "grad", "momentum"},
     "use_nesterov: bool = false",
     kAll,
     4,
     "accum = accum * momentum + grad; var -= lr * accum, or with use_nesterov lr * (grad + momentum * accum)."},
    {"KerasMomentum",
     {"var", "accum"},
     {"lr", "grad", "momentum"},
     "use_nesterov: bool = false",
     kResourceDense | kResourceSparse,
     4,
     "accum = accum * momentum - lr * grad; var += accum, or with use_nesterov accum * momentum - lr * grad."},
    {"Adam",
     {"var", "m", "v"},
     {"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"},
     "use_nesterov: bool = false",
     kBothDense,
     12,
     "m += (grad - m)(1 - beta1); v += (grad^2 - v)(1 - beta2); "
     "var -= lr sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)."},
    {"AdamWithAmsgrad",
     {"var", "m", "v", "vhat"},
     {"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"},
     nullptr,
     kResourceDense,
     13,
     "ApplyAdam with vhat = max(vhat, v) in place of v in the step."},
    {"AdaMax",
     {"var", "m", "v"},
     {"beta1_power", "lr", "beta1", "beta2", "epsilon", "grad"},
     nullptr,
     kBothDense,
     10,
     "m += (grad - m)(1 - beta1); v = max(beta2 v, |grad|); var -= lr / (1 - beta1_power) * m / (v + epsilon)."},
    {"Adagrad",
     {"var", "accum"},
     {"lr", "grad"},
     "update_slots: bool = true",
     kAll,
     6,
     "accum += grad^2 (where update_slots); var -= lr * grad / sqrt(accum)."},
    {"AdagradV2",
     {"var", "accum"},
     {"lr", "epsilon", "grad"},
     "update_slots: bool = true",
     kAll,
     7,
     "accum += grad^2 (where update_slots); var -= lr * grad / (sqrt(accum) + epsilon)."},
    {"AdagradDA",
     {"var", "gradient_accumulator", "gradient_squared_accumulator"},
     {"grad", "lr", "l1", "l2", "global_step"},
     nullptr,
     kAll,
     12,
     "Adagrad by dual averaging: var is computed anew from the sums of grad and grad^2."},
    {"Adadelta",
     {"var", "accum", "accum_update"},
     {"lr", "rho", "epsilon", "grad"},
     nullptr,
     kAll,
     16,
     "accum = rho accum + (1 - rho) grad^2; update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad; "
     "accum_update = rho accum_update + (1 - rho) update^2; var -= lr * update."},
    {"RMSProp",
     {"var", "ms", "mom"},
     {"lr", "rho", "momentum", "epsilon", "grad"},
     nullptr,
     kAll,
     11,
     "ms += (grad^2 - ms)(1 - rho); mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -= mom."},
    {"CenteredRMSProp",
     {"var", "mg", "ms", "mom"},
     {"lr", "rho", "momentum", "epsilon", "grad"},
     nullptr,
     kAll,
     16,
     "ApplyRMSProp with the variance in place of the mean square: mg += (grad - mg)(1 - rho) and ms - mg^2."},
    {"Ftrl",
     {"var", "accum", "linear"},
     {"grad", "lr", "l1", "l2", "lr_power"},
     "multiply_linear_by_lr: bool = false",
     kAll,
     15,
     "Follow the regularised leader, per coordinate."},
    {"FtrlV2",
     {"var", "accum", "linear"},
     {"grad", "lr", "l1", "l2", "l2_shrinkage", "lr_power"},
     "multiply_linear_by_lr: bool = false",
     kAll,
     17,
     "ApplyFtrl with 2 * l2_shrinkage * var added to the gradient."},
    {"ProximalGradientDescent",
     {"var"},
     {"alpha", "l1", "l2", "delta"},
     nullptr,
     kAll,
     7,
     "x = var - alpha * delta; var = sign(x) / (1 + alpha * l2) * max(|x| - alpha * l1, 0)."},
    {"ProximalAdagrad",
     {"var", "accum"},
     {"lr", "l1", "l2", "grad"},
     nullptr,
     kAll,
     11,
     "accum += grad^2; ApplyProximalGradientDescent with alpha = lr / sqrt(accum)."},
    {"AddSign",
     {"var", "m"},
     {"lr", "alpha", "sign_decay", "beta", "grad"},
     nullptr,
     kBothDense,
     11,
     "m = beta * m + (1 - beta) * grad; var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad."},
    {"PowerSign",
     {"var", "m"},
     {"lr", "logbase", "sign_decay", "beta", "grad"},
     nullptr,
     kBothDense,
     12,
     "m = beta * m + (1 - beta) * grad; var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad."},
};

std::vector<internal::OpRegistration> RegisterForms() {
  std::vector<internal::OpRegistration> registered;
  for (const Rule& rule : kRules) {
    if (rule.forms & kDense) registered.emplace_back(DefineForm(rule, false, false));
    if (rule.forms & kResourceDense) registered.emplace_back(DefineForm(rule, true, false));
    if (rule.forms & kSparse) registered.emplace_back(DefineForm(rule, false, true));
    if (rule.forms & kResourceSparse) registered.emplace_back(DefineForm(rule, true, true));
  }
  return registered;
}

[[maybe_unused]] const std::vector<internal::OpRegistration> kApplyOps = RegisterForms();

}  // namespace
}  // namespace dfrun
