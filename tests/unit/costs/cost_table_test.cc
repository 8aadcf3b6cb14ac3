#include "src/costs/cost_table.h"

#include <gtest/gtest.h>

#include "src/framework/device/device_speed.h"

namespace dfrun {
namespace {

CostTable SomeTable() {
  CostTable table;
  table.host = "a \"host\"";
  table.processor = "a processor";
  table.threads = 2;
  table.SetExecutor({3e-9, 1e-9});
  table.SetNode("cpu", OpFamily::kProduct, {1e-7, 5e10, 1e10});
  table.SetNode("gpu", OpFamily::kProduct, {3e-6, 2e13, 1e12});
  table.SetPair(PairClass::kSameHost, {5e-7, 3e9});
  table.SetMeasured("0123456789abcdef", {"MatMul", 2.5e-6, 20});
  return table;
}

TEST(CostTableTest, ReadsWhatItWrote) {
  const Result<CostTable> read = CostTable::Parse(SomeTable().Print(), "file");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, SomeTable());
  EXPECT_EQ(read->Node("cpu", OpFamily::kProduct), (NodeSpeed{1e-7, 5e10, 1e10}));
  EXPECT_EQ(read->Pair(PairClass::kSameHost), (PairSpeed{5e-7, 3e9}));
  EXPECT_EQ(read->Executor(), (ExecutorSpeed{3e-9, 1e-9}));
  ASSERT_NE(read->Measured("0123456789abcdef"), nullptr);
  EXPECT_EQ(read->Measured("0123456789abcdef")->seconds, 2.5e-6);
  EXPECT_EQ(read->Measured("0123456789abcdee"), nullptr);
  EXPECT_EQ(CostTable::Parse(CostTable().Print(), "file").status().message(), "");
}

TEST(CostTableTest, AssumesTheSpeedOfTheDeviceWhereNothingIsMeasured) {
  const CostTable table;
  for (const char* type : {"cpu", "gpu"}) {
    const NodeSpeed speed = table.Node(type, OpFamily::kGather);
    EXPECT_EQ(speed, (NodeSpeed{SpeedOf(type)->node_seconds, SpeedOf(type)->flops, SpeedOf(type)->bytes})) << type;
  }
  EXPECT_EQ(table.Node("abacus", OpFamily::kGather), table.Node("cpu", OpFamily::kGather));
  // Each class is slower than the one before.
  for (size_t i = 1; i < kPairClasses.size(); ++i) {
    EXPECT_GT(table.Pair(kPairClasses[i]).latency_s, table.Pair(kPairClasses[i - 1]).latency_s);
    EXPECT_LT(table.Pair(kPairClasses[i]).bytes_per_s, table.Pair(kPairClasses[i - 1]).bytes_per_s);
  }
}

std::string ErrorOf(const std::string& members) {
  const std::string json = R"({"form": 1, "host": "h", "processor": "p", "threads": 2)" + members + "}";
  const Result<CostTable> read = CostTable::Parse(json, "costs.json");
  EXPECT_EQ(read.status().code(), members.empty() ? Code::kOk : Code::kDataLoss);
  return read.status().message();
}

TEST(CostTableTest, AnErrorNamesFileAndField) {
  EXPECT_EQ(ErrorOf(""), "");
  const std::string product = R"("device": "cpu", "family": "product", "overhead_s": 1e-7, "flops_per_s": )";
  for (const char* number : {"0", "-1", "\"nan\"", "\"inf\"", "1e999", "null", "[]"}) {
    const std::string error = ErrorOf(R"(, "families": [{)" + product + number + R"(, "bytes_per_s": 1}])");
    EXPECT_NE(error.find("costs.json"), std::string::npos) << error;
    EXPECT_NE(error.find("families[0]"), std::string::npos) << error;
    EXPECT_NE(error.find("flops_per_s"), std::string::npos) << error;
  }
  const auto names = [&](const std::string& members, const std::string& field) {
    const std::string error = ErrorOf(members);
    return error.find(field) != std::string::npos ? "" : error;
  };
  EXPECT_EQ(names(R"(, "families": [{"device": "cpu", "family": "products"}])", "families[0].family: 'products'"), "");
  EXPECT_EQ(names(R"(, "families": [7])", "families[0]"), "");
  EXPECT_EQ(names(R"(, "families": {})", "families is no list"), "");
  EXPECT_EQ(names(R"(, "pairs": [{"pair": "far"}])", "pairs[0].pair: 'far'"), "");
  EXPECT_EQ(names(R"(, "executor": {"node_s": 1e-9})", "executor"), "");
  EXPECT_EQ(names(R"(, "measured": [{"key": "xyz"}])", "measured[0].key: 'xyz'"), "");
  EXPECT_EQ(names(R"(, "measured": [{"key": "0123456789abcdef", "op": "A", "seconds": 1, "samples": -1}])",
                  "measured[0].samples"),
            "");
}

TEST(CostTableTest, OtherTextsAreErrors) {
  const std::string whole = SomeTable().Print();
  for (size_t size = 0; size + 1 < whole.size(); ++size) {
    EXPECT_FALSE(CostTable::Parse(whole.substr(0, size), "file").ok() && size + 2 < whole.size()) << size;
  }
  EXPECT_FALSE(CostTable::Parse(R"({"form": 2, "host": "h", "processor": "p", "threads": 2})", "file").ok());
  EXPECT_FALSE(CostTable::Parse("[]", "file").ok());
  EXPECT_EQ(CostTable::Read("no such file").status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace dfrun
