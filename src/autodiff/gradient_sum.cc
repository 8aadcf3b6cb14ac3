#include "src/autodiff/gradient_sum.h"

namespace dfrun {
namespace {

// The number of x's rows, as an int64 scalar.
Output NumRows(const Graph& graph, NodeAdder& adder, Output x) {
  const bool is_handle = graph.dtype(x) == DType::kResource;  // a handle's own shape says nothing about the variable's
  const PartialShape& shape = graph.shape(x);
  if (!is_handle && shape.rank() > 0 && shape.dim(0) != PartialShape::kUnknown) {
    return adder.Const(Tensor::Scalar<int64_t>(shape.dim(0)));
  }
  const AddedNode sizes = adder.Add(is_handle ? "VariableShape" : "Shape", {x}, {{"out_type", DType::kInt64}});
  const auto at = [&](int32_t i) { return adder.Const(Tensor::Vector<int32_t>({i})); };
  const Output begin = at(0);
  const Output end = at(1);
  const Output stride = at(1);
  return adder.Add("StridedSlice", {sizes, begin, end, stride}, {{"shrink_axis_mask", 1}});
}

// Concatenates all sparse parts: a row that several of them hold occurs several times.
GradientValue ConcatSparse(const Graph& graph, NodeAdder& adder, const std::vector<GradientValue>& parts) {
  if (parts.size() == 1) return parts[0];
  bool same_dtype = true;
  for (const GradientValue& part : parts) {
    same_dtype = same_dtype && graph.dtype(part.indices) == graph.dtype(parts[0].indices);
  }
  std::vector<Output> indices;
  std::vector<Output> values;
  for (const GradientValue& part : parts) {
    const bool widen = !same_dtype && graph.dtype(part.indices) != DType::kInt64;
    indices.push_back(widen ? adder.Add("Cast", {part.indices}, {{"DstT", DType::kInt64}}) : part.indices);
    values.push_back(part.values);
  }
  const Output axis = adder.Const(Tensor::Scalar<int32_t>(0));
  indices.push_back(axis);
  values.push_back(axis);
  const Output all_indices = adder.Add("ConcatV2", indices);
  return GradientValue::Sparse(all_indices, adder.Add("ConcatV2", values));
}

}  // namespace

std::string SiteOf(const Graph& graph, const GradientValue& gradient) {
  const Node& node = graph.node(gradient.is_sparse ? gradient.values.node : gradient.dense.node);
  return node.colocate_with.empty() ? node.name : node.colocate_with;
}

Output ScatterToDense(const Graph& graph, NodeAdder& adder, const GradientValue& sparse, Output x) {
  return adder.Add("UnsortedSegmentSum", {sparse.values, sparse.indices, NumRows(graph, adder, x)});
}

GradientValue SumGradients(const Graph& graph, NodeAdder& adder, const std::vector<GradientValue>& parts, Output x) {
  if (parts.empty()) return {};
  if (parts.size() == 1) return parts[0];
  std::vector<Output> dense;
  std::vector<GradientValue> sparse;
  for (const GradientValue& part : parts) {
    if (part.is_sparse) {
      sparse.push_back(part);
    } else {
      dense.push_back(part.dense);
    }
  }
  if (dense.empty()) return ConcatSparse(graph, adder, sparse);
  if (!sparse.empty()) dense.push_back(ScatterToDense(graph, adder, ConcatSparse(graph, adder, sparse), x));
  return GradientValue::Dense(adder.Add("AddN", dense));
}

}  // namespace dfrun
