#include "src/framework/op.h"

namespace dfrun {

OP("HDF5Reader")
    .Input("position: int64")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("path: string")
    .Attr("datasets: list(string) >= 1")
    .Attr("shapes: list(shape) >= 1")
    .Attr("batch: int >= -1 = -1")
    .Attr("shuffle: bool = false")
    .Attr("seed: int = 0")
    .Attr("slice: int >= 0 = 0")
    .Attr("slices: int >= 1 = 1")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const std::vector<PartialShape> shapes, c.attr<std::vector<PartialShape>>("shapes"));
      DF_ASSIGN(const std::vector<std::string> datasets, c.attr<std::vector<std::string>>("datasets"));
      if (static_cast<int>(shapes.size()) != c.num_outputs() || shapes.size() != datasets.size()) {
        return InvalidArgument("attrs 'datasets' and 'shapes' must have an entry for each of the ", c.num_outputs(),
                               " components");
      }
      DF_ASSIGN(const PartialShape position, c.WithRank(0, 0));
      for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[i]);
      return Status();
    })
    .Doc(
        "A batch of samples of an HDF5 file, from sample `position` of the endless stream of (shuffled) epochs on "
        "(dfrun's own).");

}  // namespace dfrun
