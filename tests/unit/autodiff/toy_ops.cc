#include "tests/unit/autodiff/toy_ops.h"

#include <cstdio>
#include <cstdlib>

namespace dfrun::testing {
namespace {

Status ConstShape(InferenceContext& c) {
  DF_ASSIGN(const Tensor value, c.attr<Tensor>("value"));
  c.set_output(0, value.shape());
  return Status();
}

// Begins an op with the traits of the program's op of this name, if there is one.
OpBuilder Op(const char* name) {
  OpBuilder op(name);
  if (const OpDef* known = OpRegistry::Builtin().Find(name)) op.Traits(known->traits);
  return std::move(op.Doc("A test's op."));
}

OpBuilder Sources(const char* name, const char* output) {
  return std::move(Op(name).Output(output).Attr("shape: shape = ?").Shape(ShapeFromAttr("shape")));
}

OpBuilder Unary(const char* name) {
  return std::move(Op(name).Input("x: T").Output("y: T").Attr("T: type").Shape(SameAsInput(0)));
}

void Register(OpRegistry& ops, const OpBuilder& builder) {
  if (Status status = ops.Register(builder); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::abort();
  }
}

void RegisterDifferentiated(OpRegistry& ops) {
  Register(ops, Unary("Pass").Gradient([](GradientBuilder& g) { g.dx(0) = g.dy(0); }));
  Register(ops, Unary("Scale").Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Scale", g.dy(0)); }));
  Register(ops, Unary("Stop").NotDifferentiable());
  Register(ops, Unary("Opaque"));
  Register(ops, Unary("Exit"));
  Register(ops, Op("Plus")
                    .Input("a: T")
                    .Input("b: T")
                    .Output("y: T")
                    .Attr("T: type")
                    .Shape(BroadcastOfInputs())
                    .Gradient([](GradientBuilder& g) {
                      g.dx(0) = g.dy(0);
                      g.dx(1) = g.dy(0);
                    }));
  Register(ops, Op("Rows")
                    .Input("params: T")
                    .Input("indices: Tindices")
                    .Output("y: T")
                    .Attr("T: type")
                    .Attr("Tindices: type")
                    .Shape(UnknownOutputs())
                    .Gradient([](GradientBuilder& g) { g.SetSparseGradient(0, g.x(1), g.dy(0)); }));
  Register(ops, Op("Pair")
                    .Input("x: T")
                    .Output("a: T")
                    .Output("b: T")
                    .Attr("T: type")
                    .Shape(SameAsInput(0))
                    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Plus", g.dy(0), g.dy(1)); }));
  const auto two = [](const char* name) {
    return std::move(
        Op(name).Input("x: T").Input("y: T").Output("a: T").Output("b: T").Attr("T: type").Shape(SameAsInput(0)));
  };
  const auto of_x = [](GradientBuilder& g) { g.dx(0) = g.Op("Plus", g.dy(0), g.dy(1)); };
  const auto of_a = [](GradientBuilder& g) {
    g.dx(0) = g.dy(0);
    g.dx(1) = g.dy(0);
  };
  Register(ops, two("ForgetsY").Gradient(of_x));
  Register(ops, two("LacksY").Gradient(of_x).GradientEnds(GradientFlow::kNone, {"y"}));
  Register(ops, two("FlatInY").Gradient(of_x).GradientEnds(GradientFlow::kZero, {"y"}));
  Register(ops, two("ForgetsB").Gradient(of_a));
  Register(ops, two("LacksB").Gradient(of_a).GradientEnds(GradientFlow::kNone, {"x", "y"}, "b"));
  Register(ops, two("FlatB").Gradient(of_a).GradientEnds(GradientFlow::kZero, {"x", "y"}, "b"));
  Register(ops, two("SaysZero").Gradient([](GradientBuilder& g) {
    g.dx(0) = g.Op("Plus", g.dy(0), g.dy(1));
    g.SetZeroGradient(1);
  }));
  Register(ops, Unary("WrongType").Gradient([](GradientBuilder& g) { g.dx(0) = g.Const(Tensor::Scalar<int32_t>(1)); }));
}

void RegisterPlain(OpRegistry& ops) {
  Register(ops, Op("Const").Output("output: dtype").Attr("value: tensor").Attr("dtype: type").Shape(ConstShape));
  Register(ops, Sources("X", "y: float"));
  Register(ops, Sources("Int", "y: int32"));
  Register(ops, Sources("Long", "y: int64"));
  Register(ops, Sources("Var", "ref: Ref(float)").Stateful());
  Register(ops, Unary("OnesLike"));
  Register(ops, Unary("ZerosLike"));
  Register(
      ops,
      Op("AddN").Input("inputs: N * T").Output("sum: T").Attr("N: int >= 1").Attr("T: type").Shape(SameAsInput(0)));
  Register(ops, Op("ConcatV2")
                    .Input("values: N * T")
                    .Input("axis: int32")
                    .Output("output: T")
                    .Attr("N: int >= 2")
                    .Attr("T: type")
                    .Shape(UnknownOutputs()));
  Register(ops,
           Op("Cast").Input("x: SrcT").Output("y: DstT").Attr("SrcT: type").Attr("DstT: type").Shape(SameAsInput(0)));
  Register(ops, Op("Shape")
                    .Input("input: T")
                    .Output("output: out_type")
                    .Attr("T: type")
                    .Attr("out_type: type = DT_INT32")
                    .Shape(UnknownOutputs()));
  Register(ops, Op("StridedSlice")
                    .Input("input: T")
                    .Input("begin: int32")
                    .Input("end: int32")
                    .Input("strides: int32")
                    .Output("output: T")
                    .Attr("T: type")
                    .Attr("shrink_axis_mask: int = 0")
                    .Shape(UnknownOutputs()));
  Register(ops, Op("UnsortedSegmentSum")
                    .Input("data: T")
                    .Input("segment_ids: Tindices")
                    .Input("num_segments: int64")
                    .Output("output: T")
                    .Attr("T: type")
                    .Attr("Tindices: type")
                    .Shape(UnknownOutputs()));
}

}  // namespace

const OpRegistry& ToyOps() {
  static const OpRegistry& registry = *[] {
    auto* ops = new OpRegistry();
    RegisterPlain(*ops);
    RegisterDifferentiated(*ops);
    return ops;
  }();
  return registry;
}

}  // namespace dfrun::testing
