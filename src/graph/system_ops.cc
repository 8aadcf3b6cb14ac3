// Ops that the runtime itself puts into graphs. Signatures are TensorFlow's, with attrs of ours added.
#include "src/framework/op.h"

namespace dfrun {
namespace {

OP("_Arg")
    .Output("output: T")
    .Attr("T: type")
    .Attr("index: int >= 0")
    .Attr("shape: shape = ?")
    .Stateful()
    .NotDifferentiable()
    .Shape(ShapeFromAttr("shape"))
    .Doc("The index-th tensor that a run feeds.");

OP("_Retval")
    .Input("input: T")
    .Attr("T: type")
    .Attr("index: int >= 0")
    .Stateful()
    .Doc("Makes its input the index-th tensor that a run fetches.");

OP("_Send")
    .Input("tensor: T")
    .Attr("T: type")
    .Attr("tensor_name: string")
    .Attr("send_device: string")
    .Attr("send_device_incarnation: int = 0")
    .Attr("recv_device: string")
    .Attr("client_terminated: bool = false")
    .Attr("channel: int = -1")
    .Attr("peer: int = -1")
    .Attr("static_shape: bool = false")
    .Attr("can_be_dead: bool = false")
    .Attr("shape: shape = ?")
    .Stateful()
    .Doc(
        "Sends its input to the _Recv of the same channel on rank `peer`. With static_shape the bytes travel without a "
        "header, and every tensor has the shape `shape`. With can_be_dead the input may be dead, and is sent as dead.");

OP("_Recv")
    .Output("tensor: tensor_type")
    .Attr("tensor_type: type")
    .Attr("tensor_name: string")
    .Attr("send_device: string")
    .Attr("send_device_incarnation: int = 0")
    .Attr("recv_device: string")
    .Attr("client_terminated: bool = false")
    .Attr("channel: int = -1")
    .Attr("peer: int = -1")
    .Attr("static_shape: bool = false")
    .Attr("can_be_dead: bool = false")
    .Attr("shape: shape = ?")
    .Stateful()
    .NotDifferentiable()
    .Shape(ShapeFromAttr("shape"))
    .Doc("Receives what the _Send of the same channel on rank `peer` sends.");

}  // namespace
}  // namespace dfrun
