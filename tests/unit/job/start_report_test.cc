#include "src/job/start_report.h"

#include <gtest/gtest.h>

#include "src/framework/device/device_factory.h"
#include "src/spec/load.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

constexpr const char* kType = "lamp";

// Finds no devices of this type: only reports mention them.
Result<FoundDevices> FindNoLamps(const DeviceSite&) {
  FoundDevices found;
  found.why_none = "it is dark";
  return found;
}
DEVICE_FACTORY(kType, &FindNoLamps);

DevicesReport OfRank(const std::vector<std::string>& lamps) {
  DevicesReport report;
  report.devices.push_back({.type = std::string(HostDeviceType())});
  for (const std::string& lamp : lamps) {
    report.devices.push_back(
        {.type = kType, .index = static_cast<int>(report.devices.size()) - 1, .description = lamp});
  }
  return report;
}

class StartReportTest : public testing::Test {
 protected:
  // Returns the line for a model with 6 parameters and a training with 60 samples.
  std::string Line(const StartFacts& facts, const std::string& train) const {
    std::string lines;
    for (int i = 0; i < 60; ++i) lines += StrCat(i, ",", i, "\n");
    scratch_.Write("data.csv", lines);
    const Result<LoadedSpec> spec = LoadSpec(scratch_.Write("lit.yaml", R"(dfrun: 1
inputs:
  batch: {csv: data.csv, tensors: {x: {from: "0:2"}}, batch: 6}
graph:
  W:    {op: Variable, shape: [2, 3], init: ones}
  loss: Sum(Square(MatMul(batch/x, W)))
)" + train),
                                             {});
    EXPECT_TRUE(spec.ok()) << spec.status().ToString();
    return spec.ok() ? StartLine(*spec, facts) : "";
  }
  const ScratchDirectory scratch_;
};

TEST_F(StartReportTest, NamesRanksHostsReplicasDevicesParametersSamplesAndSteps) {
  const StartFacts facts = {.hosts = {"a", "b", "a"},
                            .reports = {OfRank({"bright, of glass"}), OfRank({"bright, of glass", "dim"}), OfRank({})},
                            .devices_used = {"/job:worker/task:0/device:cpu:0", "/job:worker/task:1/device:cpu:0",
                                             "/job:worker/task:1/device:lamp:1", "/job:worker/task:2/device:cpu:0"},
                            .steps = 20};
  EXPECT_EQ(
      Line(facts, "train: {loss: loss, learning_rate: 0.1, epochs: 2, replicas: 3}\n"),
      "lit: 3 ranks on 2 hosts, 3 replicas, 3 cpus, 1 of 3 lamps (bright, dim), 6 parameters, 60 samples, 20 steps");
}

TEST_F(StartReportTest, OneIsSingular) {
  const StartFacts facts = {.hosts = {"a"},
                            .reports = {OfRank({"bright"})},
                            .devices_used = {"/job:worker/task:0/device:lamp:0"},
                            .steps = 1};
  EXPECT_EQ(Line(facts, "train: {loss: loss, learning_rate: 0.1, steps: 1}\n"),
            "lit: 1 rank on 1 host, 1 replica, 0 of 1 cpu, 1 lamp (bright), 6 parameters, 60 samples, 1 step");
}

TEST_F(StartReportTest, ARunHasNoReplicasAndNoSamples) {
  const StartFacts facts = {.reports = {OfRank({})}, .devices_used = {"/job:worker/task:0/device:cpu:0"}, .steps = 7};
  EXPECT_EQ(Line(facts, "run: {fetch: [loss], steps: 7}\n"), "lit: 1 rank, 1 cpu, no lamp, 6 parameters, 7 steps");
}

TEST_F(StartReportTest, RanksThatShareADeviceAreSeen) {
  const StartFacts facts = {
      .hosts = {"a", "a"}, .reports = {OfRank({"bright, number 0"}), OfRank({"bright, number 0"})}, .steps = 7};
  EXPECT_EQ(Line(facts, "run: {fetch: [loss], steps: 7}\n"),
            "lit: 2 ranks on 1 host, 0 of 2 cpus, 0 of 2 lamps (bright; ranks share them), 6 parameters, 7 steps");
}

TEST(WarningsOfRanksTest, EachIsSaidOnceWithItsRanks) {
  std::vector<DevicesReport> reports(7);
  for (size_t rank : {0, 1, 2, 3, 4, 6}) reports[rank].warnings.push_back("it flickers: change it");
  reports[6].warnings.push_back("it is loose: tighten it");
  const std::vector<std::string> hosts = {"a", "a", "b", "b", "c", "c", "d"};
  EXPECT_EQ(WarningsOfRanks(reports, hosts),
            (std::vector<std::string>{"6 of 7 ranks say: it flickers: change it (ranks 0, 1, 2, 3 on a, b and others)",
                                      "rank 6 on d: it is loose: tighten it"}));
  EXPECT_EQ(WarningsOfRanks({reports[0]}, {}), (std::vector<std::string>{"rank 0: it flickers: change it"}));
  EXPECT_TRUE(WarningsOfRanks({reports[5]}, {}).empty());
  reports.assign(2, {});
  for (size_t rank : {0, 1}) reports[rank].warnings.push_back("the lamp of " + hosts[rank * 2] + " is dim");
  EXPECT_EQ(WarningsOfRanks(reports, {"a", "b"}),
            (std::vector<std::string>{"ranks 0, 1 on a, b: the lamp of this host is dim"}));
}

}  // namespace
}  // namespace dfrun
