// A rank that only receives in a loop, and is slow: what is sent to it must not pile up.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "comm/bootstrap/rank_communicator.h"
#include "comm/in_process/in_process_transport.h"
#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using comm::InProcessHub;
using comm::InProcessTransport;
using comm::MessageTag;
using comm::Transport;
using testing::GraphMaker;

// Counts the messages that have left and not arrived.
struct UnderWay {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  void Left() {
    const int count = now.fetch_add(1) + 1;
    for (int seen = most.load(); seen < count && !most.compare_exchange_weak(seen, count);) {
    }
  }
};

// A network that takes small messages before their receiver asks: a Send is complete at once.
class EagerTransport final : public Transport {
 public:
  EagerTransport(std::shared_ptr<InProcessHub> hub, int rank, UnderWay& under_way)
      : inner_(std::move(hub), rank), under_way_(under_way) {}
  std::string_view name() const override { return "eager"; }
  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  int32_t max_channels() const override { return inner_.max_channels(); }
  int32_t max_slots() const override { return inner_.max_slots(); }
  void Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) override {
    auto* sent = new Sent{under_way_, std::string(static_cast<const char*>(data), bytes)};
    under_way_.Left();
    inner_.Send(peer, tag, sent->bytes.data(), bytes, {&Sent::Arrived, sent});
    done(Status());
  }
  void Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) override {
    inner_.Recv(peer, tag, data, bytes, done);
  }
  bool Poll() override { return inner_.Poll(); }
  void Abort(const Status& status) override { inner_.Abort(status); }
  void Trace(TraceSink* sink) override { inner_.Trace(sink); }

 private:
  struct Sent {
    UnderWay& under_way;
    std::string bytes;
    // NOLINTNEXTLINE(performance-unnecessary-value-param): a Callback takes it so
    static void Arrived(void* arg, Status) {
      const std::unique_ptr<Sent> sent(static_cast<Sent*>(arg));
      sent->under_way.now.fetch_sub(1);
    }
  };
  InProcessTransport inner_;
  UnderWay& under_way_;
};

std::vector<std::unique_ptr<Communicator>> ConnectEagerly(int ranks, UnderWay& under_way) {
  const auto tensors = std::make_shared<InProcessHub>(ranks);
  const auto control = std::make_shared<InProcessHub>(ranks);
  std::vector<std::unique_ptr<Communicator>> all;
  for (int rank = 0; rank < ranks; ++rank) {
    all.push_back(std::make_unique<comm::RankCommunicator>(std::make_unique<EagerTransport>(tensors, rank, under_way),
                                                           std::make_unique<InProcessTransport>(control, rank)));
  }
  return all;
}

constexpr int kIterations = 2000;
constexpr int kParallel = 4;

// The loop while (x < kIterations) x = x + 1 on rank 0; rank 1 multiplies a matrix in each iteration and sends nothing.
class OneWayLoop {
 public:
  Graph Make() {
    const Output limit = Enter(0, "limit", Tensor::Scalar<float>(kIterations), true);
    const Output one = Enter(0, "one", Tensor::Scalar<float>(1), true);
    const Output x = Merge(0, "x", Enter(0, "zero", Tensor::Scalar<float>(0), false));
    const Output goes_on = On(0, "goes_on", "LoopCond", {On(0, "less", "Less", {x, limit})});
    const Output x_branch = On(0, "x_branch", "Switch", {x, goes_on});
    const Output sum = On(0, "sum", "AddV2", {{x_branch.node, 1}, one});
    Close(0, "x", x, sum);
    On(0, "x_end", "Exit", {x_branch});

    Tensor half(DType::kFloat, Shape({64, 64}));
    std::fill_n(half.data<float>(), half.num_elements(), 0.5f / 64);
    const Output matrix = Enter(1, "matrix", half, true);
    const Output y = Merge(1, "y", Enter(1, "y_first", half, false));
    const Output y_branch = On(1, "y_branch", "Switch", {y, goes_on});
    Output product = On(1, "scaled", "Mul", {{y_branch.node, 1}, sum});
    for (int i = 0; i < 4; ++i) product = On(1, StrCat("product_", i), "MatMul", {product, matrix});
    Close(1, "y", y, product);
    On(1, "y_end", "Exit", {y_branch});
    return std::move(m.graph);
  }

 private:
  Output On(int rank, const std::string& name, const std::string& op, std::vector<Output> inputs = {},
            AttrMap attrs = {}) {
    const Output added = m.Add(name, op, std::move(inputs), std::move(attrs));
    m.node(added).device = StrCat("/job:worker/task:", rank);
    return added;
  }
  Output Enter(int rank, const std::string& name, const Tensor& value, bool is_constant) {
    const Output outside = On(rank, name + "_value", "Const", {}, {{"dtype", value.dtype()}, {"value", value}});
    return On(rank, name, "Enter", {outside},
              {{"frame_name", "loop"}, {"is_constant", is_constant}, {"parallel_iterations", kParallel}});
  }
  Output Merge(int rank, const std::string& name, Output first) {
    return On(rank, name, "Merge", {first, Output{}}, {{"T", DType::kFloat}, {"N", 2}});
  }
  void Close(int rank, const std::string& name, Output merge, Output next) {
    EXPECT_TRUE(m.graph.SetInput(merge.node, 1, On(rank, name + "_next", "NextIteration", {next})).ok());
  }

  GraphMaker m;
};

TEST(LoopPressure, ASlowReceiverHoldsTheSender) {
  UnderWay under_way;
  testing::RankThreads ranks(ConnectEagerly(2, under_way));
  SessionOptions options;
  options.optimize = false;
  const Result<std::unique_ptr<Session>> session = Session::Create(ranks.master(), OneWayLoop().Make(), options);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const Result<std::vector<Tensor>> exits = (*session)->Run({}, {"x_end"}, {"y_end"});
  ASSERT_TRUE(exits.ok()) << exits.status().ToString();
  EXPECT_EQ((*exits)[0].scalar<float>(), kIterations);
  // A sum and a predicate are sent in each iteration, and a message comes back that it has begun.
  EXPECT_GE(under_way.most.load(), 1);
  EXPECT_LE(under_way.most.load(), 3 * (2 * kParallel + 1));
  EXPECT_TRUE((*session)->Close().ok());
}

}  // namespace
}  // namespace dfrun
