// Sessions over ranks that have different devices. The tests register a type whose devices compute in host memory by
// the CPU's kernels.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/framework/device/device_factory.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/session/session.h"
#include "src/session/start_tasks.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using testing::RankThreads;

constexpr const char* kType = "slate";
constexpr int kFails = -1;

// The number of devices by task. Set before the ranks start; a task beyond its end has none.
std::vector<int>& Counts() {
  static std::vector<int>& counts = *new std::vector<int>();
  return counts;
}

class SlateDevice final : public Device {
 public:
  explicit SlateDevice(const DeviceName& name) : Device(name, SystemAllocator()) {}
};

Result<FoundDevices> FindSlateDevices(const DeviceSite& site) {
  const auto number = static_cast<size_t>(*site.task.task);
  const int count = number < Counts().size() ? Counts()[number] : 0;
  if (count == kFails) return Error(Code::kUnavailable, "the slate driver is broken");
  FoundDevices found;
  for (int i = 0; i < count; ++i) {
    DeviceName name = site.task;
    name.type = kType;
    name.index = i;
    found.devices.push_back({std::make_unique<SlateDevice>(name), 1000 + i, StrCat("slate ", i)});
  }
  if (count == 0) found.why_none = "no slate is here";
  if (count == 2) found.warnings.push_back("the third slate is broken: mend it");
  return found;
}
DEVICE_FACTORY(kType, &FindSlateDevices);

std::optional<KernelDef> OfSlate(const KernelDef& def) {
  constexpr std::string_view kOps[] = {"Add", "Const", "Mul"};
  if (def.device_type != "cpu" || std::find(std::begin(kOps), std::end(kOps), def.op) == std::end(kOps)) return {};
  KernelDef own = def;
  own.device_type = kType;
  return own;
}
DERIVED_KERNELS(&OfSlate);

class DevicesOfRanks : public ::testing::Test {
 protected:
  ~DevicesOfRanks() override { Counts().clear(); }

  // x + 1, times 2, each on the device that is named.
  static Graph Chain(const std::string& sum_device, const std::string& product_device) {
    GraphMaker g;
    const Output x = g.Placeholder("x", {-1}, DType::kFloat);
    const Output sum = g.Add("sum", "Add", {x, g.Scalar("one", 1.0f)});
    const Output product = g.Add("product", "Mul", {sum, g.Scalar("two", 2.0f)});
    g.node(sum).device = sum_device;
    g.node(product).device = product_device;
    return std::move(g.graph);
  }
  static Result<Tensor> Run(Session& session) {
    DF_ASSIGN(const std::vector<Tensor> out, session.Run({{"x", Tensor::Vector<float>({1, 2})}}, {"product"}));
    return out[0].Copy(SystemAllocator());
  }
};

TEST_F(DevicesOfRanks, TheMasterLearnsThem) {
  Counts() = {0, 2, 1};
  RankThreads ranks(3);
  for (int time = 0; time < 2; ++time) {
    const Result<Cluster> cluster = StartTasks(ranks.master(), {});
    ASSERT_TRUE(cluster.ok()) << cluster.status().ToString();
    std::vector<std::string> seen;
    for (const ClusterDevice& d : cluster->devices) {
      if (d.name.type == kType) seen.push_back(StrCat(d.rank, d.name.ToString(), d.memory_bytes, d.description));
    }
    EXPECT_EQ(seen, (std::vector<std::string>{"1/job:worker/task:1/device:slate:01000slate 0",
                                              "1/job:worker/task:1/device:slate:11001slate 1",
                                              "2/job:worker/task:2/device:slate:01000slate 0"}));
    EXPECT_EQ(cluster->devices.size(), 6u);
  }
}

TEST_F(DevicesOfRanks, TheMasterLearnsWhatIsWrongWithThem) {
  Counts() = {0, 2, 1};
  RankThreads ranks(3);
  ASSERT_TRUE(StartTasks(ranks.master(), {}).ok());
  const std::vector<DevicesReport> reports = ranks.master().ReportsOfRanks();
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_TRUE(reports[0].warnings.empty());
  EXPECT_EQ(reports[1].warnings, std::vector<std::string>{"the third slate is broken: mend it"});
  EXPECT_TRUE(reports[2].warnings.empty());
}

TEST_F(DevicesOfRanks, AHandleTellsTheDevicesOfItsNodes) {
  Counts() = {0, 2, 1};
  RankThreads ranks(3);
  auto session = Session::Create(ranks.master(), Chain("/task:1/device:slate:1", "/task:1/device:slate:1"));
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const Result<Session::Handle> handle = (*session)->Prepare({"x"}, {"product"});
  ASSERT_TRUE(handle.ok()) << handle.status().ToString();
  EXPECT_EQ((*session)->devices(*handle),
            (std::vector<std::string>{"/job:worker/task:0/device:cpu:0", "/job:worker/task:1/device:slate:1"}));
}

TEST_F(DevicesOfRanks, NodesRunOnThoseThatAreThere) {
  Counts() = {0, 2, 1};
  for (const auto& [sum, product] :
       {std::pair("/task:1/device:slate:1", "/task:2/device:slate:0"),
        std::pair("/task:1/device:slate:0", "/task:1/device:slate:1"), std::pair("/device:slate:1", "/task:0")}) {
    RankThreads ranks(3);
    auto session = Session::Create(ranks.master(), Chain(sum, product));
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    for (int step = 0; step < 3; ++step) {
      const Result<Tensor> value = Run(**session);
      ASSERT_TRUE(value.ok()) << value.status().ToString();
      EXPECT_TRUE(value->Identical(Tensor::Vector<float>({4, 6})));
    }
  }
}

TEST_F(DevicesOfRanks, ADeviceThatNoRankHasIsAnErrorThatNamesThoseThatThereAre) {
  Counts() = {1, 0};
  RankThreads ranks(2);
  auto session = Session::Create(ranks.master(), Chain("/task:1/device:slate:0", ""));
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const Status status = Run(**session).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("'sum'"), std::string::npos) << status.ToString();
  EXPECT_NE(
      status.message().find(
          "but there is no such device; the devices are /job:worker/task:0/device:cpu:0, "
          "/job:worker/task:0/device:slate:0, /job:worker/task:1/device:cpu:0; rank 1 has no device of type slate: "
          "no slate is here"),
      std::string::npos)
      << status.ToString();
}

TEST_F(DevicesOfRanks, SoftPlacementTakesAnother) {
  Counts() = {1, 0};
  RankThreads ranks(2);
  SessionOptions options;
  options.soft_placement = true;
  auto session = Session::Create(ranks.master(), Chain("/task:1/device:slate:0", "/device:slate:7"), options);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const Result<Tensor> value = Run(**session);
  ASSERT_TRUE(value.ok()) << value.status().ToString();
  EXPECT_TRUE(value->Identical(Tensor::Vector<float>({4, 6})));
}

TEST_F(DevicesOfRanks, AFactoryThatFailsEndsTheStartWithItsRank) {
  Counts() = {0, 0, kFails};
  RankThreads ranks(3);
  const Status status = Session::Create(ranks.master(), Chain("", "")).status();
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_NE(status.message().find("rank 2 (host "), std::string::npos) << status.ToString();
  EXPECT_NE(status.message().find("the slate driver is broken"), std::string::npos) << status.ToString();
}

}  // namespace
}  // namespace dfrun
