// The shape behind a handle: of the variable that a VarHandleOp stands for, of the elements of a TensorList or
// TensorArray, or of a table's values. It is that of the node which made the handle, through ops that hand it on.
#include <algorithm>
#include <array>

#include "src/graph/graph.h"
#include "src/graph/handed_on.h"
#include "src/graph/known_value.h"

namespace dfrun {
namespace {

// Ops whose output 0 is a list or array of elements like those of their input 0.
constexpr std::array<std::string_view, 7> kChangeList = {"TensorArrayGradV3",
                                                         "TensorListSetItem",
                                                         "TensorListPushBack",
                                                         "TensorListPopBack",
                                                         "TensorListResize",
                                                         "TensorListScatterIntoExistingList",
                                                         "ZerosLike"};

// Ops that make a list, and which of their inputs is its element shape.
struct ListMaker {
  std::string_view op;
  size_t shape_input;
};
constexpr std::array<ListMaker, 6> kMakeList = {{{"EmptyTensorList", 0},
                                                 {"TensorListReserve", 0},
                                                 {"TensorListFromTensor", 1},
                                                 {"TensorListScatter", 2},
                                                 {"TensorListScatterV2", 2},
                                                 {"TensorListSplit", 1}}};

// Ops that make a handle, and which of their attrs is the shape behind it.
struct HandleMaker {
  std::string_view op;
  const char* attr;
};
constexpr std::array<HandleMaker, 3> kMakeHandle = {
    {{"VarHandleOp", "shape"}, {"TensorArrayV3", "element_shape"}, {"MutableHashTableOfTensorsV2", "value_shape"}}};

template <class List>
bool Contains(const List& list, std::string_view op) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

}  // namespace

PartialShape Graph::HandleShape(Output handle) const {
  for (int hops = 0; handle.valid() && hops < num_nodes(); ++hops) {
    const Node& from = nodes_[handle.node];
    for (const HandleMaker& maker : kMakeHandle) {
      if (from.op->name != maker.op) continue;
      const Result<PartialShape> shape = from.attrs.Get<PartialShape>(maker.attr);
      return shape.ok() ? *shape : PartialShape();
    }
    for (const ListMaker& maker : kMakeList) {
      if (from.op->name == maker.op) return KnownShapeValue(*this, from.inputs[maker.shape_input]);
    }
    if (from.op->name == "HashTableV2" || from.op->name == "MutableHashTableV2") return PartialShape::Scalar();
    const bool changes = handle.port == 0 && Contains(kChangeList, from.op->name);
    handle = changes ? from.inputs[0] : HandedOnBy(*this, handle);
  }
  return PartialShape();
}

}  // namespace dfrun
