// Random nodes whose place in their sequence is kept: plans of one session share it, and it can be set.
#include <gtest/gtest.h>

#include "comm/in_process/in_process.h"
#include "src/graph/graph_ops.h"
#include "src/session/session.h"

namespace dfrun {
namespace {

TEST(RandomPosition, NumbersGoOnWhereItIsSet) {
  Graph graph;
  GraphOps ops(graph, "");
  const Output shape = ops.Const("shape", Tensor::Vector<int32_t>({3}));
  ops.Add("noise", "RandomUniform", {shape},
          {{"dtype", DType::kFloat}, {"seed", int64_t{1}}, {"seed2", int64_t{2}}, {"_position", std::string("noise")}});
  ops.Add("position", "RandomPosition", {}, {{"position", std::string("noise")}});
  const Output blocks = ops.Add("blocks", "Placeholder", {}, {{"dtype", DType::kInt64}, {"shape", Shape()}});
  ops.Add("set", "SetRandomPosition", {blocks}, {{"position", std::string("noise")}});
  ops.Add("rewind", "RewindRandomPosition", {}, {{"position", std::string("noise")}});
  ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();

  std::vector<std::unique_ptr<Communicator>> communicators = comm::ConnectInProcess(1);
  const auto runtime = Runtime::Create({}, std::move(communicators[0]));
  ASSERT_TRUE(runtime.ok());
  const auto session = Session::Create(**runtime, std::move(graph));
  ASSERT_TRUE(session.ok());
  const auto noise = [&](const std::vector<std::string>& also = {}) {
    std::vector<std::string> fetches = {"noise"};
    fetches.insert(fetches.end(), also.begin(), also.end());
    const auto values = (*session)->Run({}, fetches);
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    const float* data = (*values)[0].data<float>();
    return std::vector<float>(data, data + 3);
  };

  const std::vector<float> first = noise();
  const auto position = (*session)->Run({}, {"position"});
  ASSERT_TRUE(position.ok()) << position.status().ToString();
  EXPECT_GT((*position)[0].scalar<int64_t>(), 0);
  const std::vector<float> second = noise();
  EXPECT_NE(first, second);
  EXPECT_NE(second, noise({"shape"}));  // another plan
  ASSERT_TRUE((*session)->Run({{"blocks", (*position)[0]}}, {}, {"set"}).ok());
  EXPECT_EQ(second, noise({"shape"}));
  // Back to before the last step that used some, any number of times.
  ASSERT_TRUE((*session)->Run({}, {}, {"rewind"}).ok());
  EXPECT_EQ(second, noise());
  ASSERT_TRUE((*session)->Run({}, {}, {"rewind"}).ok());
  ASSERT_TRUE((*session)->Run({}, {}, {"rewind"}).ok());
  EXPECT_EQ(second, noise());
  EXPECT_NE(second, noise());
}

}  // namespace
}  // namespace dfrun
