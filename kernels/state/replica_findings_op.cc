#include "src/framework/op/op.h"
#include "src/framework/step/replica_findings.h"

namespace dfrun {

OP("_ReplicaFindings")
    .Input("findings: Ref(int64)")
    .Input("found: int32")
    .Output("withheld: int32")
    .Attr("limit: int")
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(0, 1).status());
      c.set_output(0, PartialShape::Scalar());
      return Status();
    })
    .Own()
    .Doc(
        "Takes a step's finding into a replica's state: the first that is to end the job, the steps since, those "
        "behind "
        "each other that were not finite, and all of these. `limit` of them behind each other end it; 0: none do. "
        "Gives "
        "the finding, and with a limit of 1 the first one in all later steps.");

}  // namespace dfrun
