// Tensors and shapes as the public GraphDef messages write them.
#ifndef DFRUN_SRC_GRAPH_TENSOR_PROTO_H_
#define DFRUN_SRC_GRAPH_TENSOR_PROTO_H_

#include <cstdint>

#include "src/framework/tensor.h"
#include "src/graph/proto/tensor.pb.h"

namespace dfrun {

// What a file may make us allocate beyond its own size: a few bytes can declare a tensor of any size, whose one value
// is repeated.
struct ExpansionBudget {
  int64_t bytes = int64_t{1} << 30;
};

void ShapeToProto(const PartialShape& shape, proto::TensorShapeProto& out);
Result<PartialShape> ShapeFromProto(const proto::TensorShapeProto& proto);

// Plain dtypes go into tensor_content, strings into string_val.
void TensorToProto(const Tensor& tensor, proto::TensorProto& out);
// Reads tensor_content or the typed values, of which the last is repeated. InvalidArgument where the values do not fit
// the declared shape, Unimplemented for a dtype that has no tensors here, ResourceExhausted beyond the budget.
Result<Tensor> TensorFromProto(const proto::TensorProto& proto, ExpansionBudget& budget);

// A dtype of the enum, refs as what they refer to; Unimplemented with the enum's name for one that is not supported.
Result<DType> DTypeFromProto(int number);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_TENSOR_PROTO_H_
