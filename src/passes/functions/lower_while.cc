// Lowers While to a frame of Enter, Merge, Switch, NextIteration and Exit. Source: TensorFlow's lowering of functional
// loops.
#include <algorithm>

#include "src/passes/functions/lowerings.h"

namespace dfrun {
namespace {

class Loop {
 public:
  Loop(SiteBuilder& inliner, const FunctionalNode& node, const CallSite& site)
      : inliner_(inliner), node_(node), site_(site), inside_(site) {
    inside_.ties.clear();
    inside_.is_conditional = true;
  }

  Result<Inlined> Add() {
    DF_ASSIGN(cond_, node_.attrs.Get<FunctionName>("cond"));
    DF_ASSIGN(body_, node_.attrs.Get<FunctionName>("body"));
    DF_TRY(FindInvariants());
    DF_TRY(EnterAll());
    DF_TRY(AddCondition());
    DF_TRY(AddBody());
    return ExitAll();
  }

 private:
  // A value of the loop. One that changes has a Merge and a Switch; the others are the same in every iteration.
  struct Variable {
    SiteValue initial;
    bool is_invariant = false;
    SiteValue merged;  // the Merge's value; for an invariant, the Enter's
    SiteValue switched;
  };

  Status FindInvariants() {
    DF_ASSIGN(const FunctionBody* const body, inliner_.library().Find(body_.name));
    DF_TRY(CheckCount(StrCat("the body '", body_.name, "'"), body->returns.size(), body->signature.inputs.size()));
    const bool is_plain = body->signature.inputs.size() == node_.inputs.size();  // no argument is a list
    bool changes = false;
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      const bool is_invariant = is_plain && PassthroughArgument(*body, static_cast<int>(i)) == static_cast<int>(i);
      variables_.push_back({node_.inputs[i], is_invariant, {}, {}});
      changes |= !is_invariant;
    }
    if (changes) return Status();
    // The primitives need a loop variable.
    DF_ASSIGN(const SiteValue token, inliner_.Add("token", "Const", {}, site_,
                                                  {{"value", Tensor::Scalar<bool>(true)}, {"dtype", DType::kBool}}));
    variables_.push_back({token, false, {}, {}});
    has_token_ = true;
    return Status();
  }

  Status EnterAll() {
    DF_ASSIGN(const int64_t parallel, node_.attrs.GetOr<int64_t>("parallel_iterations", 10));
    // The name of the node, which no other has.
    const std::string frame = site_.prefix.substr(0, site_.prefix.size() - 1);
    for (Variable& v : variables_) {
      const AttrMap attrs = {{"frame_name", frame}, {"is_constant", v.is_invariant}, {"parallel_iterations", parallel}};
      DF_ASSIGN(SiteValue entered, inliner_.Add("enter", "Enter", {v.initial}, site_, attrs,
                                                v.initial.floats ? site_.ties : std::vector<NodeId>()));
      entered.floats = v.is_invariant;
      v.merged = entered;
      if (v.is_invariant) continue;
      DF_ASSIGN(v.merged, inliner_.Add("merge", "Merge", {entered, SiteValue{}}, inside_,
                                       {{"T", inliner_.to().dtype(entered.output)}, {"N", 2}}));
    }
    return Status();
  }

  // The first value that changes: nodes behind it run once an iteration.
  const Variable& leader() const {
    return *std::find_if(variables_.begin(), variables_.end(), [](const Variable& v) { return !v.is_invariant; });
  }

  CallSite SiteAfter(SiteValue tie, const char* name) const {
    CallSite out = inside_;
    out.prefix += StrCat(name, "/");
    out.ties = {tie.output.node};
    return out;
  }

  std::vector<SiteValue> Arguments(SiteValue Variable::*of) const {
    std::vector<SiteValue> out;
    for (size_t i = 0; i < node_.inputs.size(); ++i) out.push_back(variables_[i].*of);
    return out;
  }

  Status AddCondition() {
    const CallSite site = SiteAfter(leader().merged, "cond");
    DF_ASSIGN(const Inlined made, inliner_.Call(cond_, Arguments(&Variable::merged), site));
    DF_TRY(CheckCount(StrCat("the condition '", cond_.name, "'"), made.outputs.size(), 1));
    has_effects_ |= !made.effects.empty();
    DF_ASSIGN(const SiteValue predicate, AsPredicate(inliner_, made.outputs[0], site));
    DF_ASSIGN(const SiteValue goes_on, inliner_.Add("loop_cond", "LoopCond", {predicate}, inside_));
    for (Variable& v : variables_) {
      v.switched = v.merged;
      if (v.is_invariant) continue;
      DF_ASSIGN(v.switched, inliner_.Add("switch", "Switch", {v.merged, goes_on}, inside_));
      v.switched.output.port = 1;
    }
    return Status();
  }

  Status AddBody() {
    DF_ASSIGN(const SiteValue pivot, inliner_.Add("pivot", "Identity", {leader().switched}, inside_));
    const CallSite site = SiteAfter(pivot, "body");
    DF_ASSIGN(Inlined made, inliner_.Call(body_, Arguments(&Variable::switched), site));
    DF_TRY(CheckCount(StrCat("the body '", body_.name, "'"), made.outputs.size(), node_.inputs.size()));
    has_effects_ |= !made.effects.empty();
    if (has_token_) {
      DF_ASSIGN(const SiteValue token, inliner_.Add("token_out", "Identity", {pivot}, inside_, {}, made.effects));
      made.outputs.push_back(token);
    }
    for (size_t i = 0; i < variables_.size(); ++i) {
      if (variables_[i].is_invariant) continue;
      DF_ASSIGN(const SiteValue next, inliner_.Add("next", "NextIteration", {made.outputs[i]}, inside_));
      DF_TRY(inliner_.to().SetInput(variables_[i].merged.output.node, 1, next.output));
    }
    return Status();
  }

  // Adds the Exits. The effects of the body are done with any of them. A node that waits for a lowered loop waits for
  // all of them.
  Result<Inlined> ExitAll() {
    std::vector<NodeId> exits;
    for (Variable& v : variables_) {
      if (v.is_invariant) continue;
      DF_ASSIGN(const SiteValue left, inliner_.Add("exit", "Exit", {{{v.switched.output.node, 0}}}, inside_));
      exits.push_back(left.output.node);
      v.merged = left;
    }
    Inlined out;
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      SiteValue value = variables_[i].is_invariant ? variables_[i].initial : variables_[i].merged;
      if (variables_[i].is_invariant && has_effects_) {
        DF_ASSIGN(value, inliner_.Add("output", "Identity", {value}, site_, {}, {exits[0]}));
      }
      out.outputs.push_back(value);
    }
    out.is_whole = site_.runs_all;
    if (!out.is_whole) {
      DF_ASSIGN(const SiteValue executed, inliner_.Add("executed", "NoOp", {}, site_, {}, exits));
      out.effects = {executed.output.node};
    } else if (has_effects_) {
      out.effects = {exits[0]};
    }
    return out;
  }

  SiteBuilder& inliner_;
  const FunctionalNode& node_;
  const CallSite& site_;
  CallSite inside_;
  FunctionName cond_;
  FunctionName body_;
  std::vector<Variable> variables_;  // one an input; then, if it is needed, the token
  bool has_token_ = false;
  bool has_effects_ = false;
};

}  // namespace

Result<Inlined> LowerWhile(SiteBuilder& inliner, const FunctionalNode& node, const CallSite& site) {
  return Loop(inliner, node, site).Add();
}

}  // namespace dfrun
