// Collectives: signatures and gradients. There are no kernels: when a step is compiled, src/passes/collectives.h
// replaces the nodes by those that do the work.
#include <utility>

#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The inputs, of one shape, are folded in the order of sums (docs/step-protocol.md).
OpCost ReduceCost(const CostContext& c) {
  return WholeCost(c, (c.num_inputs() - 1) * c.input_elements(0));
}

// The participants of an instance find each other by their keys. The other attrs say how it is done elsewhere.
void OneOfAGroup(OpBuilder& op) {
  op.Output("data: T").Attr("group_size: int").Attr("group_key: int").Attr("instance_key: int").Stateful();
}
void HowItIsDone(OpBuilder& op) {
  op.Attr("communication_hint: string = 'auto'").Attr("timeout_seconds: float = 0");
}

OP("CollectiveReduce")
    .Input("input: T")
    .As(OneOfAGroup)
    .Attr("T: {bfloat16, float, half, double, int32, int64}")
    .Attr("merge_op: {'Min', 'Max', 'Mul', 'Add'}")
    .Attr("final_op: {'Id', 'Div'}")
    .Attr("subdiv_offsets: list(int)")
    .Attr("wait_for: list(int) = []")
    .As(HowItIsDone)
    .Shape(SameAsInput(0))
    .Doc("What group_size participants bring, folded in the order of their devices, and divided by group_size or not.");

OP("CollectiveGather")
    .Input("input: T")
    .As(OneOfAGroup)
    .Attr("T: {float, half, double, int32, int64}")
    .Attr("shape: shape")
    .As(HowItIsDone)
    .Shape([](InferenceContext& c) {
      DF_TRY(c.WithRankAtLeast(0, 1).status());
      return ShapeFromAttr("shape")(c);
    })
    .Cost(CopyCost())
    .Doc("What group_size participants bring, one behind the other in the order of their devices.");

OP("CollectiveBcastSend")
    .Input("input: T")
    .As(OneOfAGroup)
    .Attr("T: {bool, float, half, double, int32, int64}")
    .Attr("shape: shape")
    .As(HowItIsDone)
    .Shape(ShapeFromAttr("shape"))
    .Cost(CopyCost())
    .Doc("Gives its input to the CollectiveBcastRecv nodes of its group, and hands it on.");

OP("CollectiveBcastRecv")
    .As(OneOfAGroup)
    .Attr("T: {bool, float, half, double, int32, int64}")
    .Attr("shape: shape")
    .As(HowItIsDone)
    .Shape(ShapeFromAttr("shape"))
    .Cost(CopyCost())
    .Doc("What the CollectiveBcastSend of its group gives.");

// The V2 ops take their keys as inputs. Tokens order collectives elsewhere.
void OneOfAGroupByInputs(OpBuilder& op) {
  op.Input("group_size: int32").Input("group_key: int32").Input("instance_key: int32").Output("data: T").Stateful();
  op.As(HowItIsDone);
}
void InOrder(OpBuilder& op) {
  op.Input("ordering_token: Nordering_token * resource").Attr("is_stateless: bool = false");
  op.Attr("Nordering_token: int >= 0 = 0");
}
OP("CollectiveReduceV2")
    .Input("input: T")
    .As(OneOfAGroupByInputs)
    .As(InOrder)
    .Attr("T: {bfloat16, float, half, double, int32, int64}")
    .Attr("merge_op: {'Min', 'Max', 'Mul', 'Add'}")
    .Attr("final_op: {'Id', 'Div'}")
    .Attr("max_subdivs_per_device: int = -1")
    .Shape(SameAsInput(0))
    .Doc("CollectiveReduce whose keys are inputs.");

OP("CollectiveGatherV2")
    .Input("input: T")
    .As(OneOfAGroupByInputs)
    .As(InOrder)
    .Attr("T: {float, half, double, int32, int64}")
    .Shape([](InferenceContext& c) {
      DF_ASSIGN(PartialShape shape, c.WithRankAtLeast(0, 1));
      if (shape.known_rank()) shape.set_dim(0, PartialShape::kUnknown);
      c.set_output(0, std::move(shape));
      return Status();
    })
    .Cost(CopyCost())
    .Doc("CollectiveGather whose keys are inputs.");

OP("CollectiveBcastSendV2")
    .Input("input: T")
    .As(OneOfAGroupByInputs)
    .Attr("T: {bool, float, half, double, int32, int64}")
    .Shape(SameAsInput(0))
    .Cost(CopyCost())
    .Doc("CollectiveBcastSend whose keys are inputs.");

OP("CollectiveBcastRecvV2")
    .As(OneOfAGroupByInputs)
    .Input("shape: Tshape")
    .Attr("T: {bool, float, half, double, int32, int64}")
    .Attr("Tshape: {int32, int64} = int32")
    .Shape([](InferenceContext& c) {
      c.set_output(0, c.input_as_shape(3));
      return Status();
    })
    .Cost(CopyCost())
    .Doc("CollectiveBcastRecv whose keys and shape are inputs.");

void OneForAll(OpBuilder& op) {
  op.Input("inputs: N * T").Output("outputs: N * T").Attr("N: int >= 1");
  op.Attr("T: {bfloat16, half, float, double, int32, int64}");
}
void Reduces(OpBuilder& op) {
  op.As(OneForAll).Attr("reduction: {'Add', 'Mul', 'Min', 'Max', 'Mean'} = 'Add'");
}

Result<PartialShape> CommonShape(InferenceContext& c) {
  PartialShape shape = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    DF_ASSIGN(shape, shape.Merge(c.input(i)));
  }
  return shape;
}

Status SetAll(InferenceContext& c, const PartialShape& shape) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape);
  return Status();
}

using Values = std::vector<Output>;

Values Outputs(AddedNode node, int n) {
  Values values;
  for (int i = 0; i < n; ++i) values.push_back(node[i]);
  return values;
}
Values Inputs(GradientBuilder& g) {
  Values xs;
  for (int i = 0; i < g.num_inputs(); ++i) xs.push_back(g.x(i));
  return xs;
}
Values Results(GradientBuilder& g) {
  Values ys;
  for (int i = 0; i < g.num_outputs(); ++i) ys.push_back(g.y(i));
  return ys;
}
Values ResultGradients(GradientBuilder& g) {
  Values dys;
  for (int i = 0; i < g.num_outputs(); ++i) dys.push_back(g.dy(i));
  return dys;
}

// 1 where x holds the smallest or largest of all, divided by how many do.
Values SharesOfWinners(GradientBuilder& g, const Values& all) {
  const Values xs = Inputs(g);
  Values won;
  for (size_t i = 0; i < xs.size(); ++i) {
    won.push_back(g.Op("Cast", {{"DstT", g.dtype(xs[i])}}, g.Op("Equal", xs[i], all[i])));
  }
  const Values counts = Outputs(g.AddNode("AllReduce", won, {}), g.num_inputs());
  for (size_t i = 0; i < won.size(); ++i) won[i] = g.Op("Div", won[i], counts[i]);
  return won;
}

// The product of all other inputs, for each.
Values ProductsOfOthers(GradientBuilder& g) {
  const Values xs = Inputs(g);
  Values products;
  for (size_t i = 0; i < xs.size(); ++i) {
    Output product = g.Op("OnesLike", xs[i]);
    for (size_t j = 0; j < xs.size(); ++j) {
      if (j != i) product = g.Op("Mul", product, xs[j]);
    }
    products.push_back(product);
  }
  return products;
}

// Sets the gradients of a reduction. `dys`: for each input, the gradient of the whole result, summed over all
// participants that receive it. `ys`: the results.
void ReduceGradient(GradientBuilder& g, const Values& dys, const Values& ys) {
  const auto reduction = g.attr<std::string>("reduction");
  Values factors;
  if (reduction == "Mul") factors = ProductsOfOthers(g);
  if (reduction == "Min" || reduction == "Max") factors = SharesOfWinners(g, ys);
  for (int i = 0; i < g.num_inputs(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (reduction == "Mean") {
      g.dx(i) = g.Op("Div", dys[at], g.ScalarLike(dys[at], g.num_inputs()));
    } else if (reduction == "Add") {
      g.dx(i) = dys[at];
    } else {
      g.dx(i) = g.Op("Mul", dys[at], factors[at]);
    }
  }
}

OP("AllReduce")
    .As(Reduces)
    .Shape([](InferenceContext& c) {
      DF_ASSIGN(const PartialShape shape, CommonShape(c));
      return SetAll(c, shape);
    })
    .Gradient([](GradientBuilder& g) {
      const Values dys = Outputs(g.AddNode("AllReduce", ResultGradients(g), {}), g.num_inputs());
      ReduceGradient(g, dys, Results(g));
    })
    .Own()
    .Cost(&ReduceCost)
    .Doc(
        "The inputs, of one shape, folded from the first to the last, more than 32 by groups; output i is where input "
        "i is.");

OP("AllGather")
    .As(OneForAll)
    .Shape([](InferenceContext& c) {
      DF_TRY(c.WithRankAtLeast(0, 1).status());
      DF_ASSIGN(PartialShape shape, CommonShape(c));
      if (shape.rank() > 0 && shape.dim(0) >= 0) {
        int64_t rows = 0;
        if (__builtin_mul_overflow(shape.dim(0), int64_t{c.num_inputs()}, &rows)) {
          return InvalidArgument(c.num_inputs(), " inputs of shape ", shape, " are too large together");
        }
        shape.set_dim(0, rows);
      }
      return SetAll(c, shape);
    })
    .Gradient([](GradientBuilder& g) {
      const AddedNode parts = g.AddNode("ReduceScatter", ResultGradients(g), {});
      for (int i = 0; i < g.num_inputs(); ++i) g.dx(i) = parts[i];
    })
    .Own()
    .Cost(CopyCost())
    .Doc("The inputs, of one shape, one behind the other along dimension 0; output i is where input i is.");

OP("ReduceScatter")
    .As(Reduces)
    .Shape([](InferenceContext& c) {
      DF_TRY(c.WithRankAtLeast(0, 1).status());
      DF_ASSIGN(PartialShape shape, CommonShape(c));
      if (shape.rank() > 0 && shape.dim(0) >= 0) {
        if (shape.dim(0) % c.num_inputs() != 0) {
          return InvalidArgument("inputs of shape ", shape, " cannot be parted into ", c.num_inputs());
        }
        shape.set_dim(0, shape.dim(0) / c.num_inputs());
      }
      return SetAll(c, shape);
    })
    .Gradient([](GradientBuilder& g) {
      const Values dys = Outputs(g.AddNode("AllGather", ResultGradients(g), {}), g.num_inputs());
      ReduceGradient(g, dys, Outputs(g.AddNode("AllGather", Results(g), {}), g.num_inputs()));
    })
    .Own()
    .Cost(&ReduceCost)
    .Doc(
        "The inputs, of one shape, folded from the first to the last and parted along dimension 0: output i is part i, "
        "and is where input i is.");

OP("Broadcast")
    .Input("input: T")
    .Output("outputs: N * T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.AddNode("AddN", ResultGradients(g), {}); })
    .Own()
    .Cost(CopyCost())
    .Doc("N times the input.");

}  // namespace
}  // namespace dfrun
