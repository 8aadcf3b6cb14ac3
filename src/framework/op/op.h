// Op definitions and their registry.
//
//   OP("Tanh").Input("x: T").Output("y: T").Attr("T: {bfloat16, half, float, double, complex64, complex128}")
//       .Shape(SameAsInput(0)).Gradient(...).Doc("Hyperbolic tangent, element by element.");
//
// Signature text is TensorFlow's:
//   Input / Output  "name: T" | "name: float" | "name: N * T" | "name: list_attr" | "name: Ref(T)"
//   Attr            "T: type" | "T: {float, int32} = DT_FLOAT" | "N: int >= 1 = 2" | "s: string" |
//                   "pad: {'SAME', 'VALID'}" | "k: list(int) = []" | "f: func" | "v: tensor" | "shape: shape" |
//                   "x: float = 1.0" | "b: bool = false"
#ifndef DFRUN_SRC_FRAMEWORK_OP_OP_H_
#define DFRUN_SRC_FRAMEWORK_OP_OP_H_

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/op/gradient.h"
#include "src/framework/op/gradient_flow.h"
#include "src/framework/op/inference.h"
#include "src/framework/op/op_traits.h"
#include "src/framework/values/attr.h"

namespace dfrun {

struct ArgDef {
  std::string name;
  DType dtype = DType::kInvalid;  // fixed dtype, or kInvalid and one of the attrs below
  std::string type_attr;
  std::string number_attr;     // "N * T": N inputs of one type
  std::string type_list_attr;  // a list of types
  bool is_ref = false;
};

struct AttrDef {
  std::string name;
  std::string type;         // "int", "list(type)", ...
  AttrValue default_value;  // empty: the attr is required (or inferred from the inputs)
  std::vector<DType> allowed_types;
  std::vector<std::string> allowed_strings;
  std::optional<int64_t> minimum;  // the least int, or length of a list
};

struct OpDef {
  std::string name;
  std::vector<ArgDef> inputs;
  std::vector<ArgDef> outputs;
  std::vector<AttrDef> attrs;
  ShapeFn shape_fn;
  GradientFn gradient;                                // empty: none registered
  GradientFlow gradient_flow = GradientFlow::kNone;   // between any output and any input, but for
  std::vector<GradientFlowOf> gradient_flow_of = {};  // exceptions; the last that names a pair counts
  bool is_stateful = false;  // never folded, merged or pruned away from its control outputs' order
  bool is_commutative = false;
  bool is_aggregate = false;
  bool allows_uninitialized_input = false;  // for ref inputs
  OpTraits traits;
  std::vector<std::string> aliases;  // the white paper's spellings, in specs only
  std::string doc;

  const AttrDef* FindAttr(std::string_view attr) const;
  // Returns the flow between two arguments; output -1: the op has no outputs. It does not consider that dtypes may have
  // no derivatives.
  GradientFlow FlowBetween(int input, int output) const;
  // "Tanh(x: T) -> (y: T); T: {bfloat16, ...}".
  std::string Signature() const;
};

// The dtypes of a node's inputs and outputs, ref or not, after its attrs are known.
struct TypedArg {
  DType dtype;
  bool is_ref;
  bool in_host = false;  // on a device with memory of its own: in host memory (KernelDef); elsewhere it says nothing
};
Result<std::vector<TypedArg>> ExpandArgs(const std::vector<ArgDef>& args, const AttrMap& attrs);

// Returns the number of the argument that the node's input or output `number` belongs to; -1 if there is none.
int ArgOf(const std::vector<ArgDef>& args, const AttrMap& attrs, int number);

// Fills in the attrs that `attrs` lacks: first type and number attrs that the inputs' dtypes imply, then defaults.
// Checks every attr against its definition and the inputs against the signature. `inputs`: dtypes as the edges give
// them. Unknown attrs are an error unless their name begins with '_'.
Status ResolveAttrs(const OpDef& op, const std::vector<TypedArg>& inputs, AttrMap& attrs);

// Builds an OpDef from its text. Signature errors are kept and come out of Finish().
class OpBuilder {
 public:
  explicit OpBuilder(std::string_view name);
  OpBuilder(const OpBuilder& other);
  OpBuilder(OpBuilder&& other) noexcept;
  ~OpBuilder();
  // Applies the declarations that a family of ops shares: OP("Sin").As(ElementwiseOfFloats).Gradient(...).
  OpBuilder& As(void (*family)(OpBuilder&)) {
    family(*this);
    return *this;
  }
  OpBuilder& Input(std::string_view text);
  OpBuilder& Output(std::string_view text);
  OpBuilder& Attr(std::string_view text);
  OpBuilder& Shape(ShapeFn fn);
  // The gradient flows between all arguments, except where GradientEnds() ends it.
  OpBuilder& Gradient(GradientFn fn);
  // src/autodiff itself makes the gradient, as for control flow and stacks; it flows likewise.
  OpBuilder& GradientByAutodiff();
  // The op's derivatives are zero almost everywhere, or it has nothing that could have any.
  OpBuilder& NotDifferentiable() { return GradientEnds(GradientFlow::kZero); }
  // The gradient ends for all arguments; or for these inputs (each where the list is empty), from one output or all.
  OpBuilder& GradientEnds(GradientFlow why);
  OpBuilder& GradientEnds(GradientFlow why, std::initializer_list<std::string_view> inputs,
                          std::string_view output = "");
  OpBuilder& Stateful();
  OpBuilder& Commutative();
  OpBuilder& Aggregate();
  OpBuilder& AllowsUninitializedInput();

  // Traits; src/framework/op/op_traits.h describes each.
  OpBuilder& PassesOn(Passthrough inputs = Passthrough::kFirstInput);
  OpBuilder& AtBoundary(Boundary boundary);
  OpBuilder& ControlFlow(ControlFlowKind kind);
  OpBuilder& Variable();
  OpBuilder& OnlyReadsVariables();
  OpBuilder& HandleOf(HandleContent content);
  OpBuilder& MakesQueue(QueueKind kind);
  OpBuilder& Waits(WaitKind kind, int at_input = 0);
  OpBuilder& Total();
  OpBuilder& TotalButForIntegers();
  OpBuilder& Chooses();
  OpBuilder& FollowsFirstInput();
  OpBuilder& GathersRows();
  OpBuilder& ComputesEach(Elementwise elementwise);
  OpBuilder& ConstantValue(ConstantFn of_output_0);
  OpBuilder& ConstantValues(ConstantsFn of_all_outputs);
  // Declares how the rows of the outputs follow from those of the inputs (sample_rows.h).
  OpBuilder& Rows(RowFn rows);
  // Sets the cost. The default is that of an element-wise op; an op that passes values on, or is control flow, has
  // none.
  OpBuilder& Cost(CostFn cost);
  // Marks the op as dfrun's own, without a form in TensorFlow's ops, or with one of two kinds of form.
  OpBuilder& Own();
  OpBuilder& OwnFedFromOutside();
  OpBuilder& OwnLoweredBy(LoweringFn lower);
  // Replaces all traits declared so far.
  OpBuilder& Traits(OpTraits traits);

  OpBuilder& Alias(std::string name);
  OpBuilder& Doc(std::string text);
  Result<OpDef> Finish() const;

 private:
  // A GradientFlowOf by names, which may be declared later; empty: each.
  struct NamedFlow {
    std::string input;
    std::string output;
    GradientFlow flow;
  };
  Status ResolveFlows(OpDef& def) const;

  OpDef def_;
  std::vector<NamedFlow> flows_;
  Status status_;
};

// Thread safety: built by one thread, then read by any. Registration ends before the first graph.
class OpRegistry {
 public:
  OpRegistry() = default;
  OpRegistry(const OpRegistry&) = delete;
  OpRegistry& operator=(const OpRegistry&) = delete;

  // Returns every op that OP() registered in this program. A malformed or doubled OP() ends the program with its text.
  static const OpRegistry& Builtin();

  Status Register(const OpBuilder& builder);
  // Finds an op by name; null if there is none. Definitions live as long as the registry.
  const OpDef* Find(std::string_view name) const;
  // Finds an op by name or alias.
  const OpDef* FindByNameOrAlias(std::string_view name) const;
  // Returns the error "unknown op 'Convv2D', did you mean 'Conv2D'?".
  Status UnknownOp(std::string_view name) const;
  // Returns all ops, sorted by name.
  std::vector<const OpDef*> List() const;

 private:
  std::map<std::string, OpDef, std::less<>> ops_;
  std::map<std::string, const OpDef*, std::less<>> aliases_;
};

namespace internal {
struct OpRegistration {
  // Implicit, for `OpRegistration r = OpBuilder(...).Input(...)`.
  OpRegistration(OpBuilder& builder);                               // NOLINT(google-explicit-constructor)
  OpRegistration(OpBuilder&& builder) : OpRegistration(builder) {}  // NOLINT(google-explicit-constructor)
};
}  // namespace internal

#define OP(name)                                                                                   \
  [[maybe_unused]] static const ::dfrun::internal::OpRegistration DF_CONCAT(df_op_, __COUNTER__) = \
      ::dfrun::OpBuilder(name)

// Returns the nearest of `candidates` to `text` by edit distance; empty if none is near. It serves "did you mean".
std::string Nearest(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_OP_H_
