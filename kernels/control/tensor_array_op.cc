// TensorArrays: signatures. `flow` orders the ops on one array as data does.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

void GivesFlow(OpBuilder& op) {
  op.Input("flow_in: float").Output("flow_out: float").Attr("T: type").Stateful().Shape(ScalarOutputs());
}

// The array in which the gradients of the differentiated node's array add up, for this differentiation.
AddedNode GradientArray(GradientBuilder& g, Output flow) {
  return g.Op("TensorArrayGradV3", AttrMap{{"source", std::string(g.scope())}}, g.x(0), flow);
}

// The gradient of a read is written to the array of gradients; the flow value orders later reads after it.
void ReadGradient(GradientBuilder& g, int flow_in, std::string_view writer) {
  if (!g.has_dy(0)) return;
  g.dx(flow_in) = g.Op(writer, GradientArray(g, g.x(flow_in)), g.x(1), g.dy(0), g.x(flow_in));
}

// A written value has the gradient that the readers of the array wrote before `flow`.
void WriteGradient(GradientBuilder& g, std::string_view reader, AttrMap attrs) {
  attrs.Set("dtype", g.dtype(g.x(2)));
  const Output flow = g.dy(0);
  g.dx(2) = g.Op(reader, attrs, GradientArray(g, flow), g.x(1), flow);
  g.dx(3) = flow;
}

// [rows] + the shape of an element.
PartialShape RowsOf(int64_t rows, const PartialShape& element) {
  if (!element.known_rank()) return PartialShape();
  std::vector<int64_t> dims = element.dims();
  dims.insert(dims.begin(), rows);
  return PartialShape(std::move(dims));
}

// Rows of input 2, one for each entry of the vector input 1, that fit the array's elements.
Status CheckRows(InferenceContext& c) {
  DF_ASSIGN(const PartialShape numbers, c.WithRank(1, 1));
  DF_ASSIGN(const PartialShape rows, c.WithRankAtLeast(2, 1));
  if (!rows.known_rank()) return Status();
  DF_TRY(PartialShape({rows.dim(0)}).Merge(numbers).status());
  return c.handle_shape(0).Merge(PartialShape({rows.dims().begin() + 1, rows.dims().end()})).status();
}

OP("TensorArrayV3")
    .Input("size: int32")
    .Output("handle: resource")
    .Output("flow: float")
    .Attr("dtype: type")
    .Attr("element_shape: shape = ?")
    .Attr("dynamic_size: bool = false")
    .Attr("clear_after_read: bool = true")
    .Attr("identical_element_shapes: bool = false")
    .Attr("tensor_array_name: string = ''")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) {
      DF_TRY(c.WithRank(0, 0).status());
      c.set_output(0, PartialShape::Scalar());
      c.set_output(1, PartialShape::Scalar());
      return Status();
    })
    .HandleOf(HandleContent::Attr("element_shape"))
    .Cost(NoCost())
    .Doc("An array of `size` tensors that lives as long as the step.");

void GivesGradientArray(OpBuilder& op) {
  op.Output("grad_handle: resource").Output("flow_out: float").Attr("source: string").Stateful().NotDifferentiable();
  op.Shape(ScalarOutputs());
}

OP("TensorArrayGradV3")
    .Input("handle: resource")
    .Input("flow_in: float")
    .As(GivesGradientArray)
    .HandleOf(HandleContent::Like(0))
    .Cost(NoCost())
    .Doc("The array in which the gradients of an array's elements add up; one for each `source`.");
OP("TensorArrayGradWithShape")
    .Input("handle: resource")
    .Input("flow_in: float")
    .Input("shape_to_prepend: int32")
    .As(GivesGradientArray)
    .Cost(NoCost())
    .Doc("TensorArrayGradV3 for elements whose gradients have further dimensions in front.");

OP("TensorArrayWriteV3")
    .Input("handle: resource")
    .Input("index: int32")
    .Input("value: T")
    .As(GivesFlow)
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(1, 0).status());
      DF_TRY(c.handle_shape(0).Merge(c.input(2)).status().Annotate("the array's elements and the value"));
      return ScalarOutputs()(c);
    })
    .Gradient([](GradientBuilder& g) { WriteGradient(g, "TensorArrayReadV3", {}); })
    .Cost(NoCost())
    .Doc("Writes one element.");

OP("TensorArrayReadV3")
    .Input("handle: resource")
    .Input("index: int32")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Stateful()
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(1, 0).status());
      c.set_output(0, c.handle_shape(0));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { ReadGradient(g, 2, "TensorArrayWriteV3"); })
    .Cost(NoCost())
    .Doc("Reads one element.");

OP("TensorArrayGatherV3")
    .Input("handle: resource")
    .Input("indices: int32")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Attr("element_shape: shape = ?")
    .Stateful()
    .Shape([](InferenceContext& c) {
      DF_ASSIGN(const PartialShape indices, c.WithRank(1, 1));
      DF_ASSIGN(PartialShape element, c.attr<PartialShape>("element_shape"));
      DF_ASSIGN(element, element.Merge(c.handle_shape(0)));
      c.set_output(0, RowsOf(indices.dim(0), element));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { ReadGradient(g, 2, "TensorArrayScatterV3"); })
    .Cost(BehindHandleCost())
    .Doc("The elements of `indices`, stacked.");

OP("TensorArrayScatterV3")
    .Input("handle: resource")
    .Input("indices: int32")
    .Input("value: T")
    .As(GivesFlow)
    .Shape([](InferenceContext& c) {
      DF_TRY(CheckRows(c));
      return ScalarOutputs()(c);
    })
    .Gradient([](GradientBuilder& g) {
      PartialShape element;
      if (const PartialShape& rows = g.shape(g.x(2)); rows.rank() >= 1) {
        element = PartialShape(std::vector<int64_t>(rows.dims().begin() + 1, rows.dims().end()));
      }
      WriteGradient(g, "TensorArrayGatherV3", {{"element_shape", element}});
    })
    .Cost(BehindHandleCost())
    .Doc("Writes the rows of `value` to the elements of `indices`.");

OP("TensorArrayConcatV3")
    .Input("handle: resource")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Output("lengths: int64")
    .Attr("dtype: type")
    .Attr("element_shape_except0: shape = ?")
    .Stateful()
    .Shape([](InferenceContext& c) {
      c.set_output(1, PartialShape::UnknownOfRank(1));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      if (!g.has_dy(0)) return;
      g.dx(1) = g.Op("TensorArraySplitV3", GradientArray(g, g.x(1)), g.dy(0), g.y(1), g.x(1));
    })
    .Cost(BehindHandleCost())
    .Doc("All elements, one behind the other along their first dimension, and how long each is there.");

OP("TensorArraySplitV3")
    .Input("handle: resource")
    .Input("value: T")
    .Input("lengths: int64")
    .As(GivesFlow)
    .Shape([](InferenceContext& c) {
      DF_TRY(c.WithRank(2, 1).status());
      return ScalarOutputs()(c);
    })
    .Gradient([](GradientBuilder& g) {
      const Output flow = g.dy(0);
      g.dx(1) = g.Op("TensorArrayConcatV3", AttrMap{{"dtype", g.dtype(g.x(1))}}, GradientArray(g, flow), flow);
      g.dx(3) = flow;
    })
    .Cost(BehindHandleCost())
    .Doc("Writes parts of `value`, of these lengths along its first dimension, to the elements.");

OP("TensorArraySizeV3")
    .Input("handle: resource")
    .Input("flow_in: float")
    .Output("size: int32")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Cost(NoCost())
    .Doc("How many elements the array has.");

OP("TensorArrayCloseV3")
    .Input("handle: resource")
    .Stateful()
    .NotDifferentiable()
    .Cost(NoCost())
    .Doc("Forgets the array's elements.");

}  // namespace
}  // namespace dfrun
