// Shares of a synchronous training with backup replicas: some are named, and their values make the update. Tokens are
// tensors of share_token.h.
#include "kernels/shares/share_object_op.h"
#include "kernels/shares/share_token.h"

namespace dfrun {
OP("_BackupShares").As(MakesShareObject).Doc("The counter of the shares of a training with backup replicas.");

OP("_OpenBackup")
    .Input("shares: resource")
    .Input("steps: int64")
    .Input("position: int64")
    .Input("returned: int64")
    .Attr("replicas: int >= 1")
    .Attr("backup: int >= 1")
    .Attr("rows: int >= 0")
    .Attr("steps: int >= 0")
    .As(UsesShareObject)
    .Doc("Has tokens of the steps from the first of `steps` up to the second handed out.");

OP("_OfferShare")
    .Input("shares: resource")
    .Input("token: int64")
    .Input("found: int32")
    .Output("named: int64")
    .Attr("replica: int >= 0")
    .As(UsesShareObject)
    .Shape([](InferenceContext& c) {
      c.set_output(0, PartialShape({ShareToken::kElements}));
      return Status();
    })
    .Doc(
        "Offers the gradients of a share: the token if the step's update is made with them, else one without a share.");

OP("_KeepNamed")
    .Input("named: int64")
    .Input("values: T")
    .Output("kept: T")
    .Attr("T: list(type) >= 1")
    .NotDifferentiable()
    .Own()
    .Cost(NoCost())
    .Shape([](InferenceContext&) { return Status(); })
    .Doc("The values of a share that is named; else empty ones.");

OP("_ShareInbox").As(MakesShareObject).Doc("The values of named shares on a rank.");

OP("_OpenInbox")
    .Input("inbox: resource")
    .Attr("open: bool")
    .As(UsesShareObject)
    .Doc("Empties an inbox; open = false: ends the wait for shares that do not come any more.");

OP("_PutShare")
    .Input("inbox: resource")
    .Input("named: int64")
    .Input("values: T")
    .Attr("T: list(type) >= 1")
    .As(UsesShareObject)
    .Waits(WaitKind::kRelease)
    .Doc("Puts the values of a named share into the inbox.");

OP("_TakeShares")
    .Input("inbox: resource")
    .Output("values: T")
    .Attr("shares: int >= 1")
    .Attr("T: list(type) >= 1")
    .Attr("shapes: list(shape)")
    .As(UsesShareObject)
    .Waits(WaitKind::kLock)
    .Shape([](InferenceContext& c) {
      DF_ASSIGN(const auto shapes, c.attr<std::vector<PartialShape>>("shapes"));
      if (static_cast<int>(shapes.size()) != c.num_outputs())
        return InvalidArgument(shapes.size(), " shapes of ", c.num_outputs(), " values");
      for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[static_cast<size_t>(i)]);
      return Status();
    })
    .Doc("Waits for the named shares of a step, and takes them: by value those of each, in the order of the shares.");

OP("_EndSharesStep")
    .Input("shares: resource")
    .As(UsesShareObject)
    .Waits(WaitKind::kRelease)
    .Doc("Ends a step whose updates are made.");

OP("_BackupUse")
    .Input("shares: resource")
    .Output("use: double")
    .As(UsesShareObject)
    .Shape(ShareVectorOutput)
    .Doc("By replica the shares named, then the late ones, then the seconds waited for tokens, since the job began.");

OP("_NamedShares")
    .Input("shares: resource")
    .Output("named: int64")
    .As(UsesShareObject)
    .Shape(ShareVectorOutput)
    .Doc(
        "The shares that made the last step: of each its position, its replica, and the number of what is not finite.");

OP("_CloseBackup")
    .Input("shares: resource")
    .Output("position: int64")
    .Output("returned: int64")
    .Attr("rows: int >= 0")
    .Attr("most_returned: int >= 1")
    .As(UsesShareObject)
    .Shape([](InferenceContext& c) {
      DF_ASSIGN(const int64_t most, c.attr<int64_t>("most_returned"));
      c.set_output(0, PartialShape::Scalar());
      c.set_output(1, PartialShape({most, 2}));
      return Status();
    })
    .Doc(
        "Ends what _OpenBackup began: the first row that was never handed out; and of each share that was handed out "
        "and not applied its first row and its number of rows, with zeros behind them.");

}  // namespace dfrun
