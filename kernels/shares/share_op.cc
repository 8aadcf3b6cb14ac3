// Shares of batches and their tokens, for replicas that run for themselves. A token is the tensor of share_token.h.
#include "kernels/shares/share_object_op.h"
#include "kernels/shares/share_token.h"

namespace dfrun {
namespace {

Status TokenShape(InferenceContext& c) {
  c.set_output(0, PartialShape({ShareToken::kElements}));
  return Status();
}

}  // namespace

OP("_ShareTokens")
    .As(MakesShareObject)
    .Doc("The counter of the shares of a training whose replicas run for themselves.");

OP("_OpenShares")
    .Input("tokens: resource")
    .Input("period: int64")
    .Input("position: int64")
    .Attr("replicas: int >= 1")
    .Attr("takers: int >= 1")
    .Attr("max_staleness: int >= -1")
    .Attr("rows: int >= 0")
    .Attr("values: int >= 0")
    .Attr("most_skipped: int >= 0")
    .Attr("log_every: int >= 1")
    .Attr("last_step: int >= 0")
    .As(UsesShareObject)
    .Doc(
        "Has tokens of the steps from the first number of `period` up to the second handed out; the third is how many "
        "shares before were not finite, behind each other.");

OP("_TakeShare")
    .Input("tokens: resource")
    .Output("token: int64")
    .Attr("replica: int >= 0")
    .As(UsesShareObject)
    .Waits(WaitKind::kLock)
    .Shape(TokenShape)
    .Doc("The token of the replica's next share; waits while it would be too far ahead.");

OP("_ShareParts")
    .Input("token: int64")
    .Output("position: int64")
    .Output("refusal: int32")
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Own()
    .Cost(NoCost())
    .Doc("The position of a token's rows, and 0, or -1 where it has no share.");

OP("_PackShare")
    .Input("found: int32")
    .Input("values: T")
    .Output("report: double")
    .Attr("T: list({float, double, half, bfloat16, int8, int16, int32, int64, uint8, uint16, uint32, uint64})")
    .NotDifferentiable()
    .Shape(ShareVectorOutput)
    .Own()
    .Cost(NoCost())
    .Doc("The report of a share: scalars, as one vector.");

OP("_EndShare")
    .Input("tokens: resource")
    .Input("token: int64")
    .Input("report: double")
    .Attr("replica: int >= 0")
    .As(UsesShareObject)
    .Waits(WaitKind::kRelease)
    .Doc("Ends a share whose updates are made.");

OP("_ShareLines")
    .Input("tokens: resource")
    .Output("lines: double")
    .Output("ends: bool")
    .As(UsesShareObject)
    .Shape([](InferenceContext& c) {
      c.set_output(0, PartialShape({PartialShape::kUnknown, PartialShape::kUnknown}));
      c.set_output(1, PartialShape::Scalar());
      return Status();
    })
    .Doc(
        "What the shares of logged steps have reported, a row a step; each is given once. ends: no more shares are "
        "handed out, since one was not finite.");

OP("_CloseShares")
    .Input("tokens: resource")
    .Output("end: int64")
    .Output("position: int64")
    .Output("staleness: int64")
    .As(UsesShareObject)
    .Shape([](InferenceContext& c) {
      c.set_output(0, PartialShape({6}));
      c.set_output(1, PartialShape::Scalar());
      c.set_output(2, PartialShape({PartialShape::kUnknown, 2}));
      return Status();
    })
    .Doc(
        "Ends what _OpenShares began: the steps that are done, the share that was not finite, and how many were so "
        "behind "
        "each other at the end. staleness: how many shares had which staleness, a row each.");

OP("_UpdateTurns").As(MakesShareObject).Doc("The turns of the updates that such replicas make on a device.");

OP("_OpenTurns")
    .Input("turns: resource")
    .Input("period: int64")
    .Attr("replicas: int >= 1")
    .Attr("in_turn: bool")
    .As(UsesShareObject)
    .Doc("Has turns given from the first share of `period` on.");

OP("_CountReads")
    .Input("turns: resource")
    .Input("token: int64")
    .As(UsesShareObject)
    .Waits(WaitKind::kRelease)
    .Doc("Counts a replica that has read the variables of the device.");

OP("_BeginTurn")
    .Input("turns: resource")
    .Input("token: int64")
    .Output("share: int64")
    .Attr("replica: int >= 0")
    .As(UsesShareObject)
    .Waits(WaitKind::kLock)
    .Shape(ScalarOutputs())
    .Doc("Waits until the token's updates may be made.");

OP("_EndTurn")
    .Input("turns: resource")
    .Input("token: int64")
    .As(UsesShareObject)
    .Waits(WaitKind::kRelease)
    .Doc("Ends the turn that _BeginTurn began.");

}  // namespace dfrun
