// The two ends of a channel as nodes of a plan, of every op that makes one.
#include <gtest/gtest.h>

#include "comm/bootstrap/in_process.h"
#include "src/executor/executor.h"
#include "testing/graph_evaluator.h"
#include "testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

struct Ends {
  const char* send;
  const char* recv;
};

class SendRecvTest : public ::testing::TestWithParam<Ends> {
 protected:
  static AttrMap Channel(bool static_shape) {
    return {{"tensor_name", std::string("x")},
            {"send_device", std::string("/cpu:0")},
            {"recv_device", std::string("/cpu:0")},
            {"channel", 0},
            {"peer", 0},
            {"static_shape", static_shape},
            {"shape", static_shape ? PartialShape({3}) : PartialShape()}};
  }
  // What arrives of a value that a plan sends to itself.
  static Result<Tensor> SendAndReceive(const Tensor& value, bool static_shape) {
    GraphMaker g;
    g.Add("send", GetParam().send, {g.Const("x", value)}, Channel(static_shape));
    AttrMap attrs = Channel(static_shape);
    attrs.Set("tensor_type", value.dtype());
    const Output received = g.Add("recv", GetParam().recv, {}, attrs);
    g.Add("out", "_Retval", {received}, {{"index", 0}});
    testing::PlainDevice device;
    DF_ASSIGN(const auto plan, ExecPlan::Create(g.graph, device, KernelRegistry::Builtin()));
    const std::unique_ptr<Communicator> communicator = std::move(comm::ConnectInProcess(1)[0]);
    const std::unique_ptr<StepRendezvous> rendezvous = communicator->NewRendezvous();
    rendezvous->StartStep(0);
    WorkerPool pool(1);
    Tensor fetched;
    RunArgs args;
    args.fetches = {&fetched, 1};
    args.step.rendezvous = rendezvous.get();
    DF_TRY(RunPlan(*plan, pool, args));
    return fetched;
  }
};

TEST_P(SendRecvTest, TheValueArrives) {
  const Tensor value = Tensor::Vector<float>({1, 2, 3});
  for (bool static_shape : {false, true}) {
    const Result<Tensor> received = SendAndReceive(value, static_shape);
    ASSERT_TRUE(received.ok()) << received.status().ToString();
    EXPECT_TRUE(received->Identical(value)) << received->ToString();
  }
}

TEST_P(SendRecvTest, TextsArriveToo) {
  const Tensor value = Tensor::Vector<std::string>({"a", "", "longer than what fits into a small string"});
  const Result<Tensor> received = SendAndReceive(value, false);
  ASSERT_TRUE(received.ok()) << received.status().ToString();
  EXPECT_TRUE(received->Identical(value)) << received->ToString();
}

TEST_P(SendRecvTest, ANodeOfNoPartitionIsRefused) {
  GraphMaker g;
  AttrMap attrs = Channel(false);
  attrs.Set("channel", -1);
  g.Add("send", GetParam().send, {g.Const("x", Tensor::Scalar(1.0f))}, attrs);
  testing::PlainDevice device;
  const Status status = ExecPlan::Create(g.graph, device, KernelRegistry::Builtin()).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
}

INSTANTIATE_TEST_SUITE_P(Ops, SendRecvTest, ::testing::Values(Ends{"_Send", "_Recv"}, Ends{"_HostSend", "_HostRecv"}));

}  // namespace
}  // namespace dfrun
