// Ops that the runtime itself puts into graphs. Signatures are TensorFlow's, with attrs of ours added.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

OP("_Arg")
    .Output("output: T")
    .Attr("T: type")
    .Attr("index: int >= 0")
    .Attr("shape: shape = ?")
    .AtBoundary(Boundary::kFeed)
    .Stateful()
    .NotDifferentiable()
    .Shape(ShapeFromAttr("shape"))
    .Cost(NoCost())
    .Doc("The index-th tensor that a run feeds.");

OP("_Retval")
    .Input("input: T")
    .Attr("T: type")
    .Attr("index: int >= 0")
    .AtBoundary(Boundary::kFetch)
    .Stateful()
    .Cost(NoCost())
    .Doc("Makes its input the index-th tensor that a run fetches.");

OP("_UnknownOp")
    .Input("inputs: Tin")
    .Output("outputs: Tout")
    .Attr("op: string")
    .Attr("why: string")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Stateful()
    .Shape(UnknownOutputs())
    .Cost(CopyCost())
    .Doc("A node of an imported graph that cannot be read: `op` is its op, `why` says what is not known of it.");

void NamesChannel(OpBuilder& op) {
  op.Attr("tensor_name: string").Attr("send_device: string").Attr("send_device_incarnation: int = 0");
  op.Attr("recv_device: string").Attr("client_terminated: bool = false").Attr("channel: int = -1");
  op.Attr("peer: int = -1").Attr("static_shape: bool = false").Attr("can_be_dead: bool = false");
  op.Attr("shape: shape = ?").Stateful();
}

void Sends(OpBuilder& op) {
  op.Input("tensor: T").Attr("T: type").As(NamesChannel).AtBoundary(Boundary::kSend).Waits(WaitKind::kSend);
}

void Receives(OpBuilder& op) {
  op.Output("tensor: tensor_type").Attr("tensor_type: type").As(NamesChannel);
  op.AtBoundary(Boundary::kRecv).Waits(WaitKind::kRecv).NotDifferentiable().Shape(ShapeFromAttr("shape"));
}

OP("_Send")
    .As(Sends)
    .Cost(CopyCost())
    .Doc(
        "Sends its input to the _Recv of the same channel on rank `peer`. With static_shape the bytes travel without a "
        "header, and every tensor has the shape `shape`. With can_be_dead the input may be dead, and is sent as dead.");
OP("_HostSend").As(Sends).Cost(CopyCost()).Doc("_Send of a tensor in the memory of the host, whatever the device.");
OP("_Recv").As(Receives).Cost(CopyCost()).Doc("Receives what the _Send of the same channel on rank `peer` sends.");
OP("_HostRecv")
    .As(Receives)
    .Cost(CopyCost())
    .Doc("_Recv of a tensor into the memory of the host, whatever the device.");

void Copies(OpBuilder& op) {
  op.Input("input: T").Output("output: T").Attr("T: type").Shape(SameAsInput(0));
}

OP("_CopyToHost").As(Copies).Doc("Its input, which is in the device's own memory, in that of the host.");
OP("_CopyToDevice").As(Copies).Doc("Its input, which is in the host's memory, in the device's own.");

}  // namespace
}  // namespace dfrun
