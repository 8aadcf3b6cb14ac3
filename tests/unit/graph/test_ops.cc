#include "tests/unit/graph/test_ops.h"

#include <cstdio>
#include <cstdlib>

namespace dfrun::testing {
namespace {

ShapeFn VectorOfInputRank() {
  return [](InferenceContext& c) {
    c.set_output(0, PartialShape({c.input(0).known_rank() ? c.input(0).rank() : PartialShape::kUnknown}));
    return Status();
  };
}

Status MatMulShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape a, c.WithRank(0, 2));
  DF_ASSIGN(const PartialShape b, c.WithRank(1, 2));
  if (a.dim(1) >= 0 && b.dim(0) >= 0 && a.dim(1) != b.dim(0)) {
    return InvalidArgument("matrices of ", a, " and ", b, " cannot be multiplied");
  }
  c.set_output(0, PartialShape({a.dim(0), b.dim(1)}));
  return Status();
}

Status ConstShape(InferenceContext& c) {
  DF_ASSIGN(const Tensor value, c.attr<Tensor>("value"));
  c.set_output(0, value.shape());
  return Status();
}

Status PackShape(InferenceContext& c) {
  if (c.input(0).rank() == 0) c.set_output(0, PartialShape({c.num_inputs()}));
  return Status();
}

Status ConcatShape(InferenceContext& c) {
  int64_t n = 0;
  for (int i = 0; i + 1 < c.num_inputs(); ++i) {
    if (c.input(i).rank() != 1 || c.input(i).dim(0) < 0) return Status();
    n += c.input(i).dim(0);
  }
  c.set_output(0, PartialShape({n}));
  return Status();
}

Status ReshapeShape(InferenceContext& c) {
  c.set_output(0, c.input_as_shape(1));
  return Status();
}

void Register(OpRegistry& ops, const OpBuilder& builder) {
  if (Status s = ops.Register(builder); !s.ok()) {
    std::fprintf(stderr, "%s\n", s.ToString().c_str());
    std::abort();
  }
}

// Begins an op with the traits of the program's op of this name.
OpBuilder Op(const char* name) {
  return std::move(OpBuilder(name).Traits(OpRegistry::Builtin().Find(name)->traits).Doc("A test's op."));
}

void RegisterArrayOps(OpRegistry& ops) {
  Register(ops, Op("Const").Output("output: dtype").Attr("value: tensor").Attr("dtype: type").Shape(ConstShape));
  Register(ops, Op("Placeholder")
                    .Output("output: dtype")
                    .Attr("dtype: type")
                    .Attr("shape: shape = ?")
                    .Shape(ShapeFromAttr("shape")));
  Register(ops, Op("Shape")
                    .Input("input: T")
                    .Output("output: out_type")
                    .Attr("T: type")
                    .Attr("out_type: {int32, int64} = DT_INT32")
                    .Shape(VectorOfInputRank()));
  for (const char* name : {"Size", "Rank"}) {
    Register(ops, Op(name)
                      .Input("input: T")
                      .Output("output: out_type")
                      .Attr("T: type")
                      .Attr("out_type: {int32, int64} = DT_INT32")
                      .Shape(ScalarOutputs()));
  }
  Register(ops, Op("Pack")
                    .Input("values: N * T")
                    .Output("output: T")
                    .Attr("N: int >= 1")
                    .Attr("T: type")
                    .Attr("axis: int = 0")
                    .Shape(PackShape));
  Register(ops, Op("ConcatV2")
                    .Input("values: N * T")
                    .Input("axis: Tidx")
                    .Output("output: T")
                    .Attr("N: int >= 2")
                    .Attr("T: type")
                    .Attr("Tidx: {int32, int64} = DT_INT32")
                    .Shape(ConcatShape));
  Register(ops, Op("Slice")
                    .Input("input: T")
                    .Input("begin: Index")
                    .Input("size: Index")
                    .Output("output: T")
                    .Attr("T: type")
                    .Attr("Index: {int32, int64}")
                    .Shape(UnknownOutputs()));
  Register(ops, Op("StridedSlice")
                    .Input("input: T")
                    .Input("begin: Index")
                    .Input("end: Index")
                    .Input("strides: Index")
                    .Output("output: T")
                    .Attr("T: type")
                    .Attr("Index: {int32, int64}")
                    .Attr("begin_mask: int = 0")
                    .Attr("end_mask: int = 0")
                    .Attr("ellipsis_mask: int = 0")
                    .Attr("new_axis_mask: int = 0")
                    .Attr("shrink_axis_mask: int = 0")
                    .Shape(UnknownOutputs()));
  Register(ops, Op("Reshape")
                    .Input("tensor: T")
                    .Input("shape: Tshape")
                    .Output("output: T")
                    .Attr("T: type")
                    .Attr("Tshape: {int32, int64} = DT_INT32")
                    .Shape(ReshapeShape));
  Register(ops, Op("Range")
                    .Input("start: Tidx")
                    .Input("limit: Tidx")
                    .Input("delta: Tidx")
                    .Output("output: Tidx")
                    .Attr("Tidx: {int32, int64, float} = DT_INT32")
                    .Shape(UnknownOutputs()));
  Register(ops, Op("Identity").Input("input: T").Output("output: T").Attr("T: type").Shape(SameAsInput(0)));
  Register(ops, Op("Split")
                    .Input("split_dim: int32")
                    .Input("value: T")
                    .Output("output: num_split * T")
                    .Attr("num_split: int >= 1")
                    .Attr("T: type")
                    .Shape(UnknownOutputs()));
}

void RegisterMathOps(OpRegistry& ops) {
  for (const char* name : {"Add", "AddV2", "Sub", "Mul", "FloorDiv", "Maximum"}) {
    Register(ops, Op(name)
                      .Input("x: T")
                      .Input("y: T")
                      .Output("z: T")
                      .Attr("T: {float, double, int32, int64}")
                      .Shape(BroadcastOfInputs()));
  }
  Register(ops, Op("Cast")
                    .Input("x: SrcT")
                    .Output("y: DstT")
                    .Attr("SrcT: type")
                    .Attr("DstT: type")
                    .Attr("Truncate: bool = false")
                    .Shape(SameAsInput(0)));
  Register(ops, Op("MatMul")
                    .Input("a: T")
                    .Input("b: T")
                    .Output("product: T")
                    .Attr("transpose_a: bool = false")
                    .Attr("transpose_b: bool = false")
                    .Attr("T: {float, double, int32, int64}")
                    .Shape(MatMulShape));
  Register(ops, Op("BiasAdd")
                    .Input("value: T")
                    .Input("bias: T")
                    .Output("output: T")
                    .Attr("T: type")
                    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                    .Shape(SameAsInput(0)));
  Register(ops, Op("Less")
                    .Input("x: T")
                    .Input("y: T")
                    .Output("z: bool")
                    .Attr("T: {float, double, int32, int64}")
                    .Shape(BroadcastOfInputs()));
  for (const char* name : {"Relu", "Tanh", "Softmax"}) {
    Register(ops, Op(name).Input("x: T").Output("y: T").Attr("T: {float, double}").Shape(SameAsInput(0)));
  }
}

void RegisterControlOps(OpRegistry& ops) {
  Register(ops, Op("NoOp"));
  Register(ops, Op("Enter")
                    .Input("data: T")
                    .Output("output: T")
                    .Attr("T: type")
                    .Attr("frame_name: string")
                    .Attr("is_constant: bool = false")
                    .Attr("parallel_iterations: int = 10")
                    .Shape(SameAsInput(0)));
  Register(ops, Op("Merge")
                    .Input("inputs: N * T")
                    .Output("output: T")
                    .Output("value_index: int32")
                    .Attr("T: type")
                    .Attr("N: int >= 1")
                    .Shape(UnknownOutputs()));
  Register(ops, Op("Switch")
                    .Input("data: T")
                    .Input("pred: bool")
                    .Output("output_false: T")
                    .Output("output_true: T")
                    .Attr("T: type")
                    .Shape(SameAsInput(0)));
  for (const char* name : {"NextIteration", "Exit"}) {
    Register(ops, Op(name).Input("data: T").Output("output: T").Attr("T: type").Shape(SameAsInput(0)));
  }
  Register(ops, Op("LoopCond").Input("input: bool").Output("output: bool").Shape(SameAsInput(0)));
  Register(ops, Op("PartitionedCall")
                    .Input("args: Tin")
                    .Output("output: Tout")
                    .Attr("Tin: list(type) >= 0")
                    .Attr("Tout: list(type) >= 0")
                    .Attr("f: func")
                    .Attr("config: string = ''")
                    .Attr("config_proto: string = ''")
                    .Attr("executor_type: string = ''")
                    .Shape(UnknownOutputs()));
}

void RegisterStateOps(OpRegistry& ops) {
  Register(ops, Op("VariableV2")
                    .Output("ref: Ref(dtype)")
                    .Attr("shape: shape")
                    .Attr("dtype: type")
                    .Attr("container: string = ''")
                    .Attr("shared_name: string = ''")
                    .Stateful()
                    .Shape(ShapeFromAttr("shape")));
  Register(ops, Op("Assign")
                    .Input("ref: Ref(T)")
                    .Input("value: T")
                    .Output("output_ref: Ref(T)")
                    .Attr("T: type")
                    .Attr("validate_shape: bool = true")
                    .Attr("use_locking: bool = true")
                    .Shape(SameAsInput(1)));
}

}  // namespace

const OpRegistry& TestOps() {
  static const OpRegistry& registry = *[] {
    auto* ops = new OpRegistry();
    RegisterArrayOps(*ops);
    RegisterMathOps(*ops);
    RegisterControlOps(*ops);
    RegisterStateOps(*ops);
    return ops;
  }();
  return registry;
}

NodeId Add(Graph& graph, const std::string& name, const std::string& op, std::vector<Output> inputs, AttrMap attrs) {
  NodeSpec spec;
  spec.name = name;
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.attrs = std::move(attrs);
  Result<NodeId> id = graph.AddNode(std::move(spec));
  if (!id.ok()) {
    std::fprintf(stderr, "%s\n", id.status().ToString().c_str());
    std::abort();
  }
  return *id;
}

NodeId AddConst(Graph& graph, const std::string& name, Tensor value) {
  const DType dtype = value.dtype();
  return Add(graph, name, "Const", {}, {{"dtype", dtype}, {"value", std::move(value)}});
}

}  // namespace dfrun::testing
