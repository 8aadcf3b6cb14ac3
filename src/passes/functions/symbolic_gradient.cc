// The gradient of a function, as AddGradients makes it of the function's nodes.
#include "src/autodiff/gradients.h"
#include "src/passes/functions/graph_copy.h"
#include "src/passes/functions/lowerings.h"

namespace dfrun {
namespace {

bool IsDifferentiable(DType dtype) {
  return IsFloating(dtype) || IsComplex(dtype);
}

// Makes the gradient in a graph of its own, since differentiation looks at the whole of a graph: the graph around may
// have loops that are not closed yet, and the sources of an argument must not be differentiated.
class FunctionGradient {
 public:
  FunctionGradient(SiteBuilder& inliner, const FunctionName& f, const FunctionalNode& node, const CallSite& site)
      : inliner_(inliner), f_(f), node_(node), site_(site), own_(inliner.to().ops()) {}

  Result<Inlined> Add() {
    DF_ASSIGN(const std::vector<DType> types, node_.attrs.Get<std::vector<DType>>("Tout"));
    if (node_.inputs.size() < types.size()) {
      return InvalidArgument("it has ", node_.inputs.size(), " inputs for ", types.size(),
                             " arguments of the function");
    }
    DF_TRY(AddArguments());
    Graph& around = inliner_.SwitchTo(own_);
    const Result<Inlined> made = AddFunctionAndGradient(types.size());
    inliner_.SwitchTo(around);
    if (!made.ok()) return made.status();
    GraphCopy copy(inliner_, own_, node_.inputs, site_);
    DF_TRY(copy.Add());
    Inlined out;
    for (const SiteValue& dx : made->outputs) out.outputs.push_back(copy.Copied(dx.output));
    for (NodeId effect : made->effects) out.effects.push_back(copy.CopiedNode(effect));
    return out;
  }

 private:
  Status AddArguments() {
    for (const SiteValue& value : node_.inputs) {
      NodeSpec spec;
      spec.name = own_.UniqueName("argument");
      spec.op = "Placeholder";
      spec.attrs = {{"dtype", inliner_.to().dtype(value.output)}, {"shape", inliner_.to().shape(value.output)}};
      DF_ASSIGN(const NodeId argument, own_.AddNode(std::move(spec)));
      arguments_.push_back({{argument, 0}});
    }
    return Status();
  }

  // The site without its surroundings.
  CallSite InOwn() const {
    CallSite site = site_;
    site.ties.clear();
    site.is_conditional = false;
    return site;
  }

  // The gradients of the function's first arguments; the others are those of its outputs.
  Result<Inlined> AddFunctionAndGradient(size_t num_xs) {
    CallSite inner = InOwn();
    inner.prefix += "f/";
    const std::vector<SiteValue> xs(arguments_.begin(), arguments_.begin() + static_cast<std::ptrdiff_t>(num_xs));
    DF_ASSIGN(const Inlined made, inliner_.Call(f_, xs, inner));
    DF_TRY(CheckCount(StrCat("function '", f_.name, "'"), made.outputs.size(), arguments_.size() - num_xs));
    DF_TRY(AddGradientNodes(made.outputs, xs));
    Inlined out;
    out.effects = made.effects;
    for (const SiteValue& x : xs) {
      DF_ASSIGN(const SiteValue dx, GradientOf(x));
      out.outputs.push_back(dx);
    }
    return out;
  }

  Status AddGradientNodes(const std::vector<SiteValue>& ys, const std::vector<SiteValue>& xs) {
    std::vector<Output> from;
    std::vector<Output> to;
    GradientOptions options;
    options.scope = site_.prefix + "gradients";
    for (size_t i = 0; i < ys.size(); ++i) {
      if (!IsDifferentiable(own_.dtype(ys[i].output))) continue;
      from.push_back(ys[i].output);
      options.grad_ys.push_back(arguments_[xs.size() + i].output);
    }
    for (const SiteValue& x : xs) {
      if (IsDifferentiable(own_.dtype(x.output))) to.push_back(x.output);
    }
    DF_ASSIGN(gradients_, AddGradients(own_, from, to, options));
    return Status();
  }

  // Zeros where no output depends on the argument.
  Result<SiteValue> GradientOf(SiteValue x) {
    if (IsDifferentiable(own_.dtype(x.output))) {
      const GradientValue& gradient = gradients_[next_++];
      if (gradient.exists) {
        const std::string name = inliner_.UniqueName(site_.prefix + "dense");
        DF_ASSIGN(const Output dense, DenseGradient(own_, gradient, x.output, name));
        return SiteValue{dense};
      }
    }
    return inliner_.Add("zeros", "ZerosLike", {x}, InOwn());
  }

  SiteBuilder& inliner_;
  const FunctionName& f_;
  const FunctionalNode& node_;
  const CallSite& site_;
  Graph own_;
  std::vector<SiteValue> arguments_;      // in own_, for the node's inputs
  std::vector<GradientValue> gradients_;  // gradients of the differentiable xs
  size_t next_ = 0;                       // index in gradients_
};

}  // namespace

Result<Inlined> LowerSymbolicGradient(SiteBuilder& inliner, const FunctionalNode& node, const CallSite& site) {
  DF_ASSIGN(FunctionName f, node.attrs.Get<FunctionName>("f"));
  const std::string_view written = inliner.library().GradientOf(f.name);
  if (!written.empty()) {
    f.name = written;
    return inliner.Call(f, node.inputs, site);
  }
  return FunctionGradient(inliner, f, node, site).Add();
}

}  // namespace dfrun
