// The shape of a handle's object: of a variable, of the elements of a TensorList or TensorArray, or of a table's
// values. It is found at the node that made the handle, through ops that pass it on.
#include <array>

#include "src/graph/graph.h"
#include "src/graph/handle_maker.h"
#include "src/graph/known_value.h"

namespace dfrun {
namespace {

// An op that makes a list, and the input with its element shape.
struct ListOp {
  std::string_view op;
  size_t shape_input;
};
constexpr std::array<ListOp, 6> kMakeList = {{{"EmptyTensorList", 0},
                                              {"TensorListReserve", 0},
                                              {"TensorListFromTensor", 1},
                                              {"TensorListScatter", 2},
                                              {"TensorListScatterV2", 2},
                                              {"TensorListSplit", 1}}};

// An op that makes a handle, and the attr with the shape of its object.
struct HandleOp {
  std::string_view op;
  const char* attr;
};
constexpr std::array<HandleOp, 3> kMakeHandle = {
    {{"VarHandleOp", "shape"}, {"TensorArrayV3", "element_shape"}, {"MutableHashTableOfTensorsV2", "value_shape"}}};

// At most this many joins of lists with lists are followed, so that many joins cost little.
constexpr int kMaxJoins = 4;

PartialShape ShapeBehind(const Graph& graph, Output handle, int joins) {
  const Output made = HandleMaker(graph, handle);
  if (!made.valid()) return PartialShape();
  const Node& from = graph.node(made.node);
  for (const HandleOp& maker : kMakeHandle) {
    if (from.op->name != maker.op) continue;
    const Result<PartialShape> shape = from.attrs.Get<PartialShape>(maker.attr);
    return shape.ok() ? *shape : PartialShape();
  }
  for (const ListOp& maker : kMakeList) {
    if (from.op->name == maker.op) return KnownShapeValue(graph, from.inputs[maker.shape_input]);
  }
  if (from.op->name == "TensorListConcatLists" && joins < kMaxJoins) {
    const PartialShape first = ShapeBehind(graph, from.inputs[0], joins + 1);
    const Result<PartialShape> both = first.Merge(ShapeBehind(graph, from.inputs[1], joins + 1));
    return both.ok() ? *both : PartialShape();
  }
  const bool of_scalars = from.op->name == "HashTableV2" || from.op->name == "MutableHashTableV2";
  return of_scalars ? PartialShape::Scalar() : PartialShape();
}

}  // namespace

PartialShape Graph::HandleShape(Output handle) const {
  return ShapeBehind(*this, handle, 0);
}

}  // namespace dfrun
