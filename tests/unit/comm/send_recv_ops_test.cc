// Sends and Recvs as nodes of a plan, for every op that makes one.
#include <gtest/gtest.h>

#include "comm/in_process/in_process.h"
#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/plain_device.h"

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
  // Returns the values that arrive when a plan sends them to itself, one per step.
  static Result<std::vector<Tensor>> SendAndReceive(const std::vector<Tensor>& values, bool static_shape) {
    const DType dtype = values[0].dtype();
    GraphMaker g;
    const Output value = g.Add("x", "_Arg", {}, {{"T", dtype}, {"index", 0}});
    g.Add("send", GetParam().send, {value}, Channel(static_shape));
    AttrMap attrs = Channel(static_shape);
    attrs.Set("tensor_type", dtype);
    const Output received = g.Add("recv", GetParam().recv, {}, attrs);
    g.Add("out", "_Retval", {received}, {{"index", 0}});
    testing::PlainDevice device;
    DF_ASSIGN(const auto plan, BuildPlan(g.graph, device, KernelRegistry::Builtin()));
    const std::unique_ptr<Communicator> communicator = std::move(comm::ConnectInProcess(1)[0]);
    const std::unique_ptr<StepRendezvous> rendezvous = communicator->NewRendezvous(0, {});
    WorkerPool pool(1);
    std::vector<Tensor> fetched(values.size());
    for (size_t step = 0; step < values.size(); ++step) {
      rendezvous->StartStep(ErrorScope::kSession);
      RunArgs args;
      args.feeds = {&values[step], 1};
      args.fetches = {&fetched[step], 1};
      args.step.rendezvous = rendezvous.get();
      DF_TRY(RunPlan(*plan, pool, args));
    }
    return fetched;
  }
  static void ExpectToArrive(const std::vector<Tensor>& values, bool static_shape) {
    const Result<std::vector<Tensor>> received = SendAndReceive(values, static_shape);
    ASSERT_TRUE(received.ok()) << received.status().ToString();
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_TRUE((*received)[i].Identical(values[i])) << (*received)[i].ToString();
    }
  }
};

TEST_P(SendRecvTest, TheValueArrives) {
  for (bool static_shape : {false, true}) ExpectToArrive({Tensor::Vector<float>({1, 2, 3})}, static_shape);
}

TEST_P(SendRecvTest, EachStepHasAValueOfItsOwnShape) {
  ExpectToArrive({Tensor::Vector<float>({1, 2, 3}), Tensor::Vector<float>({4, 5, 6}), Tensor::Scalar(7.0F),
                  Tensor(DType::kFloat, Shape({0, 2})), Tensor::Vector<float>({8, 9, 10, 11})},
                 false);
}

TEST_P(SendRecvTest, TextsArriveToo) {
  ExpectToArrive({Tensor::Vector<std::string>({"a", "", "longer than what fits into a small string"})}, false);
}

TEST_P(SendRecvTest, ANodeOfNoPartitionIsRefused) {
  GraphMaker g;
  AttrMap attrs = Channel(false);
  attrs.Set("channel", -1);
  g.Add("send", GetParam().send, {g.Const("x", Tensor::Scalar(1.0f))}, attrs);
  testing::PlainDevice device;
  const Status status = BuildPlan(g.graph, device, KernelRegistry::Builtin()).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
}

INSTANTIATE_TEST_SUITE_P(Ops, SendRecvTest, ::testing::Values(Ends{"_Send", "_Recv"}, Ends{"_HostSend", "_HostRecv"}));

}  // namespace
}  // namespace dfrun
