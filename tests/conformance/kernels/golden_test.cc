// Every golden case on every device type that has a kernel for it. One test an op and family.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "src/framework/kernel.h"
#include "tests/conformance/kernels/golden_compare.h"
#include "tests/conformance/kernels/golden_file.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun::testing {
namespace {

void CheckCase(const GoldenCase& c, NodeRunner& runner) {
  const std::vector<Input> inputs(c.inputs.begin(), c.inputs.end());
  const Result<std::vector<Tensor>> outputs = runner.Run(c.op, c.attrs, inputs);
  if (!c.error.empty()) {
    ASSERT_FALSE(outputs.ok()) << "no error, but outputs; the first is " << (*outputs)[0].ToString();
    EXPECT_EQ(std::string(CodeName(outputs.status().code())), c.error) << outputs.status().ToString();
    return;
  }
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  ASSERT_EQ(outputs->size(), c.outputs.size());
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    const std::string difference = Difference(c.outputs[i], (*outputs)[i], c.ulps);
    EXPECT_EQ(difference, "") << "output " << i;
  }
}

class GoldenTest : public ::testing::Test {
 public:
  GoldenTest(std::string path, std::vector<GoldenCase> cases) : path_(std::move(path)), cases_(std::move(cases)) {}
  void TestBody() override {
    NodeRunner runner;
    for (const GoldenCase& c : cases_) {
      SCOPED_TRACE(StrCat(path_, ":", c.line, ": ", c.op, " ", c.name));
      CheckCase(c, runner);
    }
  }

 private:
  const std::string path_;
  const std::vector<GoldenCase> cases_;
};

// Registers a test for each op of a file; a file that cannot be read is a test that fails.
void RegisterFile(const std::filesystem::path& path) {
  Result<std::vector<GoldenCase>> cases = ReadGoldenFile(path.string());
  if (!cases.ok()) {
    std::fprintf(stderr, "%s\n", cases.status().ToString().c_str());
    std::exit(1);
  }
  std::map<std::string, std::vector<GoldenCase>> by_op;
  for (GoldenCase& c : *cases) by_op[c.op].push_back(c);
  for (auto& [op, list] : by_op) {
    const std::string file = path.string();
    ::testing::RegisterTest(path.stem().string().c_str(), op.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [file, list = list] { return new GoldenTest(file, list); });
  }
}

}  // namespace
}  // namespace dfrun::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (const auto& entry : std::filesystem::directory_iterator(DFRUN_GOLDEN_DIR)) {
    if (entry.path().extension() == ".txt") dfrun::testing::RegisterFile(entry.path());
  }
  return RUN_ALL_TESTS();
}
