#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The outputs of all readers of samples: batches [batch / slices, ...], one component a field.
void ReadsBatches(OpBuilder& op) {
  op.Input("position: int64")
      .Output("components: component_types")
      .Attr("component_types: list(type) >= 1")
      .Attr("shapes: list(shape) >= 1")
      .Attr("batch: int >= -1 = -1")
      .Attr("shuffle: bool = false")
      .Attr("shuffle_buffer: int >= 0 = 0")
      .Attr("seed: int = 0")
      .Attr("slice: int >= 0 = 0")
      .Attr("slices: int >= 1 = 1")
      .Attr("readers: int >= 1 = 1")
      .Attr("prefetch: int >= 0 = 2")
      .Attr("layouts: string = ''")
      .Stateful()
      .NotDifferentiable()
      .Shape([](InferenceContext& c) -> Status {
        DF_ASSIGN(const std::vector<PartialShape> shapes, c.attr<std::vector<PartialShape>>("shapes"));
        if (static_cast<int>(shapes.size()) != c.num_outputs()) {
          return InvalidArgument("attr 'shapes' must have an entry for each of the ", c.num_outputs(), " components");
        }
        DF_ASSIGN(const PartialShape position, c.WithRank(0, 0));
        for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[i]);
        return Status();
      });
}

}  // namespace

OP("HDF5Reader")
    .As(&ReadsBatches)
    .Attr("path: string")
    .Attr("datasets: list(string) >= 1")
    .Attr("external: bool = false")
    .OwnFedFromOutside()
    .Cost(CopyCost())
    .Doc(
        "A batch of samples of an HDF5 file, from sample `position` of the endless stream of (shuffled) epochs on "
        "(dfrun's own). layouts: where the datasets lie, as rank 0 has found them in the file as it was then.");

OP("SampleReader")
    .As(&ReadsBatches)
    .Attr("format: string")
    .Attr("files: list(string) >= 1")
    .Attr("options: list(string) >= 0 = []")
    .Attr("fields: list(string) >= 1")
    .Attr("sample_shapes: list(shape) >= 1")
    .Attr("defaults: list(string) >= 0 = []")
    .Attr("exact: list(int) >= 0 = []")
    .Attr("pieces: list(int) >= 0 = []")
    .Attr("left_out: list(int) >= 0 = []")
    .OwnFedFromOutside()
    .Cost(CopyCost())
    .Doc(
        "HDF5Reader's batches of files of another format: text, csv, fixed_length, tfrecord, whole_file, image "
        "(dfrun's own). options: key=value; defaults: field number=value; exact: the fields of which a number that "
        "their dtype would round is an error; pieces: file number, first byte and number of records of each piece, "
        "left_out: the records that are no samples; without them the reader counts for itself.");

}  // namespace dfrun
