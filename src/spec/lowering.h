// Lowers entries and expressions of the spec to nodes of a graph.
//
// Names: an entry's outermost op has the entry's name N; ops within its expression are N/<Op>, N/<Op>_1, ...; constants
// are <node>/<input>, as TensorFlow names them. A call of a function makes a scope: its entries are <scope>/<entry>;
// the one value it returns is the node <scope>, several are <scope>/<return>. Errors go to the diagnostics with their
// position; nodes that do not depend on them are still built.
//
// A Lowering builds the form of the graph for one mode: training, or not. Names, and so variables and seeds, are those
// of both forms.
// Thread safety: one thread.
#ifndef DFRUN_SRC_SPEC_LOWERING_H_
#define DFRUN_SRC_SPEC_LOWERING_H_

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/spec/call_frame.h"
#include "src/spec/cluster_spec.h"
#include "src/spec/expr/constant.h"
#include "src/spec/job_spec.h"
#include "src/spec/op_arguments.h"
#include "src/spec/update_finder.h"

namespace dfrun {

inline constexpr int kMaxGraphNodes = 2'000'000;
inline constexpr int kMaxCallDepth = 50;
// Bounds on calls and nodes: calls of functions that call functions can ask for any number.
inline constexpr int64_t kMaxCalls = 200'000;
inline constexpr NodeId kMaxNodes = 4'000'000;

// The dtypes and shapes of the values of a Cond that the mode decides, by its place in the graph and in the spec.
using DecidedSides = std::map<std::string, std::vector<std::pair<DType, PartialShape>>>;

// The parts of the spec that lowering needs. They outlive the Lowering.
struct LoweringInput {
  int64_t seed = 0;
  const FunctionMap& functions;
  const Params& params;
  const ClusterSpec& cluster;
  bool training = false;  // the mode that `training` stands for
  // The calls of functions, by scope, in which a constant of the mode is fed: nodes and branches within are chosen as
  // for training.
  std::set<std::string> fed_calls = {};
  const DecidedSides* other_sides = nullptr;  // by the form that was built before; null: none was
};

// The arguments of a call of Variable; shape and init are set, the others may be null.
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

// Lowers one spec into one graph.
// Thread safety: one thread.
class Lowering {
 public:
  Lowering(const LoweringInput& input, Graph& graph, Diagnostics& diagnostics);

  // Builds the graph's entries.
  void AddGraph(const std::vector<GraphEntry>& entries);
  // Builds a scalar's expression as the node `name`, or a free name near it. A bare name builds nothing and gives the
  // output that it names. `wanted` may be null. Returns nothing after an error.
  std::optional<Output> AddExpression(const Yaml& scalar, const std::string& name, const WantedValue* wanted);
  // Finds an output of the graph by its name in the spec. Returns nothing after an error; for a node that failed none
  // is added.
  std::optional<Output> Find(const Yaml& scalar);
  // Finds a node by its name, also one without outputs. Returns nothing after an error.
  std::optional<NodeId> FindNode(const Yaml& scalar);
  // Reports errors in functions that nothing calls. Call when all else is built.
  void CheckUncalledFunctions();
  // Adds a node with the given attrs and inputs. Returns nothing after an error.
  std::optional<NodeId> AddNode(NodeSpec spec, SourceLocation location);
  // Adds a variable with a constant first value that is not trained.
  std::optional<NodeId> AddCounter(const std::string& name, SourceLocation location);

  // Whether something has called the function.
  bool IsCalled(const FunctionDef& def) const { return called_.contains(&def); }

  const std::vector<VariableSpec>& variables() const { return variables_; }
  // Adds a variable of the other form, whose nodes are in this graph.
  void AddVariable(VariableSpec variable) { variables_.push_back(variable); }

  // Whether the mode has decided anything, so that the form of the other mode may be another graph.
  bool depends_on_mode() const { return mode_reads_ > 0; }
  const DecidedSides& decided_sides() const { return decided_sides_; }
  // Whether the node is a constant whose value the mode decides, such as the share of a dropout.
  bool IsModeConstant(NodeId node) const { return mode_constants_.contains(node); }
  // LoadedSpec::values.
  std::map<std::string, std::vector<Output>, std::less<>> ValuesThatAreNoNode() const;

 private:
  // An input as it is written: a value of the graph, or a constant, whose dtype follows from the other inputs.
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

  // Modes (lower_mode.cc).
  // A bool that the mode decides: its value, and the one by which nodes and branches are chosen
  // (LoweringInput::fed_calls).
  struct ModeBool {
    bool value = false;
    bool choice = false;
    bool depends_on_mode = false;  // else it is written as `true` or `false`
  };
  // Whether a name means the mode: no node, argument, attr or param has it.
  bool IsMode(const CallFrame& frame, const Expr& expr) const;
  // Whether the names of nodes that are constants of the mode count. Their values may be fed.
  enum class ModeNodes { kRead, kUnread };
  std::optional<ModeBool> ModeBoolOf(const ExprContext& context, const Expr& expr, ModeNodes nodes);
  std::optional<ModeBool> ModeBoolOfName(const ExprContext& context, const Expr& name, ModeNodes nodes);
  std::optional<ModeBool> ModeBoolOfCall(const ExprContext& context, const Expr& call, ModeNodes nodes);
  // The choice of a predicate that the mode decides; nothing for one that the step decides.
  std::optional<bool> ModeChoice(const ExprContext& context, const Expr& pred);
  // Folds a Cond between constants that the mode decides; kNotConstant for others.
  Folded FoldDecidedCond(const ExprContext& context, const Expr& call);
  // Builds the side of a Cond that the mode has chosen, under the name of the Cond.
  std::optional<Value> LowerDecidedSide(const ExprContext& context, const Expr& side, const std::string& own_name);
  bool CheckDecidedSides(const ExprContext& context, const Expr& call, const Expr& otherwise, const Value& value);
  // Notes that a constant was made of an expression in which the mode was read.
  void NoteModeConstant(const ExprContext& context, const Expr& expr, NodeId node);
  // Whether an entry is built in this form; nothing after an error, which is reported.
  std::optional<bool> IsPresent(CallFrame& frame, const Entry& entry);
  void ReportAbsent(const Expr& name, const Value& absent);
  // Explains that `training` is the name of no node, where it is the mode or a param or an attr hides that.
  std::string AboutHiddenMode(const CallFrame& frame, std::string_view name) const;

  // Lowering of expressions (lowering.cc). If `own_name` is empty a name is made up.
  std::optional<Value> LowerExpr(const ExprContext& context, const Expr& expr, const std::string& own_name);
  std::optional<Output> LowerOne(const ExprContext& context, const Expr& expr, const std::string& own_name);
  // The values of a list's items, one each; all values of an expression.
  std::optional<std::vector<Output>> LowerItems(const ExprContext& context, const Expr& list);
  std::optional<std::vector<Output>> LowerAll(const ExprContext& context, const Expr& expr);
  std::optional<Value> LowerName(const ExprContext& context, const Expr& expr, const std::string& own_name);
  std::optional<Value> LowerCall(const ExprContext& context, const Expr& call, const std::string& own_name);
  std::optional<Output> Reference(const CallFrame& frame, const Expr& name);
  // Finds the node that `^name` names, which may have no outputs.
  std::optional<NodeId> ControlReference(const CallFrame& frame, const Expr& name);
  // Adds the node that `^name` names to `controls`, if it is there in this form. False after an error.
  bool AddControl(const CallFrame& frame, const Expr& name, std::vector<NodeId>& controls);
  const Value* FindValue(const CallFrame& frame, std::string_view name, Value& storage) const;
  void ReportUnknownName(const CallFrame& frame, const Expr& name);
  std::string AboutUnknownName(const CallFrame& frame, std::string_view name) const;
  std::vector<std::string> NamesNear(const CallFrame& frame, std::string_view name) const;
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
  bool AddInputs(const ExprContext& context, const OpDef& op, std::vector<Operand>& operands, SourceLocation location,
                 NodeSpec& spec);
  std::optional<Output> AllAxes(const ExprContext& context, Output value, const std::string& name,
                                SourceLocation location);
  std::optional<Output> AddConst(const ExprContext& context, const std::string& name, Tensor value,
                                 SourceLocation location);
  DType OperandDType(const OpDef& op, const AttrMap& attrs, const std::vector<Operand>& operands, size_t which) const;
  bool CheckQuotient(const Expr& call, const std::vector<Output>& inputs);
  void SetSeeds(const OpDef& op, NodeSpec& spec) const;
  std::optional<NodeId> Add(const ExprContext& context, NodeSpec spec, SourceLocation location);
  std::string AboutInputs(const CallFrame& frame, const OpDef& op, const std::vector<Output>& inputs) const;
  Value AllOutputs(NodeId id) const;

  // Functions (lower_function.cc).
  // A call that is being built; it stays where it is.
  struct FunctionCall {
    FunctionCall(const FunctionDef& callee, const Params& outer) : def(callee), params(&outer) {}
    FunctionCall(const FunctionCall&) = delete;
    FunctionCall& operator=(const FunctionCall&) = delete;

    const FunctionDef& def;
    Params params;
    CallFrame frame;
    std::vector<const Expr*> arguments;  // by FunctionDef::args
    int32_t number = -1;                 // among the graph's calls, once there are nodes of it
  };
  // Makes new nodes and errors belong to a call while an object lives.
  class InCall {
   public:
    InCall(Lowering& lowering, FunctionCall& made);
    ~InCall() { lowering_.call_ = around_; }
    InCall(const InCall&) = delete;
    InCall& operator=(const InCall&) = delete;

   private:
    Lowering& lowering_;
    const int32_t around_;
    const Diagnostics::Context errors_;
  };
  std::optional<Value> LowerFunction(const ExprContext& context, const FunctionDef& def, const Expr& call,
                                     const std::string& own_name);
  // Makes the frame, with the attrs: arguments, entries and returns are to be lowered in it.
  bool BeginCall(const ExprContext& context, const Expr& call, const std::string& own_name, FunctionCall& made);
  bool MatchArgumentsOf(const ExprContext& context, const Expr& call, FunctionCall& made);
  bool BindArgument(const ExprContext& context, size_t i, FunctionCall& made);
  bool BindAttr(const ExprContext& context, const FunctionDef::AttrArg& attr, const Expr* given, const Expr& call,
                Params& params);
  std::optional<std::string> AttrText(const ExprContext& context, const Expr& value);
  // Whether the text of an attr is an expression of the mode, which the function called sees as well.
  bool PassesMode(const ExprContext& context, const Expr& value, const Expr& call);
  bool CheckCallCount(const FunctionDef& def, SourceLocation location);
  bool CheckCallDepth(const CallFrame& frame, const FunctionDef& def, SourceLocation location);
  std::optional<Value> LowerReturns(CallFrame& frame, const FunctionDef& def, std::vector<Entry>& returns);
  // The innermost first.
  static std::vector<SourceCall> CallsOf(const CallFrame& frame);

  // Entries that refer to each other crosswise (lower_parts.cc).
  class Parts;
  void LowerCrosswise(CallFrame& frame, std::vector<Entry>& entries);
  // A node to wait for in place of one that is yet to be built; nothing where `name` names none.
  std::optional<NodeId> StandIn(const CallFrame& frame, const Expr& name);
  void CheckStandIns();

  // Variables (lower_variable.cc).
  std::optional<VariableType> ReadVariableType(const ExprContext& context, const VariableArgs& args);
  std::optional<Value> LowerVariable(const ExprContext& context, const Expr& call, const std::string& own_name);
  std::optional<Output> LowerConstant(const ExprContext& context, const std::string& name, const Constant& value,
                                      SourceLocation location);
  std::optional<Output> InitialValue(const ExprContext& context, const std::string& name, const Expr& init);

  // Conditionals and loops (lower_flow.cc; lower_cond.cc, lower_while.cc).
  struct LoopVar {
    std::string name;
    SourceLocation location;
    Output initial;
    NodeId merge;
    Output inside;
  };
  std::optional<Value> LowerCond(const ExprContext& context, const Expr& call, const std::string& own_name);
  std::optional<Output> LowerCondition(const ExprContext& context, const Expr& pred);
  std::optional<std::vector<Output>> LowerSide(const ExprContext& context, const Expr& expr, Output pivot);
  std::optional<Value> MergeSides(const std::string& name, const std::vector<Output> (&results)[2],
                                  SourceLocation location);
  bool CheckSides(const Expr& call, const std::vector<Output>& then, const std::vector<Output>& otherwise,
                  SourceLocation location);
  std::optional<Value> LowerWhile(const ExprContext& context, const Expr& call, const std::string& own_name);
  bool CheckPredicate(Output pred, std::string_view what, SourceLocation location);
  bool ReadLoopVars(const ExprContext& context, const Expr& call, const Expr& body, const std::string& name,
                    std::vector<LoopVar>& vars);
  bool EnterLoop(const std::string& name, std::vector<LoopVar>& vars);
  // Bounds the turns by `limit`, written as max_iterations: the last of `vars` is then made to count them.
  std::optional<Output> AddTurnCounter(const ExprContext& context, const Expr& limit, const std::string& name,
                                       std::vector<LoopVar>& vars);
  std::optional<Output> LowerLoopCond(const ExprContext& inner, const Expr& cond, const std::vector<LoopVar>& vars,
                                      std::optional<Output> limit);
  std::optional<Output> AddInLoop(const ExprContext& inner, const char* op, Output a, Output b,
                                  SourceLocation location);
  std::optional<Output> CountTurn(const ExprContext& inner, const LoopVar& counter);
  std::optional<std::vector<Output>> LowerBody(const ExprContext& inner, const Expr& body,
                                               std::span<const LoopVar> vars);
  bool CloseLoop(const ExprContext& inner, const std::vector<LoopVar>& vars, const std::vector<Output>& next,
                 SourceLocation location);

  struct LoopOptions {
    int64_t parallel_iterations = 10;
    bool swap_memory = false;
  };
  // Reads the options of a While; nothing after an error, which is reported.
  std::optional<LoopOptions> ReadLoopOptions(const ExprContext& context, const Expr& call);

  // A value from outside of a level. Of a variable: whether itself, or its value after some nodes.
  struct CaptureKey {
    Output value;
    bool by_ref;
    std::vector<NodeId> controls;
    bool operator<(const CaptureKey& o) const {
      return std::tie(value.node, value.port, by_ref, controls) <
             std::tie(o.value.node, o.value.port, o.by_ref, o.controls);
    }
  };
  // A branch or a loop that is being built. Its nodes read values from outside through a Switch or an Enter.
  struct FlowLevel {
    int32_t id = 0;
    Output pred = {};        // branch: the predicate, as the outer level reads it
    int side = 0;            // the output of the Switch
    std::string frame = {};  // loop: its frame_name
    LoopOptions loop = {};
    std::string scope = {};
    std::vector<NodeId> controls = {};  // nodes that the Cond or While waits for
    NodeId pivot = -1;                  // alive if the branch is taken or the iteration runs
    NodeId loop_cond = -1;
    std::vector<NodeId> results = {};  // the Identities of a side's values, the NextIterations of a loop
    std::map<CaptureKey, Output> captured = {};
    bool is_loop() const { return !frame.empty(); }
  };
  // A level that has been built.
  struct EndedFlow {
    int32_t id = 0;
    int32_t around = 0;  // the level around it; 0: none
    NodeId loop_cond = -1;
    std::vector<NodeId> results = {};
    std::vector<NodeId> ends = {};  // the nodes around it that give its results
  };
  // The way a node reads a value from outside of its level.
  struct Reading {
    bool by_ref = false;
    std::vector<NodeId> controls = {};  // nodes that the reading node waits for
    SourceLocation location = {};
  };

  // BeginFlow() begins a Cond or a While that is in no other. Levels are pushed and popped in between.
  void BeginFlow(const Expr& call);
  void PopFlow();
  // `ends` give the results of these levels, by FlowLevel::id.
  void EndFlow(const std::vector<Output>& ends, const std::vector<int32_t>& levels);
  // The surroundings of the expressions within a Cond or While, whose own options hold for all nodes within.
  void EnterFrame(const ExprContext& context, CallFrame& frame) const;
  static std::vector<NodeId> ControlsOf(const ExprContext& context);
  // Replaces a node's inputs by ones that the innermost level can read; false after an error, which is reported.
  bool EnterFlow(NodeSpec& spec, SourceLocation location);
  bool CaptureInputs(const OpDef* op, NodeSpec& spec, SourceLocation location);
  // The nodes that a node at a depth can wait for in place of `controls`, less those that are deeper.
  std::optional<std::vector<NodeId>> ControlsAt(const std::vector<NodeId>& controls, int at, SourceLocation location);
  std::optional<NodeId> ControlAt(NodeId control, int at, SourceLocation location);
  std::optional<Output> Capture(Output value, const Reading& how);
  std::optional<Output> CaptureAt(Output value, int at, const Reading& how);
  std::optional<Output> ReadBefore(Output variable, int at, std::vector<NodeId> controls, SourceLocation location);
  // The depth of a node's level in flow_; -1: outside of all. Nothing, after an error, if that level has ended.
  std::optional<int> DepthOf(NodeId node, SourceLocation location);
  // Adds a node at a depth of flow_, whose inputs that level can read.
  std::optional<Output> AddFlowNode(NodeSpec spec, int depth, SourceLocation location);

  // Updates of variables within Conds and Whiles (lower_updates.cc).
  // The variable that an output refers to, or whose value an output of ReadBefore() or CaptureAt() is; invalid for
  // others.
  Output VariableOf(Output value) const;
  bool IsUpdated(Output variable) const { return updated_.contains({variable.node, variable.port}); }
  // Notes that the variable is updated: it is read where it is used, also by nodes that have been built.
  void MarkUpdated(Output variable);
  // Has a node read the variables among its inputs when it runs, after its other inputs and its control inputs.
  bool ReadAtUse(const OpDef* op, NodeSpec& spec, SourceLocation location);
  std::optional<Output> AddRead(const NodeSpec& reader, size_t input, SourceLocation location);
  void OrderUpdates();
  int depth() const { return static_cast<int>(flow_.size()) - 1; }
  // An unpinned constant can be read from anywhere.
  bool IsFreeConstant(NodeId node) const;

  const LoweringInput& in_;
  Graph& graph_;
  Diagnostics& diagnostics_;
  CallFrame top_;
  std::unordered_set<std::string> scopes_;  // scopes of function calls
  std::vector<VariableSpec> variables_;
  std::vector<FlowLevel> flow_;                  // outermost first
  std::unordered_map<NodeId, int32_t> flow_of_;  // FlowLevel::id, for nodes within a level
  int32_t num_flows_ = 0;
  UpdateFinder update_finder_;
  // State of the outermost Cond or While that is being built.
  NodeId first_of_flow_ = 0;
  bool may_update_ = false;
  std::vector<EndedFlow> ended_;                  // inner ones first
  std::map<NodeId, Output> variable_reads_;       // by read or captured value: the variable
  std::set<std::pair<NodeId, int32_t>> updated_;  // variables
  int64_t num_calls_ = 0;                         // number of function calls
  int32_t call_ = -1;                             // the current call, as an index into the graph's calls
  std::unordered_set<const FunctionDef*> called_;
  Parts* parts_ = nullptr;  // the innermost that are being built
  int64_t mode_reads_ = 0;
  bool in_init_ = false;  // first values are the same in both forms
  std::unordered_set<NodeId> mode_constants_;
  std::unordered_map<NodeId, ModeBool> mode_bools_;  // by constant
  DecidedSides decided_sides_;
  std::unordered_set<NodeId> stand_ins_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_LOWERING_H_
