// The shape of a handle's object: of a variable, of the elements of a TensorList or TensorArray, or of a table's
// values. It is found at the node that made the handle, through ops that pass it on.
#include "src/graph/constant_evaluation.h"
#include "src/graph/graph.h"
#include "src/graph/handle_maker.h"

namespace dfrun {
namespace {

// The number of joins of lists with lists that are followed, so that many joins cost little.
constexpr int kMaxJoins = 4;

PartialShape ShapeBehindBoth(const Graph& graph, const Node& joined, int joins);

PartialShape ShapeBehind(const Graph& graph, Output handle, int joins) {
  const Output made = HandleMaker(graph, handle);
  if (!made.valid()) return PartialShape();
  const Node& from = graph.node(made.node);
  const HandleContent& content = from.op->traits.handle_content;
  switch (content.kind) {
    case HandleContent::Kind::kAttr: {
      const Result<PartialShape> shape = from.attrs.Get<PartialShape>(content.attr);
      return shape.ok() ? *shape : PartialShape();
    }
    case HandleContent::Kind::kValue:
      return ConstantPartialShape(graph, from.inputs[static_cast<size_t>(content.input)]);
    case HandleContent::Kind::kScalars:
      return PartialShape::Scalar();
    case HandleContent::Kind::kJoined:
      return joins < kMaxJoins ? ShapeBehindBoth(graph, from, joins + 1) : PartialShape();
    case HandleContent::Kind::kLike:
    case HandleContent::Kind::kNone:
      return PartialShape();
  }
  return PartialShape();
}

PartialShape ShapeBehindBoth(const Graph& graph, const Node& joined, int joins) {
  const PartialShape first = ShapeBehind(graph, joined.inputs[0], joins);
  const Result<PartialShape> both = first.Merge(ShapeBehind(graph, joined.inputs[1], joins));
  return both.ok() ? *both : PartialShape();
}

}  // namespace

PartialShape Graph::HandleShape(Output handle) const {
  return ShapeBehind(*this, handle, 0);
}

}  // namespace dfrun
