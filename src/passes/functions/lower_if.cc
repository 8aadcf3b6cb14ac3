// Lowers If and Case to Switch and Merge. Source: TensorFlow's lowering of functional conditionals.
#include <functional>
#include <string>

#include "src/passes/functions/lowerings.h"

namespace dfrun {
namespace {

using Branch = std::function<Result<Inlined>(const std::vector<SiteValue>& inputs, const CallSite& site)>;

struct Conditional {
  SiteValue predicate;  // bool
  const std::vector<SiteValue>& inputs;
  const Branch& taken;
  const Branch& other;
};

// Adds both branches to a site, each where only its side of the Switches is alive.
class ConditionalAdder {
 public:
  ConditionalAdder(SiteBuilder& inliner, const CallSite& site) : inliner_(inliner), site_(site) {}

  Result<Inlined> Add(const Conditional& conditional) {
    DF_ASSIGN(predicate_, inliner_.Anchor(conditional.predicate, site_));
    DF_ASSIGN(const SiteValue pivots, inliner_.Add("pivots", "Switch", {predicate_, predicate_}, site_));
    std::vector<SiteValue> sides[2];
    for (const SiteValue& input : conditional.inputs) {
      DF_ASSIGN(const SiteValue made, inliner_.Add("switch", "Switch", {input, predicate_}, site_));
      for (int side = 0; side < 2; ++side) sides[side].push_back({{made.output.node, side}});
    }
    DF_TRY(AddSide(0, "pivot_f", pivots, conditional.other, sides[0]));
    DF_TRY(AddSide(1, "pivot_t", pivots, conditional.taken, sides[1]));
    return Merge();
  }

 private:
  Status AddSide(int side, const std::string& name, SiteValue pivots, const Branch& branch,
                 const std::vector<SiteValue>& inputs) {
    DF_ASSIGN(const SiteValue pivot, inliner_.Add(name, "Identity", {{{pivots.output.node, side}}}, site_));
    CallSite inner = site_;
    inner.ties = {pivot.output.node};
    inner.is_conditional = true;
    inner.ends_whole = site_.runs_all;
    DF_ASSIGN(made_[side], branch(inputs, inner));
    pivots_[side] = pivot;
    return Status();
  }

  // Merges the two branches, of which one is alive. A node that waits for the conditional waits for the effects of that
  // branch.
  Result<Inlined> Merge() {
    DF_TRY(CheckCount("the branch taken where the condition holds", made_[1].outputs.size(), made_[0].outputs.size()));
    Inlined out;
    for (size_t i = 0; i < made_[0].outputs.size(); ++i) {
      DF_ASSIGN(const SiteValue merged,
                inliner_.Add("merge", "Merge", {made_[0].outputs[i], made_[1].outputs[i]}, site_));
      out.outputs.push_back(merged);
    }
    out.is_whole = site_.runs_all;
    if (out.is_whole && made_[0].effects.empty() && made_[1].effects.empty()) return out;
    std::vector<SiteValue> ended;
    for (int side = 0; side < 2; ++side) {
      SiteValue end = pivots_[side];
      if (!made_[side].effects.empty()) {
        DF_ASSIGN(end, inliner_.Add("ended", "Identity", {end}, site_, {}, made_[side].effects));
      }
      ended.push_back(end);
    }
    DF_ASSIGN(const SiteValue either, inliner_.Add("executed", "Merge", ended, site_));
    out.effects = {either.output.node};
    return out;
  }

  SiteBuilder& inliner_;
  const CallSite& site_;
  SiteValue predicate_;
  SiteValue pivots_[2];
  Inlined made_[2];
};

Branch CallOf(SiteBuilder& inliner, const FunctionName& function, const std::string& name) {
  return [&inliner, function, name](const std::vector<SiteValue>& inputs, const CallSite& site) {
    CallSite inner = site;
    inner.prefix += name + "/";
    return inliner.Call(function, inputs, inner);
  };
}

Result<SiteValue> AddNumber(SiteBuilder& inliner, const CallSite& site, const std::string& name, size_t number) {
  return inliner.Add(name, "Const", {}, site,
                     {{"value", Tensor::Scalar<int32_t>(static_cast<int32_t>(number))}, {"dtype", DType::kInt32}});
}

// The number of the branch that an index asks for: the last one's where there is none of that index.
Result<SiteValue> AddBranchNumber(SiteBuilder& inliner, size_t count, const SiteValue& index, const CallSite& site) {
  DF_ASSIGN(const SiteValue zero, AddNumber(inliner, site, "zero", 0));
  DF_ASSIGN(const SiteValue last, AddNumber(inliner, site, "last", count - 1));
  DF_ASSIGN(const SiteValue is_low, inliner.Add("is_low", "Less", {index, zero}, site));
  DF_ASSIGN(const SiteValue least, inliner.Add("least", "Minimum", {index, last}, site));
  return inliner.Add("number", "SelectV2", {is_low, last, least}, site);
}

// Branches [first, end), halved by conditionals: they nest as deep as the logarithm of their number.
Result<Inlined> AddBranches(SiteBuilder& inliner, const std::vector<FunctionName>& branches, size_t first, size_t end,
                            SiteValue number, const std::vector<SiteValue>& inputs, const CallSite& site) {
  if (first + 1 == end) return CallOf(inliner, branches[first], StrCat("branch_", first))(inputs, site);
  const size_t middle = first + (end - first) / 2;
  DF_ASSIGN(const SiteValue bound, AddNumber(inliner, site, "bound", middle));
  DF_ASSIGN(const SiteValue is_before, inliner.Add("is_before", "Less", {number, bound}, site));
  std::vector<SiteValue> all = {number};
  all.insert(all.end(), inputs.begin(), inputs.end());
  const auto part = [&](size_t from, size_t to) -> Branch {
    return [&inliner, &branches, from, to](const std::vector<SiteValue>& values, const CallSite& inner) {
      const std::vector<SiteValue> without_number(values.begin() + 1, values.end());
      return AddBranches(inliner, branches, from, to, values[0], without_number, inner);
    };
  };
  DF_TRY(inliner.NestConditionals(1));
  DF_ASSIGN(Inlined made,
            ConditionalAdder(inliner, site).Add({is_before, all, part(first, middle), part(middle, end)}));
  DF_TRY(inliner.NestConditionals(-1));
  return made;
}

// Adds the branch of a Case that has only one.
Result<Inlined> AddOnlyBranch(SiteBuilder& inliner, const std::vector<FunctionName>& branches, const SiteValue& index,
                              const std::vector<SiteValue>& inputs, const CallSite& site) {
  CallSite inner = site;
  inner.ends_whole = site.runs_all;
  DF_ASSIGN(Inlined made, AddBranches(inliner, branches, 0, 1, index, inputs, inner));
  made.is_whole = site.runs_all;
  if (made.is_whole || !made.effects.empty()) return made;
  DF_ASSIGN(const SiteValue executed, inliner.Add("executed", "Identity", {index}, site));
  made.effects = {executed.output.node};
  return made;
}

}  // namespace

Result<Inlined> LowerIf(SiteBuilder& inliner, const FunctionalNode& node, const CallSite& site) {
  DF_ASSIGN(const FunctionName taken, node.attrs.Get<FunctionName>("then_branch"));
  DF_ASSIGN(const FunctionName other, node.attrs.Get<FunctionName>("else_branch"));
  if (node.inputs.empty()) return InvalidArgument("it has no condition");
  DF_ASSIGN(const SiteValue predicate, AsPredicate(inliner, node.inputs[0], site));
  const std::vector<SiteValue> inputs(node.inputs.begin() + 1, node.inputs.end());
  const Branch then_branch = CallOf(inliner, taken, "then");
  const Branch else_branch = CallOf(inliner, other, "else");
  return ConditionalAdder(inliner, site).Add({predicate, inputs, then_branch, else_branch});
}

Result<Inlined> LowerCase(SiteBuilder& inliner, const FunctionalNode& node, const CallSite& site) {
  constexpr size_t kMaxBranches = 100'000;
  DF_ASSIGN(const std::vector<FunctionName> branches, node.attrs.Get<std::vector<FunctionName>>("branches"));
  if (branches.empty() || branches.size() > kMaxBranches) {
    return InvalidArgument("it has ", branches.size(), " branches, where 1 to ", kMaxBranches, " can be");
  }
  if (node.inputs.empty()) return InvalidArgument("it has no branch_index");
  const std::vector<SiteValue> inputs(node.inputs.begin() + 1, node.inputs.end());
  if (branches.size() == 1) return AddOnlyBranch(inliner, branches, node.inputs[0], inputs, site);
  DF_ASSIGN(const SiteValue number, AddBranchNumber(inliner, branches.size(), node.inputs[0], site));
  return AddBranches(inliner, branches, 0, branches.size(), number, inputs, site);
}

}  // namespace dfrun
