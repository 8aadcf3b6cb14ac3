// Rows taken apart and put together by index.
#include <algorithm>
#include <vector>

#include "kernels/array/as_column.h"
#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The number of rows where every index is known, else unknown.
Result<int64_t> StitchedRows(const InferenceContext& c, int n) {
  int64_t rows = 0;
  for (int i = 0; i < n; ++i) {
    const Tensor* indices = c.input_value(i);
    if (indices == nullptr) return PartialShape::kUnknown;
    for (int32_t index : indices->values<int32_t>()) {
      if (index < 0) return InvalidArgument("indices[", i, "] holds the negative index ", index);
      rows = std::max<int64_t>(rows, int64_t{index} + 1);
    }
  }
  return rows;
}

void Stitch(OpBuilder& op) {
  op.Input("indices: N * int32")
      .Input("data: N * T")
      .Output("merged: T")
      .Attr("N: int >= 1")
      .Attr("T: type")
      .Shape([](InferenceContext& c) -> Status {
        const int n = c.num_inputs() / 2;
        DF_ASSIGN(const int64_t rows, StitchedRows(c, n));
        PartialShape row;
        for (int i = 0; i < n; ++i) {
          const PartialShape& indices = c.input(i);
          const PartialShape& data = c.input(n + i);
          if (!indices.known_rank() || !data.known_rank()) continue;
          if (data.rank() < indices.rank() ||
              !PartialShape({data.dims().begin(), data.dims().begin() + indices.rank()}).IsCompatibleWith(indices))
            return InvalidArgument("data[", i, "] has shape ", data, ", which does not begin with that of indices[", i,
                                   "], ", indices);
          DF_ASSIGN(row, row.Merge(PartialShape({data.dims().begin() + indices.rank(), data.dims().end()})));
        }
        if (!row.known_rank()) return Status();
        std::vector<int64_t> dims = row.dims();
        dims.insert(dims.begin(), rows);
        c.set_output(0, PartialShape(std::move(dims)));
        return Status();
      });
}

// The gradient of each row of data. The merged row numbers say which of the rows with an index is the last: only that
// one has a gradient.
void LastRowsGradient(GradientBuilder& g) {
  const int n = g.num_inputs() / 2;
  const Output one = g.Const(Tensor::Scalar<int32_t>(1));
  std::vector<Output> inputs;
  for (int i = 0; i < n; ++i) inputs.push_back(g.x(i));
  Output begin = g.Const(Tensor::Scalar<int32_t>(0));
  for (int i = 0; i < n; ++i) {
    const Output end = g.Op("AddV2", begin, g.Op("Size", g.x(i)));
    inputs.push_back(g.Op("Reshape", g.Op("Range", begin, end, one), g.Op("Shape", g.x(i))));
    begin = end;
  }
  const Output winners = g.AddNode("DynamicStitch", inputs, {{"N", n}});
  for (int i = 0; i < n; ++i) {
    const Output rows = g.Op("Gather", g.dy(0), g.x(i));
    const Output stands = g.Op("Equal", g.Op("Gather", winners, g.x(i)), inputs[static_cast<size_t>(n + i)]);
    g.dx(n + i) = g.Op("SelectV2", AsColumn(g, stands, rows), rows, g.ScalarLike(rows, 0));
  }
}

OP("DynamicStitch")
    .As(Stitch)
    .Gradient(&LastRowsGradient)
    .Cost(CopyCost())
    .Doc("merged[indices[m][i]] = data[m][i]; where indices repeat, the last wins.");
OP("ParallelDynamicStitch")
    .As(Stitch)
    .Gradient([](GradientBuilder& g) {
      const int n = g.num_inputs() / 2;
      for (int i = 0; i < n; ++i) g.dx(n + i) = g.Op("Gather", g.dy(0), g.x(i));
    })
    .Cost(CopyCost())
    .Doc("DynamicStitch, which any of the values may win where indices repeat.");

OP("DynamicPartition")
    .Input("data: T")
    .Input("partitions: int32")
    .Output("outputs: num_partitions * T")
    .Attr("num_partitions: int >= 1")
    .Attr("T: type")
    .Shape([](InferenceContext& c) -> Status {
      const PartialShape& data = c.input(0);
      const PartialShape& partitions = c.input(1);
      if (!data.known_rank() || !partitions.known_rank()) return Status();
      if (data.rank() < partitions.rank() ||
          !PartialShape({data.dims().begin(), data.dims().begin() + partitions.rank()}).IsCompatibleWith(partitions))
        return InvalidArgument("data has shape ", data, ", which does not begin with that of partitions, ", partitions);
      std::vector<int64_t> dims(data.dims().begin() + partitions.rank(), data.dims().end());
      dims.insert(dims.begin(), PartialShape::kUnknown);
      for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape(dims));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      // The row numbers, partitioned like the rows, say where each row of each output came from.
      const Output shape = g.Op("Shape", g.x(1));
      const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
      const Output one = g.Const(Tensor::Scalar<int32_t>(1));
      const Output numbers = g.Op("Reshape", g.Op("Range", zero, g.Op("Size", g.x(1)), one), shape);
      const int n = g.num_outputs();
      const AddedNode positions = g.Op("DynamicPartition", AttrMap{{"num_partitions", n}}, numbers, g.x(1));
      std::vector<Output> inputs(2 * static_cast<size_t>(n));
      for (int i = 0; i < n; ++i) {
        inputs[i] = positions[i];
        inputs[n + i] = g.dy(i);
      }
      const Output rows = g.AddNode("DynamicStitch", inputs, {{"N", n}});
      g.dx(0) = g.Op("Reshape", rows, g.Op("Shape", g.x(0)));
    })
    .Cost(CopyCost())
    .Doc("outputs[p] holds the rows of data for which partitions is p, in order.");

}  // namespace
}  // namespace dfrun
