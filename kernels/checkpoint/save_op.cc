// TensorFlow's ops of saving and restoring, on dfrun's own checkpoints.
#include "kernels/checkpoint/tensor_slice.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The first inputs are scalars or vectors as `ranks` says.
ShapeFn InputsOfRanks(std::vector<int> ranks) {
  return [ranks = std::move(ranks)](InferenceContext& c) -> Status {
    for (size_t i = 0; i < ranks.size(); ++i) DF_TRY(c.WithRank(static_cast<int>(i), ranks[i]).status());
    return Status();
  };
}

Status ScalarFilename(InferenceContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) DF_TRY(c.WithRank(i, 0).status());
  c.set_output(0, PartialShape::Scalar());
  return Status();
}

// A file name, kVectors vectors with an entry for each tensor, and the tensors.
template <int kVectors>
Status SavedShapes(InferenceContext& c) {
  DF_TRY(c.WithRank(0, 0).status());
  const PartialShape names({c.num_inputs() - 1 - kVectors});
  for (int i = 1; i <= kVectors; ++i) DF_TRY(c.input(i).Merge(names).status());
  return Status();
}

// Sets the shapes of outputs whose text in input 2, a scalar or a vector, names a part: such an output has that part's
// shape.
Status RestoredShapes(InferenceContext& c) {
  DF_TRY(c.WithRank(0, 0).status());
  const PartialShape names = c.attrs().Has("dt") ? PartialShape::Scalar() : PartialShape({c.num_outputs()});
  for (int i = 1; i < 3; ++i) DF_TRY(c.input(i).Merge(names).status());
  const Tensor* parts = c.input_value(2);
  for (int i = 0; parts != nullptr && i < c.num_outputs(); ++i) {
    const std::string& part = parts->values<std::string>()[i];
    if (part.empty()) continue;
    DF_ASSIGN(const TensorSlice slice, TensorSlice::Parse(part));
    c.set_output(i, slice.extent);
  }
  return Status();
}

void SavesTensors(OpBuilder& op) {
  op.Stateful().NotDifferentiable();
}

void RestoresOne(OpBuilder& op) {
  op.Output("tensor: dt").Attr("dt: type").Attr("preferred_shard: int = -1").Stateful().NotDifferentiable();
}

}  // namespace

OP("Save")
    .Input("filename: string")
    .Input("tensor_names: string")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .As(SavesTensors)
    .Shape(&SavedShapes<1>)
    .Cost(CopyCost())
    .Doc("Writes tensors by name as the checkpoint `filename`, which is there whole or not at all.");

OP("SaveSlices")
    .Input("filename: string")
    .Input("tensor_names: string")
    .Input("shapes_and_slices: string")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .As(SavesTensors)
    .Shape(&SavedShapes<2>)
    .Cost(CopyCost())
    .Doc("Save of tensors or parts of them: '4 5 0,2:-' is rows 0 and 1 of a 4x5 tensor.");

OP("SaveV2")
    .Input("prefix: string")
    .Input("tensor_names: string")
    .Input("shape_and_slices: string")
    .Input("tensors: dtypes")
    .Attr("dtypes: list(type) >= 1")
    .As(SavesTensors)
    .Shape(&SavedShapes<2>)
    .Cost(CopyCost())
    .Doc("SaveSlices by its newer name.");

OP("Restore")
    .Input("file_pattern: string")
    .Input("tensor_name: string")
    .As(RestoresOne)
    .Shape(InputsOfRanks({0, 0}))
    .Cost(CopyCost())
    .Doc("A tensor by name from the checkpoint, or from those whose paths fit the pattern.");

OP("RestoreSlice")
    .Input("file_pattern: string")
    .Input("tensor_name: string")
    .Input("shape_and_slice: string")
    .As(RestoresOne)
    .Shape(&RestoredShapes)
    .Cost(CopyCost())
    .Doc("Restore of a tensor, or of the part of it that shape_and_slice names.");

OP("RestoreV2")
    .Input("prefix: string")
    .Input("tensor_names: string")
    .Input("shape_and_slices: string")
    .Output("tensors: dtypes")
    .Attr("dtypes: list(type) >= 1")
    .Stateful()
    .NotDifferentiable()
    .Shape(&RestoredShapes)
    .Cost(CopyCost())
    .Doc("Tensors by name, or parts of them, from a checkpoint.");

OP("MergeV2Checkpoints")
    .Input("checkpoint_prefixes: string")
    .Input("destination_prefix: string")
    .Attr("delete_old_dirs: bool = true")
    .Attr("allow_missing_files: bool = false")
    .Stateful()
    .NotDifferentiable()
    .Shape(InputsOfRanks({1, 0}))
    .Doc("Makes one checkpoint of those that several tasks wrote.");

OP("ShardedFilename")
    .Input("basename: string")
    .Input("shard: int32")
    .Input("num_shards: int32")
    .Output("filename: string")
    .NotDifferentiable()
    .Shape(&ScalarFilename)
    .Cost(NoCost())
    .Doc("'basename-00001-of-00004'.");

OP("ShardedFilespec")
    .Input("basename: string")
    .Input("num_shards: int32")
    .Output("filename: string")
    .NotDifferentiable()
    .Shape(&ScalarFilename)
    .Cost(NoCost())
    .Doc("'basename-*-of-00004' with five '?' for the number: it fits the names of all shards.");

}  // namespace dfrun
