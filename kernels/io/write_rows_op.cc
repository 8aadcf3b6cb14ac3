#include "src/framework/op/op.h"

namespace dfrun {

OP("_WriteRows")
    .Input("position: int64")
    .Input("rows: T")
    .Output("written: int64")
    .Attr("T: type")
    .Attr("path: string")
    .Attr("offset: int >= 0")
    .Attr("behind: int >= 0 = 0")
    .Attr("total: int >= 0")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(0, 0).status());
      DF_TRY(c.WithRankAtLeast(1, 1).status());
      c.set_output(0, PartialShape::Scalar());
      return Status();
    })
    .Own()
    .Cost(CopyCost())
    .Doc(
        "Writes rows [position + behind, ...) of an array of `total` rows that begins at byte `offset` of an existing "
        "file, and gives their number.");

OP("_SyncFile")
    .Attr("path: string")
    .Stateful()
    .NotDifferentiable()
    .Own()
    .Cost(CopyCost())
    .Doc("Brings to the disk what this process, or another of its host, has written to the file.");

}  // namespace dfrun
