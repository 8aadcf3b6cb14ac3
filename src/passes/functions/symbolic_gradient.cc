// The gradient of a function, as AddGradients makes it of the function's nodes.
#include "src/autodiff/gradients.h"
#include "src/passes/functions/lowerings.h"

namespace dfrun {
namespace {

bool IsDifferentiable(DType dtype) {
  return IsFloating(dtype) || IsComplex(dtype);
}

class FunctionGradient {
 public:
  FunctionGradient(FunctionInliner& inliner, const FunctionName& f, const FunctionalNode& node, const CallSite& site)
      : inliner_(inliner), f_(f), node_(node), site_(site) {}

  Result<Inlined> Add() {
    DF_ASSIGN(const std::vector<DType> types, node_.attrs.Get<std::vector<DType>>("Tout"));
    DF_TRY(AddFunction(types.size()));
    DF_TRY(AddGradientNodes());
    Inlined out;
    for (size_t i = 0; i < xs_.size(); ++i) {
      DF_ASSIGN(const SiteValue dx, GradientOf(i));
      out.outputs.push_back(dx);
    }
    return out;
  }

 private:
  // The function of arguments of its own: what else their values depend on is not to be differentiated.
  Status AddFunction(size_t num_arguments) {
    if (node_.inputs.size() < num_arguments) {
      return InvalidArgument("it has ", node_.inputs.size(), " inputs for ", num_arguments,
                             " arguments of the function");
    }
    CallSite inner = site_;
    inner.prefix += "f/";
    for (size_t i = 0; i < num_arguments; ++i) {
      DF_ASSIGN(const SiteValue x, inliner_.Add("x", "Identity", {node_.inputs[i]}, site_));
      xs_.push_back(x);
    }
    DF_ASSIGN(const Inlined made, inliner_.Call(f_, xs_, inner));
    DF_TRY(CheckCount(StrCat("function '", f_.name, "'"), made.outputs.size(), node_.inputs.size() - num_arguments));
    ys_ = made.outputs;
    return Status();
  }

  Status AddGradientNodes() {
    std::vector<Output> ys;
    std::vector<Output> xs;
    GradientOptions options;
    options.scope = inliner_.UniqueName(site_.prefix + "gradients");
    for (size_t i = 0; i < ys_.size(); ++i) {
      if (!IsDifferentiable(inliner_.to().dtype(ys_[i].output))) continue;
      ys.push_back(ys_[i].output);
      options.grad_ys.push_back(node_.inputs[xs_.size() + i].output);
    }
    for (const SiteValue& x : xs_) {
      if (IsDifferentiable(inliner_.to().dtype(x.output))) xs.push_back(x.output);
    }
    const NodeId before = inliner_.to().num_nodes();
    // Differentiation looks at the whole graph.
    DF_TRY(inliner_.CountInputs(static_cast<size_t>(before)));
    DF_ASSIGN(gradients_, AddGradients(inliner_.to(), ys, xs, options));
    return inliner_.CountNodes(inliner_.to().num_nodes() - before);
  }

  // Zeros where no output depends on the argument.
  Result<SiteValue> GradientOf(size_t i) {
    const Output x = xs_[i].output;
    if (IsDifferentiable(inliner_.to().dtype(x))) {
      const GradientValue& gradient = gradients_[next_++];
      if (gradient.exists) {
        const std::string name = inliner_.UniqueName(site_.prefix + "dense");
        DF_ASSIGN(const Output dense, DenseGradient(inliner_.to(), gradient, x, name));
        return SiteValue{dense};
      }
    }
    return inliner_.Add("zeros", "ZerosLike", {xs_[i]}, site_);
  }

  FunctionInliner& inliner_;
  const FunctionName& f_;
  const FunctionalNode& node_;
  const CallSite& site_;
  std::vector<SiteValue> xs_;
  std::vector<SiteValue> ys_;
  std::vector<GradientValue> gradients_;  // of the xs that have one
  size_t next_ = 0;                       // of gradients_
};

}  // namespace

Result<Inlined> LowerSymbolicGradient(FunctionInliner& inliner, const FunctionalNode& node, const CallSite& site) {
  DF_ASSIGN(FunctionName f, node.attrs.Get<FunctionName>("f"));
  const std::string_view written = inliner.library().GradientOf(f.name);
  if (!written.empty()) {
    f.name = written;
    return inliner.Call(f, node.inputs, site);
  }
  return FunctionGradient(inliner, f, node, site).Add();
}

}  // namespace dfrun
