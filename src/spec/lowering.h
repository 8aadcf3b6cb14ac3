// Entries and expressions of the spec to nodes of a graph.
//
// Names: an entry's outermost op has the entry's name N; ops within its expression are N/<Op>, N/<Op>_1, ...; constants
// are <node>/<input>, as TensorFlow names them. A call of a function makes a scope: its entries are <scope>/<entry>;
// the one value it returns is the node <scope>, several are <scope>/<return>. Errors go to the diagnostics with their
// place; building goes on with what does not depend on them. Thread safety: one thread.
#ifndef DFRUN_SRC_SPEC_LOWERING_H_
#define DFRUN_SRC_SPEC_LOWERING_H_

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/spec/call_frame.h"
#include "src/spec/cluster_spec.h"
#include "src/spec/constant.h"
#include "src/spec/job_spec.h"
#include "src/spec/op_arguments.h"

namespace dfrun {

inline constexpr int kMaxGraphNodes = 2'000'000;
inline constexpr int kMaxCallDepth = 50;
// Calls of calls can ask for any number of either.
inline constexpr int64_t kMaxCalls = 200'000;
inline constexpr NodeId kMaxNodes = 4'000'000;

// What lowering needs of the spec; outlives it.
struct LoweringInput {
  int64_t seed = 0;
  const FunctionMap& functions;
  const Params& params;
  const ClusterSpec& cluster;
};

// What a call of Variable says; shape and init are there, the others may be null.
struct VariableArgs {
  const Expr* shape = nullptr;
  const Expr* init = nullptr;
  const Expr* dtype = nullptr;
  const Expr* trainable = nullptr;
  const Expr* reduce = nullptr;
  const Expr* finite = nullptr;
  const Expr* container = nullptr;
  const Expr* shared_name = nullptr;
};

class Lowering {
 public:
  Lowering(const LoweringInput& input, Graph& graph, Diagnostics& diagnostics);

  // Builds the graph's entries.
  void AddGraph(const std::vector<GraphEntry>& entries);
  // Builds a scalar's expression as the node `name`, made free. A bare name builds nothing: it is what it names.
  // `wanted` may be null. Nothing after an error.
  std::optional<Output> AddExpression(const Yaml& scalar, const std::string& name, const WantedValue* wanted);
  // An output of the graph by its name in the spec. Nothing after an error; a name whose node failed has had one.
  std::optional<Output> Find(const Yaml& scalar);
  // A node by its name, which may have no outputs. Nothing after an error.
  std::optional<NodeId> FindNode(const Yaml& scalar);
  // To be called when all else is built.
  void CheckUncalledFunctions();
  // A node with attrs and inputs as given. Nothing after an error.
  std::optional<NodeId> AddNode(NodeSpec spec, SourcePlace place);
  // A variable with a constant first value that is not trained.
  std::optional<NodeId> AddCounter(const std::string& name, SourcePlace place);

  const std::vector<VariableSpec>& variables() const { return variables_; }
  // LoadedSpec::values.
  std::map<std::string, std::vector<Output>, std::less<>> ValuesThatAreNoNode() const;

 private:
  // An input as written: a value of the graph, or a constant, which gets its dtype from the others.
  struct Operand {
    const ArgDef* arg = nullptr;
    const Expr* expr = nullptr;  // null: left out
    std::optional<Output> output;
    Constant constant;
  };

  struct VariableType {
    WantedValue value;  // with a shape
    bool trainable;
    bool finite = true;
    VariableSpec::Reduce reduce = VariableSpec::Reduce::kUnsaid;
  };

  // Lowering of expressions (lowering.cc). An own name that is empty is made up.
  std::optional<Value> LowerExpr(const ExprContext& context, const Expr& expr, const std::string& own_name);
  std::optional<Output> LowerOne(const ExprContext& context, const Expr& expr, const std::string& own_name);
  std::optional<Value> LowerName(const ExprContext& context, const Expr& expr, const std::string& own_name);
  std::optional<Value> LowerCall(const ExprContext& context, const Expr& call, const std::string& own_name);
  std::optional<Output> Reference(const CallFrame& frame, const Expr& name);
  // The node that `^name` names, which may have no outputs.
  std::optional<NodeId> ControlReference(const CallFrame& frame, const Expr& name);
  const Value* FindValue(const CallFrame& frame, std::string_view name, Value& storage) const;
  void ReportUnknownName(const CallFrame& frame, const Expr& name);
  Folded Fold(const ExprContext& context, const Expr& expr);
  Folded FoldCallOf(const ExprContext& context, const Expr& call);
  std::string FreshName(const CallFrame& frame, const std::string& scope, std::string_view base) const;
  bool IsReserved(const CallFrame& frame, std::string_view name) const;

  // Entries (lower_entry.cc).
  void LowerEntries(CallFrame& frame, const std::vector<GraphEntry>& entries);
  void LowerEntry(CallFrame& frame, Entry& entry);
  std::optional<NodeOptions> EntryOptions(CallFrame& frame, const Entry& entry);
  EntryContext Parsing(CallFrame& frame) {
    return {in_.functions, graph_.ops(), *frame.params, in_.cluster, frame.families, frame.pool, diagnostics_};
  }

  // Ops (lower_op.cc).
  std::optional<Value> LowerOp(const ExprContext& context, const OpDef& op, const Expr& call,
                               const std::string& own_name);
  std::optional<Value> LowerConst(const ExprContext& context, const Expr& call, const std::string& own_name);
  std::optional<AttrMap> ConvertAttrs(const ExprContext& context, const OpArguments& arguments);
  std::optional<std::vector<Operand>> LowerOperands(const ExprContext& context, const OpDef& op,
                                                    const OpArguments& arguments);
  bool LowerControls(const ExprContext& context, const OpArguments& arguments, NodeSpec& spec);
  bool AddInputs(const ExprContext& context, const OpDef& op, std::vector<Operand>& operands, SourcePlace place,
                 NodeSpec& spec);
  std::optional<Output> AllAxes(const ExprContext& context, Output value, const std::string& name, SourcePlace place);
  std::optional<Output> AddConst(const ExprContext& context, const std::string& name, Tensor value, SourcePlace place);
  DType OperandDType(const OpDef& op, const AttrMap& attrs, const std::vector<Operand>& operands, size_t which) const;
  void SetSeeds(const OpDef& op, NodeSpec& spec) const;
  std::optional<NodeId> Add(const ExprContext& context, NodeSpec spec, SourcePlace place);
  Value AllOutputs(NodeId id) const;

  // Functions (lower_function.cc).
  std::optional<Value> LowerFunction(const ExprContext& context, const FunctionDef& def, const Expr& call,
                                     const std::string& own_name);
  bool BindArguments(const ExprContext& context, const FunctionDef& def, const Expr& call, CallFrame& frame,
                     Params& params);
  bool BindAttr(const ExprContext& context, const FunctionDef::AttrArg& attr, const Expr* given, const Expr& call,
                Params& params);
  std::optional<std::string> AttrText(const ExprContext& context, const Expr& value);
  bool CheckCallCount(const FunctionDef& def, SourcePlace place);
  bool CheckCallDepth(const CallFrame& frame, const FunctionDef& def, SourcePlace place);
  std::optional<Value> LowerReturns(CallFrame& frame, const FunctionDef& def);
  std::string CalledFrom(const CallFrame& frame) const;
  class InCall;

  // Variables (lower_variable.cc).
  std::optional<VariableType> ReadVariableType(const ExprContext& context, const VariableArgs& args);
  std::optional<Value> LowerVariable(const ExprContext& context, const Expr& call, const std::string& own_name);
  std::optional<Output> LowerConstant(const ExprContext& context, const std::string& name, const Constant& value,
                                      SourcePlace place);
  std::optional<Output> InitialValue(const ExprContext& context, const std::string& name, const Expr& init);

  // Conditionals and loops (lower_flow.cc; lower_cond.cc, lower_while.cc).
  struct LoopVar {
    std::string name;
    SourcePlace place;
    Output initial;
    NodeId merge;
    Output inside;
  };
  std::optional<Value> LowerCond(const ExprContext& context, const Expr& call, const std::string& own_name);
  std::optional<std::vector<Output>> LowerSide(const ExprContext& context, const Expr& expr, const std::string& scope);
  bool CheckSides(const Expr& call, const std::vector<Output>& then, const std::vector<Output>& otherwise,
                  SourcePlace place);
  std::optional<Value> LowerWhile(const ExprContext& context, const Expr& call, const std::string& own_name);
  bool CheckPredicate(Output pred, std::string_view what, SourcePlace place);
  bool ReadLoopVars(const ExprContext& context, const Expr& call, const Expr& body, const std::string& name,
                    std::vector<LoopVar>& vars);
  bool EnterLoop(const ExprContext& context, const std::string& name, std::vector<LoopVar>& vars);
  std::optional<Output> LowerLoopCond(const ExprContext& inner, const Expr& cond, const std::vector<LoopVar>& vars);
  std::optional<std::vector<Output>> LowerBody(const ExprContext& inner, const Expr& body,
                                               const std::vector<LoopVar>& vars);
  bool CloseLoop(const ExprContext& inner, const std::vector<LoopVar>& vars, const std::vector<Output>& next,
                 SourcePlace place);

  struct LoopOptions {
    int64_t parallel_iterations = 10;
    bool swap_memory = false;
  };
  // Of a While, as its keys say; nothing after an error, which is reported.
  std::optional<LoopOptions> ReadLoopOptions(const ExprContext& context, const Expr& call);

  // A branch or a loop that is being built: what its nodes read from outside comes through a Switch or an Enter.
  struct FlowLevel {
    int32_t id = 0;
    Output pred = {};        // of a branch, as the level around it can read it
    int side = 0;            // of the Switch
    std::string frame = {};  // of a loop
    LoopOptions loop = {};
    std::string scope = {};
    NodeId pivot = -1;  // alive where the branch is taken, or where the iteration runs
    std::map<std::pair<NodeId, int32_t>, Output> captured = {};
    bool is_loop() const { return !frame.empty(); }
  };
  // Makes a node's inputs such as the innermost level can read; false after an error, which is reported.
  bool EnterFlow(NodeSpec& spec, SourcePlace place);
  bool EnterFlowByControl(NodeSpec& spec, SourcePlace place);
  std::optional<Output> Capture(Output value, SourcePlace place);
  std::optional<Output> CaptureAt(Output value, int depth, SourcePlace place);
  // Where a node stands in flow_; -1: outside; nothing (an error) where that has ended.
  std::optional<int> DepthOf(NodeId node, SourcePlace place);
  // A node whose inputs are as they should be, at a depth of flow_.
  std::optional<Output> AddFlowNode(NodeSpec spec, int depth, SourcePlace place);
  int depth() const { return static_cast<int>(flow_.size()) - 1; }
  // An unpinned constant can be read from anywhere.
  bool IsFreeConstant(NodeId node) const;

  const LoweringInput& in_;
  Graph& graph_;
  Diagnostics& diagnostics_;
  CallFrame top_;
  std::unordered_set<std::string> scopes_;  // of function calls
  std::vector<VariableSpec> variables_;
  std::vector<FlowLevel> flow_;                  // outermost first
  std::unordered_map<NodeId, int32_t> flow_of_;  // FlowLevel::id, of nodes within any
  int32_t num_flows_ = 0;
  int64_t num_calls_ = 0;  // of functions
  int32_t call_ = -1;      // that nodes are made in, in the graph's list of calls
  std::unordered_set<const FunctionDef*> called_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_LOWERING_H_
