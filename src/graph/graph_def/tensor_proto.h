// Converts tensors and shapes to and from the public GraphDef messages.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_TENSOR_PROTO_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_TENSOR_PROTO_H_

#include <cstdint>

#include "src/framework/values/tensor.h"
#include "src/graph/proto/tensor.pb.h"

namespace dfrun {

// The memory that reading a file may allocate beyond the file's size: a few bytes can declare a tensor of any size,
// whose one value is repeated.
struct ExpansionBudget {
  int64_t bytes = int64_t{1} << 30;
};

void ShapeToProto(const PartialShape& shape, proto::TensorShapeProto& out);
Result<PartialShape> ShapeFromProto(const proto::TensorShapeProto& proto);

// Plain dtypes go into tensor_content, strings into string_val.
void TensorToProto(const Tensor& tensor, proto::TensorProto& out);
// Reads tensor_content or the typed values, of which the last is repeated. InvalidArgument if the values do not fit the
// declared shape, Unimplemented for a dtype without tensors here, ResourceExhausted beyond the budget.
Result<Tensor> TensorFromProto(const proto::TensorProto& proto, ExpansionBudget& budget);

// Returns the dtype of a number of the enum; a ref dtype gives the dtype that it refers to. Unimplemented, with the
// enum's name, for one that is not supported.
Result<DType> DTypeFromProto(int number);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_TENSOR_PROTO_H_
