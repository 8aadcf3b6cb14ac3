// Every golden case on a device of the tested type, or on the host's where that has no kernel for the node; at the end
// the program says how many, and the file that the environment variable DFRUN_TEST_REPORT names lists their ops. One
// test an op and family.
//
// Where cases run recorded (recorded_case.h), those that have kernels of the device and end without an error do; the
// file lists the ops of which some were not recorded, each with the reasons.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "src/framework/device/device_factory.h"
#include "src/framework/kernel/kernel.h"
#include "src/framework/op/op.h"
#include "tests/conformance/kernels/case_variables.h"
#include "tests/conformance/kernels/golden_compare.h"
#include "tests/conformance/kernels/recorded_case.h"
#include "tests/conformance/kernels/row_rules.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun::testing {
namespace {

// The factor by which functions of another device's library may differ more from TensorFlow's of CPUs than ours of CPUs
// may.
double Leeway(const Device& device) {
  constexpr double kOfOtherLibrary = 4;
  return device.type() == HostDeviceType() ? 1 : kOfOtherLibrary;
}

void CheckTensors(const std::vector<Tensor>& expected, const std::vector<Tensor>& actual, double ulps,
                  const char* what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(expected[i].initialized(), actual[i].initialized()) << what << " " << i;
    if (!expected[i].initialized()) continue;
    EXPECT_EQ(Difference(expected[i], actual[i], ulps), "") << what << " " << i;
  }
}

void CheckError(const GoldenCase& c, const Result<std::vector<Tensor>>& outputs) {
  ASSERT_FALSE(outputs.ok()) << "no error";
  EXPECT_EQ(std::string(CodeName(outputs.status().code())), c.error) << outputs.status().ToString();
}

// The case once, on variables of its own.
void CheckWithVariables(const GoldenCase& c, NodeRunner::Way way, NodeRunner& runner) {
  CaseVariables variables(c, way != NodeRunner::Way::kUnknownShapes, runner.device());
  Result<std::vector<Tensor>> outputs =
      runner.Run(way, c.op, c.attrs, std::vector<Input>(variables.inputs().begin(), variables.inputs().end()));
  if (!c.error.empty()) return CheckError(c, outputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  std::erase_if(*outputs, [&](const Tensor& output) {
    if (!output.is_reference()) return false;
    EXPECT_EQ(output.variable(), &variables[0]);
    return true;
  });
  const double ulps = c.ulps * Leeway(runner.device());
  CheckTensors(c.outputs, *outputs, ulps, "output");
  CheckTensors(c.after, variables.Values(), ulps, "variable");
  const std::vector<TableContents> held = variables.Held();
  ASSERT_EQ(held.size(), c.held.size());
  for (size_t i = 0; i < held.size(); ++i) {
    CheckTensors({c.held[i].keys, c.held[i].values}, {held[i].keys, held[i].values}, 0, "table");
  }
}

void CheckCase(const GoldenCase& c, NodeRunner& runner) {
  if (CaseVariables::Has(c)) {
    using Way = NodeRunner::Way;
    for (Way way : {Way::kUnknownShapes, Way::kStaticShapes, Way::kPreallocated, Way::kThreads}) {
      CheckWithVariables(c, way, runner);
    }
    return;
  }
  const Result<std::vector<Tensor>> outputs =
      runner.Run(c.op, c.attrs, std::vector<Input>(c.inputs.begin(), c.inputs.end()));
  if (!c.error.empty()) return CheckError(c, outputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  CheckTensors(c.outputs, *outputs, c.ulps * Leeway(runner.device()), "output");
}

// The cases of each op, and those of them that ran on the tested device.
struct Tally {
  int cases = 0;
  int on_device = 0;
};
std::map<std::string, Tally>& Tallies() {
  static std::map<std::string, Tally>& tallies = *new std::map<std::string, Tally>();
  return tallies;
}

class ReportTallies final : public ::testing::Environment {
 public:
  void TearDown() override {
    Tally all;
    const char* const path = std::getenv("DFRUN_TEST_REPORT");
    std::ofstream report;
    if (path != nullptr) report.open(path);
    for (const auto& [op, tally] : Tallies()) {
      all.cases += tally.cases;
      all.on_device += tally.on_device;
      if (tally.on_device == tally.cases) continue;
      report << op << ": " << tally.cases - tally.on_device << " of " << tally.cases << " cases\n";
    }
    std::printf("%d of %d golden cases ran on %s\n", all.on_device, all.cases, TestedDeviceType().c_str());
  }
};

// The recorded cases, and the reasons for which others were not, by op.
struct CapturedCounter {
  int cases = 0;
  int recorded = 0;
  std::map<std::string, std::set<std::string>> why_not;
};
CapturedCounter& TheCapturedCounter() {
  static CapturedCounter& tally = *new CapturedCounter();
  return tally;
}

class ReportRecorded final : public ::testing::Environment {
 public:
  void TearDown() override {
    const CapturedCounter& tally = TheCapturedCounter();
    if (const char* const path = std::getenv("DFRUN_TEST_REPORT"); path != nullptr) {
      std::ofstream report(path);
      for (const auto& [op, reasons] : tally.why_not) {
        for (const std::string& reason : reasons) report << op << ": " << reason << "\n";
      }
    }
    std::printf("%d of %d golden cases were recorded on %s\n", tally.recorded, tally.cases, TestedDeviceType().c_str());
  }
};

// A node with a state of its own, which the steps before have changed.
bool GivesOtherValues(const GoldenCase& c) {
  return c.variables.empty() && OpRegistry::Builtin().Find(c.op)->is_stateful;
}

void CheckRecorded(const GoldenCase& c, Device& device) {
  if (!c.error.empty() || !c.tables.empty()) return;
  const Result<RecordedRun> run = RunRecordedCase(c, device);
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  const double ulps = c.ulps * Leeway(device);
  if (!GivesOtherValues(c)) CheckTensors(c.outputs, run->outputs, ulps, "output");
  CheckTensors(c.after, run->after, ulps, "variable");
  CapturedCounter& tally = TheCapturedCounter();
  ++tally.cases;
  if (run->why_not.empty()) {
    ++tally.recorded;
  } else {
    tally.why_not[c.op].insert(run->why_not);
  }
}

// Whether the tested device has a kernel for the case's node.
bool HasKernel(const GoldenCase& c, const NodeRunner& tested, NodeRunner& host) {
  if (!CaseVariables::Has(c)) {
    return tested.HasKernel(c.op, c.attrs, std::vector<Input>(c.inputs.begin(), c.inputs.end()));
  }
  const CaseVariables variables(c, /*declare_shapes=*/false, host.device());
  return tested.HasKernel(c.op, c.attrs, std::vector<Input>(variables.inputs().begin(), variables.inputs().end()));
}

class GoldenTest : public ::testing::Test {
 public:
  GoldenTest(std::shared_ptr<const GoldenText> file, std::string op) : file_(std::move(file)), op_(std::move(op)) {}
  void TestBody() override {
    const Result<std::vector<GoldenCase>> cases = ParseCases(*file_, op_);
    ASSERT_TRUE(cases.ok()) << cases.status().ToString();
    NodeRunner tested;
    NodeRunner host{std::string(HostDeviceType())};
    for (const GoldenCase& c : *cases) {
      SCOPED_TRACE(StrCat(file_->path, ":", c.line, ": ", c.op, " ", c.name));
      const bool is_on_device = HasKernel(c, tested, host);
      if (RunsRecorded()) {
        if (is_on_device) CheckRecorded(c, tested.device());
        continue;
      }
      Tally& tally = Tallies()[c.op];
      ++tally.cases;
      tally.on_device += is_on_device ? 1 : 0;
      CheckCase(c, is_on_device ? tested : host);
    }
  }

 private:
  const std::shared_ptr<const GoldenText> file_;
  const std::string op_;
};

// Registers a test for each op of a file; a file that cannot be unpacked ends the program.
void RegisterFile(const std::string& path) {
  Result<GoldenText> read = ReadGoldenText(path);
  if (!read.ok()) {
    std::fprintf(stderr, "%s\n", read.status().ToString().c_str());
    std::exit(1);
  }
  const auto file = std::make_shared<const GoldenText>(*std::move(read));
  for (const std::string& op : OpsOf(*file)) {
    ::testing::RegisterTest(FamilyOf(path).c_str(), op.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [file, op] { return new GoldenTest(file, op); });
  }
}

}  // namespace
}  // namespace dfrun::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (const std::string& path : dfrun::testing::GoldenFiles(dfrun::testing::GoldenDir())) {
    dfrun::testing::RegisterFile(path);
    if (!dfrun::testing::RunsRecorded()) dfrun::testing::RegisterRowRules(path);
  }
  if (dfrun::testing::RunsRecorded()) {
    ::testing::AddGlobalTestEnvironment(new dfrun::testing::ReportRecorded);
  } else {
    ::testing::AddGlobalTestEnvironment(new dfrun::testing::ReportTallies);
  }
  return RUN_ALL_TESTS();
}
