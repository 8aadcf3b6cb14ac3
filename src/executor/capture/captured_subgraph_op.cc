#include "src/executor/capture/capture_partition.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

OP(kCapturedSubgraphOp)
    .Input("inputs: Tin")
    .Output("outputs: Tout")
    .Attr("unit: int >= 0")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Stateful()
    .Shape(UnknownOutputs())
    .Own()
    .Cost(NoCost())
    .Doc("Nodes of a device that are recorded together and launched as a whole.");

}  // namespace
}  // namespace dfrun
