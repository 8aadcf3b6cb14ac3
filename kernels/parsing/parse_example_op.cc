#include "src/framework/op/op.h"

namespace dfrun {
namespace {

using Shapes = std::vector<PartialShape>;

// Sets the outputs of `sparse` sparse features, then of the dense ones. Of one example (`batch` has rank 0) or a vector
// of examples.
Status FeatureShapes(InferenceContext& c, const PartialShape& batch, int sparse, const Shapes& dense) {
  DF_ASSIGN(const auto sparse_types, c.attr<std::vector<DType>>("sparse_types"));
  DF_ASSIGN(const auto dense_types, c.attr<std::vector<DType>>("Tdense"));
  if (sparse_types.size() != static_cast<size_t>(sparse) || dense_types.size() != dense.size()) {
    return InvalidArgument(sparse_types.size(), " types for ", sparse, " sparse features, and ", dense_types.size(),
                           " types for ", dense.size(), " shapes of dense features");
  }
  const bool known = batch.known_rank();
  const int64_t index_size = known ? batch.rank() + 1 : PartialShape::kUnknown;
  for (int i = 0; i < sparse; ++i) {
    c.set_output(i, PartialShape({PartialShape::kUnknown, index_size}));
    c.set_output(sparse + i, PartialShape({PartialShape::kUnknown}));
    c.set_output(2 * sparse + i, PartialShape({index_size}));
  }
  for (size_t d = 0; known && d < dense.size(); ++d) {
    PartialShape shape = batch;
    for (int64_t size : dense[d].dims()) shape.Append(size);
    c.set_output(3 * sparse + static_cast<int>(d), dense[d].known_rank() ? shape : PartialShape());
  }
  return Status();
}

}  // namespace

OP("ParseExample")
    .Input("serialized: string")
    .Input("names: string")
    .Input("sparse_keys: Nsparse * string")
    .Input("dense_keys: Ndense * string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: Nsparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: Nsparse * int64")
    .Output("dense_values: Tdense")
    .Attr("Nsparse: int >= 0")
    .Attr("Ndense: int >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const PartialShape batch, c.WithRank(0, 1));
      DF_ASSIGN(const int64_t sparse, c.attr<int64_t>("Nsparse"));
      DF_ASSIGN(const Shapes dense, c.attr<Shapes>("dense_shapes"));
      return FeatureShapes(c, batch, static_cast<int>(sparse), dense);
    })
    .Cost(CopyCost())
    .Doc("Features of a vector of serialised Example messages: sparse ones as sparse matrices, dense ones as tensors.");

OP("ParseExampleV2")
    .Input("serialized: string")
    .Input("names: string")
    .Input("sparse_keys: string")
    .Input("dense_keys: string")
    .Input("ragged_keys: string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: num_sparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: num_sparse * int64")
    .Output("dense_values: Tdense")
    .Output("ragged_values: ragged_value_types")
    .Output("ragged_row_splits: ragged_split_types")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("num_sparse: int >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("ragged_value_types: list({float, int64, string}) >= 0")
    .Attr("ragged_split_types: list({int32, int64}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .Shape([](InferenceContext& c) -> Status {
      const PartialShape& batch = c.input(0);
      if (batch.known_rank() && batch.rank() > 1) {
        return InvalidArgument("serialized must be a scalar or a vector, but has shape ", batch);
      }
      DF_ASSIGN(const int64_t sparse, c.attr<int64_t>("num_sparse"));
      DF_ASSIGN(const Shapes dense, c.attr<Shapes>("dense_shapes"));
      DF_ASSIGN(const auto ragged, c.attr<std::vector<DType>>("ragged_value_types"));
      DF_TRY(FeatureShapes(c, batch, static_cast<int>(sparse), dense));
      const int first = static_cast<int>(3 * sparse) + static_cast<int>(dense.size());
      for (int i = 0; i < 2 * static_cast<int>(ragged.size()); ++i) {  // values, then where rows split
        if (first + i < c.num_outputs()) c.set_output(first + i, PartialShape({PartialShape::kUnknown}));
      }
      return Status();
    })
    .Cost(CopyCost())
    .Doc(
        "ParseExample of one message or a vector of them, with ragged features too: all values, and where rows split.");

OP("ParseSingleExample")
    .Input("serialized: string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: num_sparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: num_sparse * int64")
    .Output("dense_values: Tdense")
    .Attr("num_sparse: int >= 0")
    .Attr("sparse_keys: list(string) >= 0")
    .Attr("dense_keys: list(string) >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const PartialShape batch, c.WithRank(0, 0));
      DF_ASSIGN(const int64_t sparse, c.attr<int64_t>("num_sparse"));
      DF_ASSIGN(const Shapes dense, c.attr<Shapes>("dense_shapes"));
      return FeatureShapes(c, batch, static_cast<int>(sparse), dense);
    })
    .Cost(CopyCost())
    .Doc("ParseExample of one message.");

}  // namespace dfrun
