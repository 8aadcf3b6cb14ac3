#include "kernels/nn/softmax/cross_entropy.h"

#include "src/framework/op/inference.h"

namespace dfrun {

Result<Shape> ShapeOfCrossEntropy(const Shape& logits, const Shape& labels) {
  DF_ASSIGN(const PartialShape both, BroadcastShapes(logits, labels));
  DF_ASSIGN(Shape shape, both.ToShape());
  if (shape.rank() == 2) return shape;
  return InvalidArgument(
      "SoftmaxCrossEntropyWithLogits needs logits and labels that are matrices or repeat to one, "
      "but has logits ",
      logits, " and labels ", labels);
}

Status CheckSparseCrossEntropy(const Shape& logits, const Shape& labels) {
  if (logits.rank() == 2 && labels.rank() == 1 && logits[0] == labels[0]) return Status();
  return InvalidArgument("SparseSoftmaxCrossEntropyWithLogits: logits ", logits,
                         " need one label a row, but labels are ", labels);
}

}  // namespace dfrun
