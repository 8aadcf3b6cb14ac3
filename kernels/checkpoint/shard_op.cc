#include "src/framework/op/op.h"

namespace dfrun {

OP("SaveShard")
    .Input("directory: string")
    .Input("values: T")
    .Output("entry: string")
    .Attr("T: list(type)")
    .Attr("names: list(string)")
    .Attr("file: string")
    .Attr("texts: string = ''")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Own()
    .Cost(CopyCost())
    .Doc("Writes variables as one shard of a checkpoint and returns what the manifest says of it (dfrun's own).");

OP("RestoreShard")
    .Input("directory: string")
    .Input("left_out: string")
    .Output("values: dtypes")
    .Attr("dtypes: list(type)")
    .Attr("names: list(string)")
    .Attr("shapes: list(shape)")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const std::vector<PartialShape> shapes, c.attr<std::vector<PartialShape>>("shapes"));
      if (static_cast<int>(shapes.size()) != c.num_outputs()) {
        return InvalidArgument("attr 'shapes' has ", shapes.size(), " entries for ", c.num_outputs(), " outputs");
      }
      for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[i]);
      return Status();
    })
    .Own()
    .Cost(CopyCost())
    .Doc(
        "Reads variables by name from the shards of a committed checkpoint; those that are left out are empty "
        "(dfrun's own).");

}  // namespace dfrun
