// TensorLists: signatures and gradients. Source: TensorFlow's list_ops; its gradients, but that of a list whose readers
// are not differentiated, which here has as many zeros as the list has elements.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// Input i read as the shape of elements: a vector, or a scalar of -1 where they may have any.
Result<PartialShape> GivenShape(InferenceContext& c, int i) {
  const PartialShape& shape = c.input(i);
  if (shape.known_rank() && shape.rank() > 1)
    return InvalidArgument("the shape of elements has shape ", shape, ", but must be a vector, or a scalar of -1");
  const Tensor* value = c.input_value(i);
  if (value != nullptr && shape.rank() == 0) {
    const bool is_any =
        value->dtype() == DType::kInt32 ? value->scalar<int32_t>() == -1 : value->scalar<int64_t>() == -1;
    if (!is_any) return InvalidArgument("a shape of elements that is a scalar must be -1, but is ", value->ToString());
  }
  return c.input_as_shape(i);
}

// The known shape of the elements: that of input `i` merged with that of the list behind handle input 0.
Result<PartialShape> ElementShape(InferenceContext& c, int i) {
  DF_ASSIGN(const PartialShape given, GivenShape(c, i));
  return given.Merge(c.handle_shape(0));
}

// Checks that the rows of input `i` fit `element`.
Status CheckRows(InferenceContext& c, int i, const PartialShape& element) {
  DF_ASSIGN(const PartialShape rows, c.WithRankAtLeast(i, 1));
  if (!rows.known_rank()) return Status();
  return element.Merge(PartialShape({rows.dims().begin() + 1, rows.dims().end()})).status();
}

// A new list with elements of the shape that input 0 gives, from scalar input 1.
Status NewListShape(InferenceContext& c) {
  DF_TRY(GivenShape(c, 0).status());
  DF_TRY(c.WithRank(1, 0).status());
  return ScalarOutputs()(c);
}

Status ScalarAt(InferenceContext& c, const std::vector<int>& inputs) {
  for (int i : inputs) DF_TRY(c.WithRank(i, 0).status());
  return Status();
}

// Scalars, of inputs that are scalars where `inputs` names them.
ShapeFn ScalarsOf(std::vector<int> inputs) {
  return [inputs = std::move(inputs)](InferenceContext& c) {
    DF_TRY(ScalarAt(c, inputs));
    return ScalarOutputs()(c);
  };
}

// Rows of elements: [rows] + shape.
PartialShape ShapeOfList(int64_t rows, const PartialShape& shape) {
  if (!shape.known_rank()) return PartialShape();
  std::vector<int64_t> dims = shape.dims();
  dims.insert(dims.begin(), rows);
  return PartialShape(std::move(dims));
}

AttrMap ElementType(GradientBuilder& g) {
  return {{"element_dtype", g.attr<DType>("element_dtype")}};
}

Output ShapeOf(GradientBuilder& g, Output value) {
  return g.Op("Shape", value);
}

// The shape of a row of `value`.
Output RowShapeOf(GradientBuilder& g, Output value) {
  return g.Op("Slice", ShapeOf(g, value), g.Const<int32_t>({1}), g.Const<int32_t>({-1}));
}

Output ElementShapeOf(GradientBuilder& g, Output list) {
  return g.Op("TensorListElementShape", {{"shape_type", DType::kInt32}}, list);
}

// A list like `list` without a value in it.
Output ReserveLike(GradientBuilder& g, Output list) {
  return g.Op("TensorListReserve", ElementType(g), ElementShapeOf(g, list), g.Op("TensorListLength", list));
}

void HasElementType(OpBuilder& op) {
  op.Attr("element_dtype: type");
}
void HasShapeType(OpBuilder& op) {
  op.Attr("shape_type: {int32, int64}");
}
// An op that gives one list.
void GivesList(OpBuilder& op) {
  op.Output("output_handle: variant").As(HasElementType);
}

OP("EmptyTensorList")
    .Input("element_shape: shape_type")
    .Input("max_num_elements: int32")
    .Output("handle: variant")
    .As(HasElementType)
    .As(HasShapeType)
    .Shape(&NewListShape)
    .NotDifferentiable()
    .HandleOf(HandleContent::Value(0))
    .Cost(NoCost())
    .Doc("A list without elements, to which at most max_num_elements can be pushed (-1: any number).");

OP("TensorListReserve")
    .Input("element_shape: shape_type")
    .Input("num_elements: int32")
    .Output("handle: variant")
    .As(HasElementType)
    .As(HasShapeType)
    .Shape(&NewListShape)
    .NotDifferentiable()
    .HandleOf(HandleContent::Value(0))
    .Cost(NoCost())
    .Doc("A list of elements that have no value yet, and are read as zeros.");

OP("TensorListFromTensor")
    .Input("tensor: element_dtype")
    .Input("element_shape: shape_type")
    .As(GivesList)
    .As(HasShapeType)
    .Shape([](InferenceContext& c) {
      DF_ASSIGN(const PartialShape element, GivenShape(c, 1));
      DF_TRY(CheckRows(c, 0, element));
      return ScalarOutputs()(c);
    })
    .Gradient([](GradientBuilder& g) {
      AttrMap attrs = ElementType(g);
      const PartialShape shape = g.shape(g.x(0));
      if (shape.rank() > 0) attrs.Set("num_elements", shape.dim(0));
      g.dx(0) = g.Op("TensorListStack", attrs, g.dy(0), RowShapeOf(g, g.x(0)));
    })
    .HandleOf(HandleContent::Value(1))
    .Cost(BehindHandleCost(0))
    .Doc("The list of a tensor's rows.");

OP("TensorListStack")
    .Input("input_handle: variant")
    .Input("element_shape: int32")
    .Output("tensor: element_dtype")
    .As(HasElementType)
    .Attr("num_elements: int = -1")
    .Shape([](InferenceContext& c) {
      DF_TRY(ScalarAt(c, {0}));
      DF_ASSIGN(const int64_t rows, c.attr<int64_t>("num_elements"));
      DF_ASSIGN(const PartialShape element, ElementShape(c, 1));
      c.set_output(0, ShapeOfList(rows, element));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("TensorListFromTensor", g.dy(0), RowShapeOf(g, g.y(0))); })
    .Cost(BehindHandleCost())
    .Doc("The tensor whose rows are the list's elements.");

OP("TensorListSetItem")
    .Input("input_handle: variant")
    .Input("index: int32")
    .Input("item: element_dtype")
    .As(GivesList)
    .Attr("resize_if_index_out_of_bounds: bool = false")
    .Shape([](InferenceContext& c) {
      DF_TRY(ScalarAt(c, {0, 1}));
      DF_TRY(c.handle_shape(0).Merge(c.input(2)).status());
      return ScalarOutputs()(c);
    })
    .Gradient([](GradientBuilder& g) {
      Output list = g.Op("TensorListSetItem", g.dy(0), g.x(1), g.Op("ZerosLike", g.x(2)));
      if (g.attr<bool>("resize_if_index_out_of_bounds")) {
        list = g.Op("TensorListResize", list, g.Op("TensorListLength", g.x(0)));
      }
      g.dx(0) = list;
      g.dx(2) = g.Op("TensorListGetItem", ElementType(g), g.dy(0), g.x(1), ShapeOf(g, g.x(2)));
    })
    .HandleOf(HandleContent::Like(0))
    .Cost(NoCost())
    .Doc("The list with another element at `index`.");

OP("TensorListGetItem")
    .Input("input_handle: variant")
    .Input("index: int32")
    .Input("element_shape: Tshape")
    .Output("item: element_dtype")
    .As(HasElementType)
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) {
      DF_TRY(ScalarAt(c, {0, 1}));
      DF_ASSIGN(PartialShape element, ElementShape(c, 2));
      c.set_output(0, std::move(element));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("TensorListSetItem", ReserveLike(g, g.x(0)), g.x(1), g.dy(0)); })
    .Cost(NoCost())
    .Doc("The element at `index`.");

OP("TensorListPushBack")
    .Input("input_handle: variant")
    .Input("tensor: element_dtype")
    .As(GivesList)
    .Shape([](InferenceContext& c) {
      DF_TRY(ScalarAt(c, {0}));
      DF_TRY(c.handle_shape(0).Merge(c.input(1)).status());
      return ScalarOutputs()(c);
    })
    .Gradient([](GradientBuilder& g) {
      const AddedNode popped = g.Op("TensorListPopBack", ElementType(g), g.dy(0), ShapeOf(g, g.x(1)));
      g.dx(0) = popped[0];
      g.dx(1) = popped[1];
    })
    .HandleOf(HandleContent::Like(0))
    .Cost(NoCost())
    .Doc("The list with a further element at its end.");

OP("TensorListPopBack")
    .Input("input_handle: variant")
    .Input("element_shape: int32")
    .Output("output_handle: variant")
    .Output("tensor: element_dtype")
    .As(HasElementType)
    .Shape([](InferenceContext& c) {
      DF_TRY(ScalarAt(c, {0}));
      DF_ASSIGN(PartialShape element, ElementShape(c, 1));
      c.set_output(0, PartialShape::Scalar());
      c.set_output(1, std::move(element));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("TensorListPushBack", g.dy(0), g.dy(1)); })
    .HandleOf(HandleContent::Like(0))
    .Cost(NoCost())
    .Doc("The list without its last element, and that.");

OP("TensorListPushBackBatch")
    .Input("input_handles: variant")
    .Input("tensor: element_dtype")
    .Output("output_handles: variant")
    .As(HasElementType)
    .Shape(SameAsInput(0))
    .Cost(NoCost())
    .Doc("List i of a tensor of lists with part i of `tensor` at its end.");

OP("TensorListElementShape")
    .Input("input_handle: variant")
    .Output("element_shape: shape_type")
    .As(HasShapeType)
    .Shape([](InferenceContext& c) {
      const PartialShape shape = c.handle_shape(0);
      if (shape.known_rank()) c.set_output(0, PartialShape({shape.rank()}));
      return Status();
    })
    .NotDifferentiable()
    .Cost(NoCost())
    .Doc("What is known of the shape of a list's elements: sizes, -1 for an unknown one; the scalar -1 for no rank.");

OP("TensorListLength")
    .Input("input_handle: variant")
    .Output("length: int32")
    .Shape(ScalarOutputs())
    .NotDifferentiable()
    .Cost(NoCost())
    .Doc("How many elements a list has.");

OP("TensorListResize")
    .Input("input_handle: variant")
    .Input("size: int32")
    .Output("output_handle: variant")
    .Shape(ScalarsOf({0, 1}))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("TensorListResize", g.dy(0), g.Op("TensorListLength", g.x(0))); })
    .HandleOf(HandleContent::Like(0))
    .Cost(NoCost())
    .Doc("The first `size` elements of a list; new ones have no value.");

void ConcatGradient(GradientBuilder& g) {
  g.dx(0) = g.Op("TensorListSplit", g.dy(0), ElementShapeOf(g, g.x(0)), g.y(1));
}

// `shape`: of the elements. Their first sizes may differ.
void SetConcatShape(InferenceContext& c, const PartialShape& shape) {
  PartialShape all = shape;
  if (all.rank() > 0) all.set_dim(0, PartialShape::kUnknown);
  c.set_output(0, std::move(all));
  c.set_output(1, PartialShape::UnknownOfRank(1));
}

OP("TensorListConcat")
    .Input("input_handle: variant")
    .Output("tensor: element_dtype")
    .Output("lengths: int64")
    .As(HasElementType)
    .Attr("element_shape: shape = ?")
    .Shape([](InferenceContext& c) {
      DF_TRY(ScalarAt(c, {0}));
      DF_ASSIGN(PartialShape shape, c.attr<PartialShape>("element_shape"));
      DF_ASSIGN(shape, shape.Merge(c.handle_shape(0)));
      SetConcatShape(c, shape);
      return Status();
    })
    .Gradient(&ConcatGradient)
    .Cost(BehindHandleCost())
    .Doc("The elements behind each other along their first dimension, and how long each is there.");

OP("TensorListConcatV2")
    .Input("input_handle: variant")
    .Input("element_shape: shape_type")
    .Input("leading_dims: int64")
    .Output("tensor: element_dtype")
    .Output("lengths: int64")
    .As(HasElementType)
    .As(HasShapeType)
    .Shape([](InferenceContext& c) {
      DF_TRY(ScalarAt(c, {0}));
      DF_TRY(c.WithRank(2, 1).status());
      DF_ASSIGN(const PartialShape shape, ElementShape(c, 1));
      SetConcatShape(c, shape);
      return Status();
    })
    .Gradient(&ConcatGradient)
    .Cost(BehindHandleCost())
    .Doc(
        "The elements behind each other along their first dimension, and how long each is there; leading_dims are the "
        "lengths of those without a value.");

OP("TensorListSplit")
    .Input("tensor: element_dtype")
    .Input("element_shape: shape_type")
    .Input("lengths: int64")
    .As(GivesList)
    .As(HasShapeType)
    .Shape([](InferenceContext& c) {
      DF_TRY(c.WithRankAtLeast(0, 1).status());
      DF_TRY(c.WithRank(2, 1).status());
      return ScalarOutputs()(c);
    })
    .Gradient([](GradientBuilder& g) {
      const Output any = g.Const<int32_t>({-1});
      const Output shape = g.Op("ConcatV2", any, RowShapeOf(g, g.x(0)), g.Const(Tensor::Scalar<int32_t>(0)));
      g.dx(0) = g.Op("TensorListConcatV2", ElementType(g), g.dy(0), shape, g.x(2));
    })
    .HandleOf(HandleContent::Value(1))
    .Cost(BehindHandleCost(0))
    .Doc("The list of parts of a tensor, of these lengths along its first dimension.");

OP("TensorListConcatLists")
    .Input("input_a: variant")
    .Input("input_b: variant")
    .Output("output: variant")
    .As(HasElementType)
    .Shape([](InferenceContext& c) {
      DF_ASSIGN(PartialShape shape, c.input(0).Merge(c.input(1)));
      DF_TRY(c.handle_shape(0).Merge(c.handle_shape(1)).status());  // elements of both are elements of one list
      c.set_output(0, std::move(shape));
      return Status();
    })
    .HandleOf(HandleContent::Joined())
    .Cost(NoCost())
    .Doc("Lists with the elements of others behind their own.");

OP("TensorListGather")
    .Input("input_handle: variant")
    .Input("indices: int32")
    .Input("element_shape: int32")
    .Output("values: element_dtype")
    .As(HasElementType)
    .Shape([](InferenceContext& c) {
      DF_TRY(ScalarAt(c, {0}));
      DF_ASSIGN(const PartialShape element, ElementShape(c, 2));
      c.set_output(0, ShapeOfList(c.input(1).num_elements(), element));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("TensorListScatterIntoExistingList", ReserveLike(g, g.x(0)), g.dy(0), g.x(1));
    })
    .Cost(BehindHandleCost())
    .Doc("The elements at `indices`, stacked.");

Status ScatterShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape element, GivenShape(c, 2));
  DF_TRY(CheckRows(c, 0, element));
  DF_TRY(c.WithRank(1, 1).status());
  return ScalarOutputs()(c);
}

// An op that takes the rows of input `tensor` to the indices of the input behind it.
template <int kTensor>
void ScatterGradient(GradientBuilder& g) {
  const Output tensor = g.x(kTensor);
  const Output indices = g.x(kTensor + 1);
  g.dx(kTensor) = g.Op("TensorListGather", ElementType(g), g.dy(0), indices, RowShapeOf(g, tensor));
}

OP("TensorListScatter")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Input("element_shape: shape_type")
    .As(GivesList)
    .As(HasShapeType)
    .Shape(&ScatterShape)
    .Gradient(&ScatterGradient<0>)
    .HandleOf(HandleContent::Value(2))
    .Cost(BehindHandleCost(0))
    .Doc("A list that has the rows of a tensor at `indices`.");

OP("TensorListScatterV2")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Input("element_shape: shape_type")
    .Input("num_elements: int32")
    .As(GivesList)
    .As(HasShapeType)
    .Shape(&ScatterShape)
    .Gradient(&ScatterGradient<0>)
    .HandleOf(HandleContent::Value(2))
    .Cost(BehindHandleCost(0))
    .Doc("A list of num_elements (-1: as many as needed) that has the rows of a tensor at `indices`.");

OP("TensorListScatterIntoExistingList")
    .Input("input_handle: variant")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .As(GivesList)
    .Shape([](InferenceContext& c) {
      DF_TRY(ScalarAt(c, {0}));
      DF_TRY(CheckRows(c, 1, c.handle_shape(0)));
      DF_TRY(c.WithRank(2, 1).status());
      return ScalarOutputs()(c);
    })
    .Gradient([](GradientBuilder& g) {
      ScatterGradient<1>(g);
      g.dx(0) = g.Op("TensorListScatterIntoExistingList", g.dy(0), g.Op("ZerosLike", g.x(1)), g.x(2));
    })
    .HandleOf(HandleContent::Like(0))
    .Cost(BehindHandleCost())
    .Doc("The list with the rows of a tensor at `indices`.");

}  // namespace
}  // namespace dfrun
