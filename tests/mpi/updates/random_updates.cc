#include "tests/mpi/updates/random_updates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "src/graph/graph_def/graph_def.h"
#include "src/passes/functions/lower_functions.h"
#include "tests/mpi/updates/ordered_graph.h"

namespace dfrun::testing {
namespace {

using Vec = std::vector<float>;
using State = UpdateProgram::State;
using Statement = UpdateProgram::Statement;

constexpr float kModulus = 509;
constexpr int kMaxTrips = 3;

// madd(a, b) = 3 a + b; bump(handle, x) adds x to the variable and returns its value; grow(i, x, w): x + w while i < 2.
constexpr const char* kLibrary = R"(
library {
  function {
    signature { name: "madd" input_arg { name: "a" type: DT_FLOAT } input_arg { name: "b" type: DT_FLOAT }
                output_arg { name: "y" type: DT_FLOAT } }
    node_def { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
               attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 3 } } } }
    node_def { name: "m" op: "Mul" input: "a" input: "c:output:0" attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "s" op: "AddV2" input: "m:z:0" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "y" value: "s:z:0" } }
  function {
    signature { name: "sum" input_arg { name: "a" type: DT_FLOAT } input_arg { name: "b" type: DT_FLOAT }
                output_arg { name: "y" type: DT_FLOAT } }
    node_def { name: "s" op: "AddV2" input: "a" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "y" value: "s:z:0" } }
  function {
    signature { name: "bump" is_stateful: true
                input_arg { name: "v" type: DT_RESOURCE } input_arg { name: "x" type: DT_FLOAT }
                output_arg { name: "y" type: DT_FLOAT } }
    node_def { name: "u" op: "AssignAddVariableOp" input: "v" input: "x"
               attr { key: "dtype" value { type: DT_FLOAT } } }
    node_def { name: "r" op: "ReadVariableOp" input: "v" input: "^u" attr { key: "dtype" value { type: DT_FLOAT } } }
    ret { key: "y" value: "r:value:0" } control_ret { key: "u" value: "u" } }
  function {
    signature { name: "few" input_arg { name: "i" type: DT_INT32 } input_arg { name: "x" type: DT_FLOAT }
                input_arg { name: "w" type: DT_FLOAT } output_arg { name: "y" type: DT_BOOL } }
    node_def { name: "c" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
               attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 2 } } } }
    node_def { name: "l" op: "Less" input: "i" input: "c:output:0" attr { key: "T" value { type: DT_INT32 } } }
    ret { key: "y" value: "l:z:0" } }
  function {
    signature { name: "grow" input_arg { name: "i" type: DT_INT32 } input_arg { name: "x" type: DT_FLOAT }
                input_arg { name: "w" type: DT_FLOAT } output_arg { name: "j" type: DT_INT32 }
                output_arg { name: "y" type: DT_FLOAT } output_arg { name: "z" type: DT_FLOAT } }
    node_def { name: "c" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
               attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } } }
    node_def { name: "n" op: "AddV2" input: "i" input: "c:output:0" attr { key: "T" value { type: DT_INT32 } } }
    node_def { name: "s" op: "AddV2" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "j" value: "n:z:0" } ret { key: "y" value: "s:z:0" } ret { key: "z" value: "w" } }
}
versions { producer: 1205 }
)";

// A negative number without remainder gives a negative zero, as in FloorMod.
float Modulo(float x) {
  const float rest = std::fmod(x, kModulus);
  return rest < 0 ? rest + kModulus : rest;
}
float SumOf(const Vec& v) {
  float sum = 0;
  for (float x : v) sum += x;
  return sum;
}
bool IsOddSum(const Vec& v) {
  return std::fmod(SumOf(v), 2.0F) > 0.5F;
}
Vec Map(const Vec& a, const Vec& b, float (*f)(float, float)) {
  Vec out(a.size());
  for (size_t i = 0; i < a.size(); ++i) out[i] = f(a[i], b[i]);
  return out;
}
Vec Plus(const Vec& a, const Vec& b) {
  return Map(a, b, [](float x, float y) { return x + y; });
}
Vec Minus(const Vec& a, const Vec& b) {
  return Map(a, b, [](float x, float y) { return x - y; });
}

// The nodes that the next access of a variable must follow.
struct Touches {
  std::vector<NodeId> updates;
  std::vector<NodeId> reads;  // reads since these updates
  Output last = {};           // reference that the last update returns, if any
};

struct Variable {
  bool is_large = false;
  bool is_handle = false;
};

// The place of statements: the whole program, a side of a conditional, or the body of a loop.
struct Scope {
  int depth = 0;
  bool is_loop = false;
  NodeId pivot = -1;                           // node that runs if and only if the scope does
  std::vector<std::pair<int, Output>> values;  // by number in the state
  std::map<int, Output> refs;                  // by variable: a reference or a handle
  std::map<int, Touches> touches;              // by variable
  std::set<int> touched;
  std::vector<NodeId> touching;
  std::vector<Statement> statements;
};

class Maker {
 public:
  Maker(Graph library, uint64_t seed, const UpdateOptions& options) : g_(std::move(library), seed), options_(options) {}

  Result<UpdateProgram> Make() {
    Scope top;
    AddVariables(top);
    for (int i = 0; i < 2; ++i) AddConstant(top);
    for (int i = 0; i < options_.statements; ++i) AddStatement(top);
    for (const auto& [v, ref] : top.refs) Read(top, v);
    DF_TRY(g_.status());
    for (const auto& [number, value] : top.values) {
      program_.fetches.push_back(OutputName(g_.graph(), value));
      program_.fetched.push_back(number);
    }
    program_.statements = std::move(top.statements);
    program_.graph = std::move(g_.graph());
    DF_TRY(LowerFunctions(program_.graph));
    return std::move(program_);
  }

 private:
  // --- values
  int NewValue(Vec now = Vec(kWidth, 0)) {
    program_.initial.values.push_back(std::move(now));
    return static_cast<int>(program_.initial.values.size()) - 1;
  }
  void Give(Scope& scope, int number, Output value) { scope.values.emplace_back(number, value); }
  const std::pair<int, Output>& Pick(const Scope& scope) {
    const int count = static_cast<int>(scope.values.size());
    return scope.values[static_cast<size_t>(count - 1 - g_.Below(std::min(count, 5)))];
  }
  Output Scalar(float value) { return g_.Const(Tensor::Scalar<float>(value)); }
  Output Axis() { return g_.Const(Tensor::Scalar<int32_t>(0)); }
  Output Rows(const std::vector<int32_t>& rows) { return g_.Const(Tensor::Vector<int32_t>(rows)); }
  Output Bounded(Output value) { return g_.Add("FloorMod", {value, Scalar(kModulus)}); }

  void AddConstant(Scope& scope) {
    Vec now(kWidth);
    for (float& x : now) x = static_cast<float>(g_.Below(100));
    const Output value = g_.Const(Tensor::Vector<float>(now));
    Give(scope, NewValue(std::move(now)), value);
  }

  void Compute(Scope& scope) {
    const auto [a, x] = Pick(scope);
    const auto [b, y] = Pick(scope);
    const int out = NewValue();
    Give(scope, out, Bounded(g_.Add("AddV2", {g_.Add("Mul", {x, Scalar(3)}), y})));
    scope.statements.emplace_back([=, a = a, b = b](State& s) {
      for (size_t i = 0; i < kWidth; ++i) s.values[out][i] = Modulo(s.values[a][i] * 3 + s.values[b][i]);
    });
  }

  // --- variables
  void AddVariables(Scope& top) {
    const int count = 2 + g_.Below(3);
    for (int v = 0; v < count && g_.status().ok(); ++v) {
      const Variable variable = {.is_large = g_.Maybe(30), .is_handle = g_.Maybe(25)};
      variables_.push_back(variable);
      const int64_t size = variable.is_large ? options_.large_elements : kWidth;
      const AttrMap attrs = {{"dtype", DType::kFloat}, {"shape", PartialShape({size})}};
      const Output made = g_.Add(variable.is_handle ? "VarHandleOp" : "VariableV2", {}, attrs);
      const auto first = static_cast<float>(g_.Below(100));
      const Output value =
          g_.Add("Fill", {g_.Const(Tensor::Vector<int32_t>({static_cast<int32_t>(size)})), Scalar(first)});
      const Output init = g_.Add(variable.is_handle ? "AssignVariableOp" : "Assign", {made, value});
      program_.inits.push_back(g_.graph().node(init.node).name);
      program_.initial.variables.emplace_back(static_cast<size_t>(variable.is_large ? 1 : kWidth), first);
      top.refs[v] = made;
    }
  }
  int PickVariable(const Scope& scope) {
    auto it = scope.refs.begin();
    std::advance(it, g_.Below(static_cast<int>(scope.refs.size())));
    return it->first;
  }
  static void Note(Scope& scope, int v, NodeId node) {
    scope.touched.insert(v);
    scope.touching.push_back(node);
  }
  Output AddReader(Scope& scope, int v, const std::string& op, std::vector<Output> inputs, AttrMap attrs = {}) {
    Touches& touches = scope.touches[v];
    const bool is_tied = std::any_of(inputs.begin(), inputs.end(), [&](Output o) { return IsOf(scope, o); });
    std::vector<NodeId> anchor = is_tied ? std::vector<NodeId>() : Anchor(scope);
    const Output made = g_.AddAfter(touches.updates, op, std::move(inputs), std::move(attrs), std::move(anchor));
    touches.reads.push_back(made.node);
    Note(scope, v, made.node);
    return made;
  }
  static bool IsOf(const Scope& scope, Output output) {
    return std::any_of(scope.values.begin(), scope.values.end(), [&](const auto& v) { return v.second == output; });
  }
  // Returns the control inputs of a node that reads no value of the scope.
  static std::vector<NodeId> Anchor(const Scope& scope) {
    return scope.pivot < 0 ? std::vector<NodeId>() : std::vector<NodeId>{scope.pivot};
  }
  // Returns a reference to the variable: its own, or the one that its last update returns.
  Output Ref(const Scope& scope, int v) {
    const auto touches = scope.touches.find(v);
    const bool has_last = touches != scope.touches.end() && touches->second.last.valid();
    return has_last && g_.Maybe(25) ? touches->second.last : scope.refs.at(v);
  }

  void Read(Scope& scope, int v) {
    if (variables_[v].is_large) return ReadLarge(scope, v);
    const auto [a, x] = Pick(scope);
    const Output ref = Ref(scope, v);
    const int out = NewValue();
    float factor = 1;
    float factor_if_odd = 0;  // added to `factor` if the sum of x is odd
    Output made;
    std::vector<int32_t> rows = {0, 1, 2, 3};
    if (variables_[v].is_handle) {
      made = ReadHandle(scope, v, rows, x);
    } else {
      switch (g_.Below(scope.depth == 0 ? 9 : 6)) {
        case 0:
          made = AddReader(scope, v, "AddV2", {ref, x});
          break;
        case 1:
          made = g_.Add("AddV2", {x, AddReader(scope, v, "Identity", {ref})});
          break;
        case 2:
          factor = 2;
          made = g_.Add("AddV2", {AddReader(scope, v, "Mul", {ref, Scalar(2)}), x});
          break;
        case 3:
          rows = {3, 1, 0, 2};
          made = g_.Add("AddV2", {AddReader(scope, v, "GatherV2", {ref, Rows(rows), Axis()}), x});
          break;
        case 4:
          factor = 2;
          made = AddReader(scope, v, "AddN", {ref, x, ref}, {{"N", int64_t{3}}});
          break;
        case 5:
          made = g_.Add("AddV2", {AddReader(scope, v, "StopGradient", {ref}), x});
          break;
        case 6:
          factor = 3;
          made = AddReader(scope, v, "PartitionedCall", {ref, x}, CallAttrs("madd"));
          break;
        case 7:
          factor_if_odd = 2;
          made = ReadInIf(scope, v, ref, x);
          break;
        default:
          factor = 2;
          made = ReadInWhile(scope, v, ref, x);
      }
    }
    Give(scope, out, Bounded(made));
    scope.statements.emplace_back([=, a = a](State& s) {
      const float times = factor + (IsOddSum(s.values[a]) ? factor_if_odd : 0);
      for (size_t i = 0; i < kWidth; ++i)
        s.values[out][i] = Modulo(s.variables[v][static_cast<size_t>(rows[i])] * times + s.values[a][i]);
    });
  }

  Output ReadHandle(Scope& scope, int v, std::vector<int32_t>& rows, Output x) {
    const Output handle = scope.refs.at(v);
    if (g_.Maybe(30)) {
      rows = {1, 1, 3, 0};
      return g_.Add("AddV2",
                    {AddReader(scope, v, "ResourceGather", {handle, Rows(rows)}, {{"dtype", DType::kFloat}}), x});
    }
    return g_.Add("AddV2", {AddReader(scope, v, "ReadVariableOp", {handle}, {{"dtype", DType::kFloat}}), x});
  }

  static AttrMap CallAttrs(const std::string& f) {
    return {{"f", FunctionName{f, {}}}, {"Tout", std::vector<DType>{DType::kFloat}}};
  }

  Output ReadInIf(Scope& scope, int v, Output ref, Output x) {
    return AddReader(scope, v, "StatelessIf", {IsOdd(x), ref, x},
                     {{"then_branch", FunctionName{"madd", {}}},
                      {"else_branch", FunctionName{"sum", {}}},
                      {"Tout", std::vector<DType>{DType::kFloat}}});
  }
  Output ReadInWhile(Scope& scope, int v, Output ref, Output x) {
    const Output zero = g_.Const(Tensor::Scalar<int32_t>(0));
    const Output made = AddReader(scope, v, "StatelessWhile", {zero, x, ref},
                                  {{"cond", FunctionName{"few", {}}}, {"body", FunctionName{"grow", {}}}});
    return {made.node, 1};
  }
  Output IsOdd(Output x) {
    const Output half = g_.Add("FloorMod", {g_.Add("Sum", {x, Axis()}), Scalar(2)});
    return g_.Add("Greater", {half, Scalar(0.5)});
  }

  // Reads the greatest and the least element of a large variable, which are equal.
  void ReadLarge(Scope& scope, int v) {
    const auto [a, x] = Pick(scope);
    const bool is_one_read = variables_[v].is_handle || g_.Maybe(50);
    Output read;
    if (variables_[v].is_handle) {
      read = AddReader(scope, v, "ReadVariableOp", {scope.refs.at(v)}, {{"dtype", DType::kFloat}});
    } else if (is_one_read) {
      read = AddReader(scope, v, "Identity", {Ref(scope, v)});
    }
    for (const char* op : {"Max", "Min"}) {
      const Output end =
          is_one_read ? g_.Add(op, {read, Axis()}) : AddReader(scope, v, op, {Ref(scope, v), AnchoredAxis(scope)});
      const int out = NewValue();
      Give(scope, out, Bounded(g_.Add("AddV2", {x, end})));
      scope.statements.emplace_back([=, a = a](State& s) {
        for (size_t i = 0; i < kWidth; ++i) s.values[out][i] = Modulo(s.values[a][i] + s.variables[v][0]);
      });
    }
  }
  Output AnchoredAxis(const Scope& scope) {
    return g_.Add("Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(0)}}, Anchor(scope));
  }

  void Update(Scope& scope, int v) {
    const Variable& variable = variables_[v];
    const auto [a, x] = Pick(scope);
    Output value = x;
    if (variable.is_large) {
      const Output size = g_.Const(Tensor::Vector<int32_t>({static_cast<int32_t>(options_.large_elements)}));
      value = g_.Add("Fill", {size, g_.Add("Sum", {x, Axis()})});
    }
    const bool has_rows = !variable.is_large;
    const int kind = g_.Below(has_rows ? 5 : 3);
    const Output ref = variable.is_handle ? scope.refs.at(v) : Ref(scope, v);
    const Output made = AddUpdate(scope, v, kind, ref, value);
    Touches& touches = scope.touches[v];
    touches = {{made.node}, {}, variable.is_handle ? Output() : made};
    const bool is_large = variable.is_large;
    scope.statements.emplace_back([=, a = a](State& s) {
      const Vec by = is_large ? Vec{SumOf(s.values[a])} : s.values[a];
      Vec& now = s.variables[v];
      if (kind == 0) now = Plus(now, by);
      if (kind == 1) now = Minus(now, by);
      if (kind == 2) now = by;
      if (kind == 3) {
        now[1] += by[0];
        now[3] += by[1];
      }
      if (kind == 4) now = Minus(now, Plus(by, by));
    });
  }

  // 0: adds, 1: subtracts, 2: assigns, 3: adds to rows 1 and 3, 4: a step of descent at the rate 2.
  Output AddUpdate(Scope& scope, int v, int kind, Output ref, Output value) {
    static constexpr const char* kByRef[] = {"AssignAdd", "AssignSub", "Assign", "ScatterAdd", "ApplyGradientDescent"};
    static constexpr const char* kByHandle[] = {"AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp",
                                                "ResourceScatterAdd", "ResourceApplyGradientDescent"};
    const bool is_handle = variables_[v].is_handle;
    std::vector<Output> inputs = {ref, value};
    AttrMap attrs;
    if (kind == 3) {
      inputs = {ref, Rows({1, 3}), g_.Add("GatherV2", {value, Rows({0, 1}), Axis()})};
      if (is_handle) attrs = {{"dtype", DType::kFloat}};
    }
    if (kind == 4) inputs = {ref, Scalar(2), value};
    const Touches& touches = scope.touches[v];
    std::vector<NodeId> before = touches.updates;
    before.insert(before.end(), touches.reads.begin(), touches.reads.end());
    const Output made = g_.AddAfter(before, (is_handle ? kByHandle : kByRef)[kind], inputs, attrs);
    Note(scope, v, made.node);
    return made;
  }

  // Adds a call that updates a variable behind a handle and returns its new value.
  void CallUpdate(Scope& scope, int v) {
    const auto [a, x] = Pick(scope);
    Touches& touches = scope.touches[v];
    std::vector<NodeId> before = touches.updates;
    before.insert(before.end(), touches.reads.begin(), touches.reads.end());
    const Output made = g_.AddAfter(before, "StatefulPartitionedCall", {scope.refs.at(v), x}, CallAttrs("bump"));
    touches = {{made.node}, {}, {}};
    Note(scope, v, made.node);
    const int out = NewValue();
    Give(scope, out, Bounded(made));
    scope.statements.emplace_back([=, a = a](State& s) {
      s.variables[v] = Plus(s.variables[v], s.values[a]);
      for (size_t i = 0; i < kWidth; ++i) s.values[out][i] = Modulo(s.variables[v][i]);
    });
  }

  // --- statements
  void AddStatement(Scope& scope) {
    const int kind = g_.Below(20);
    const int v = PickVariable(scope);
    if (kind < 8) return Read(scope, v);
    if (kind < 14) return Update(scope, v);
    if (kind < 16) return Compute(scope);
    if (scope.depth >= 2) return Update(scope, v);
    if (kind == 16 && scope.depth == 0 && variables_[v].is_handle && !variables_[v].is_large)
      return CallUpdate(scope, v);
    return kind < 18 ? Cond(scope) : Loop(scope);
  }

  std::vector<int> SomeVariables(const Scope& scope) {
    std::vector<int> chosen;
    for (const auto& [v, ref] : scope.refs) {
      if (chosen.empty() || g_.Maybe(60)) chosen.push_back(v);
    }
    return chosen;
  }

  // Adds a conditional. The values of a scope inside are the last ones of the scope around; each side ends in one
  // value.
  void Cond(Scope& scope) {
    const auto [p, x] = Pick(scope);
    const Output pred = IsOdd(x);
    const Output pivots = g_.Add("Switch", {pred, pred});
    const std::vector<int> chosen = SomeVariables(scope);
    std::vector<Output> results(2);
    std::vector<int> numbers(2);
    std::vector<Scope> sides(2);
    for (int side : {0, 1}) {
      Scope& inner = sides[static_cast<size_t>(side)];
      inner.depth = scope.depth + 1;
      inner.is_loop = scope.is_loop;
      inner.pivot = g_.Add("Identity", {{pivots.node, side}}).node;
      EnterBy(scope, chosen, inner, [&](Output value, bool is_ref) {
        return Output{g_.Add(is_ref ? "RefSwitch" : "Switch", {value, pred}).node, side};
      });
      for (int v : chosen) {
        if (const auto it = scope.touches.find(v); it != scope.touches.end()) inner.touches[v] = it->second;
        inner.touches[v].last = {};
      }
      for (int i = g_.Below(3); i >= 0; --i) AddStatement(inner);
      const auto& [number, value] = inner.values.back();
      numbers[static_cast<size_t>(side)] = number;
      results[static_cast<size_t>(side)] = g_.AddAfter(inner.touching, "Identity", {value});
    }
    const Output merged = g_.Add("Merge", results, {{"N", int64_t{2}}});
    for (const Scope& inner : sides) LeaveTo(scope, inner, merged.node, /*keeps=*/true);
    const int out = NewValue();
    Give(scope, out, merged);
    scope.statements.emplace_back([p = p, out, numbers, on = sides[1].statements, off = sides[0].statements](State& s) {
      const bool holds = IsOddSum(s.values[static_cast<size_t>(p)]);
      for (const Statement& statement : holds ? on : off) statement(s);
      s.values[static_cast<size_t>(out)] = s.values[static_cast<size_t>(numbers[holds ? 1 : 0])];
    });
  }

  // Brings the last values and the chosen variables into a scope.
  template <class Bring>
  void EnterBy(const Scope& from, const std::vector<int>& chosen, Scope& inner, Bring bring) {
    const size_t count = std::min<size_t>(from.values.size(), 2);
    for (size_t i = from.values.size() - count; i < from.values.size(); ++i)
      inner.values.emplace_back(from.values[i].first, bring(from.values[i].second, false));
    for (int v : chosen) inner.refs[v] = bring(from.refs.at(v), !variables_[static_cast<size_t>(v)].is_handle);
  }

  // Carries the accesses of the inner scope to the outer one. `keeps`: the node `end` may run before nodes that precede
  // the scope.
  static void LeaveTo(Scope& scope, const Scope& inner, NodeId end, bool keeps) {
    for (int v : inner.touched) {
      Touches& touches = scope.touches[v];
      if (!keeps) touches.updates.clear();
      if (keeps) touches.updates.insert(touches.updates.end(), touches.reads.begin(), touches.reads.end());
      touches.updates.push_back(end);
      touches.reads.clear();
      touches.last = {};
      Note(scope, v, end);
    }
  }

  // Adds a loop with variables i and x: while i < trips it runs the body; x becomes the last value of the body.
  void Loop(Scope& scope) {
    const std::vector<int> chosen = SomeVariables(scope);
    const auto [a, x] = Pick(scope);
    const int trips = g_.Below(kMaxTrips + 1);
    const AttrMap once = {{"frame_name", StrCat("loop_", loops_++)},
                          {"is_constant", false},
                          {"parallel_iterations", int64_t{1} + 4 * g_.Below(3)}};
    AttrMap always = once;
    always.Set("is_constant", true);
    std::vector<NodeId> before;
    for (int v : chosen) {
      const Touches& touches = scope.touches[v];
      before.insert(before.end(), touches.updates.begin(), touches.updates.end());
      before.insert(before.end(), touches.reads.begin(), touches.reads.end());
    }
    const Output zero =
        g_.Add("Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(0)}}, Anchor(scope));
    const Output i = AddLoopMerge(g_.AddAfter(before, "Enter", {zero}, once), DType::kInt32);
    const Output value = AddLoopMerge(g_.Add("Enter", {x}, once), DType::kFloat);
    const Output goes_on = g_.Add("LoopCond", {g_.Add("Less", {i, g_.Const(Tensor::Scalar<int32_t>(trips))})});
    const Output switched_i = g_.Add("Switch", {i, goes_on});
    const Output switched = g_.Add("Switch", {value, goes_on});
    Scope body;
    body.depth = scope.depth + 1;
    body.is_loop = true;
    body.pivot = g_.Add("Identity", {{switched_i.node, 1}}).node;
    EnterBy(scope, chosen, body, [&](Output outer, bool is_ref) {
      const Output entered = g_.Add(is_ref ? "RefEnter" : "Enter", {outer}, always);
      const bool is_value = g_.graph().dtype(outer) == DType::kFloat && !is_ref;
      return is_value ? g_.Add("Identity", {entered}, {}, {body.pivot}) : entered;
    });
    const int carried = NewValue();
    body.values.emplace_back(carried, g_.Add("Identity", {{switched.node, 1}}));
    for (int n = g_.Below(3); n >= 0; --n) AddStatement(body);
    const auto [last, next] = body.values.back();
    const Output more = g_.Add("AddV2", {{body.pivot, 0}, g_.Const(Tensor::Scalar<int32_t>(1))});
    g_.SetInput(i.node, 1, g_.AddAfter(body.touching, "NextIteration", {more}));
    g_.SetInput(value.node, 1, g_.Add("NextIteration", {next}));
    const Output ended = g_.Add("Exit", {{switched_i.node, 0}});
    const Output left = g_.Add("Exit", {{switched.node, 0}});
    LeaveTo(scope, body, ended.node, /*keeps=*/false);
    if (scope.depth > 0) scope.touching.push_back(ended.node);
    const int out = NewValue();
    Give(scope, out, left);
    scope.statements.emplace_back([a = a, carried, last = last, out, trips, all = body.statements](State& s) {
      Vec now = s.values[static_cast<size_t>(a)];
      for (int n = 0; n < trips; ++n) {
        s.values[static_cast<size_t>(carried)] = now;
        for (const Statement& statement : all) statement(s);
        now = s.values[static_cast<size_t>(last)];
      }
      s.values[static_cast<size_t>(out)] = now;
    });
  }
  Output AddLoopMerge(Output entered, DType dtype) {
    const Output merge = g_.Add("Merge", {entered, Output()}, {{"T", dtype}, {"N", int64_t{2}}});
    if (g_.status().ok()) g_.graph().mutable_node(merge.node).output_shapes[0] = g_.graph().shape(entered);
    return merge;
  }

  OrderedGraph g_;
  const UpdateOptions options_;
  UpdateProgram program_;
  std::vector<Variable> variables_;
  int loops_ = 0;
};

}  // namespace

std::vector<Vec> UpdateProgram::Step(State& state) const {
  for (const Statement& statement : statements) statement(state);
  std::vector<Vec> given;
  for (int number : fetched) given.push_back(state.values[static_cast<size_t>(number)]);
  return given;
}

Result<UpdateProgram> MakeUpdates(uint64_t seed, const UpdateOptions& options) {
  DF_ASSIGN(Graph library, ImportGraphDef(kLibrary, GraphDefFormat::kText));
  return Maker(std::move(library), seed, options).Make();
}

}  // namespace dfrun::testing
