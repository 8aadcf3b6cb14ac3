#include <gtest/gtest.h>

#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

int64_t Steps(const std::string& params, const std::string& steps, std::vector<std::string> sets = {}) {
  const Result<LoadedSpec> spec =
      LoadText("params: " + params + "\ngraph: {x: 1}\nrun: {steps: " + steps + ", fetch: [x]}\n", std::move(sets));
  EXPECT_TRUE(spec.ok()) << spec.status().ToString();
  return spec.ok() ? spec->job.run->steps : -1;
}

TEST(Params, AreReplacedAndWorkedOut) {
  EXPECT_EQ(Steps("{n: 3}", "\"${n}\""), 3);
  EXPECT_EQ(Steps("{n: 3}", "\"${n}0\""), 30);
  EXPECT_EQ(Steps("{n: 3}", "\"${n} * 2 + 1\""), 7);
}

TEST(Params, MayUseEachOtherInAnyOrder) {
  EXPECT_EQ(Steps("{m: \"${n} + 1\", n: 3}", "\"${m} * 2\""), 8);  // worked out before it is used
}

TEST(Params, TheCommandLineComesFirst) {
  EXPECT_EQ(Steps("{n: 3, m: \"${n} * 2\"}", "\"${m}\"", {"n=5"}), 10);
  EXPECT_EQ(Steps("{n: 3}", "\"${n}\"", {"n=5", "n=6"}), 6);
  EXPECT_EQ(Steps("{n: 3}", "\"${n} * 2\"", {"n=5 + 1"}), 12);  // worked out, as it would be in the file
}

TEST(Params, ListsAreTexts) {
  EXPECT_EQ(GraphOf("params: {s: [2, \"${n}\"], n: 3}\ngraph: {x: \"Fill(${s}, 0.5)\"}\n"),
            "x/dims = Const() {dtype=int32, value=<int32[2] 2 3>} -> int32[2]\n"
            "x/value = Const() {dtype=float32, value=<float32[] 0.5>} -> float32[]\n"
            "x = Fill(x/dims, x/value) {T=float32, index_type=int32} -> float32[2,3]\n");
}

TEST(Params, Errors) {
  EXPECT_EQ(ErrorOf("params: {batch: 3}\ngraph: {x: 1}\nrun: {steps: \"${bacth}\"}\n"),
            "job.yaml:4:15: unknown param 'bacth', did you mean 'batch'?");
  EXPECT_EQ(ErrorOf("graph: {x: \"${n\"}\n"), "job.yaml:2:13: '${' without '}'");
  EXPECT_EQ(ErrorOf("params: {a: \"${b}\", b: \"${a}\"}\n"), "job.yaml:2:25: the param 'a' stands for itself");
  EXPECT_EQ(ErrorOf("params: {batch: 3}\n", {"bach=4"}), "command line: unknown param 'bach', did you mean 'batch'?");
  EXPECT_EQ(ErrorOf("params: {n: 3}\ngraph: {x: 1}\nrun: {steps: \"${n}\"}\n", {"n=many"}),
            "job.yaml:4:14: 'steps' must be an integer of at least 1, not 'many'");
  EXPECT_EQ(LoadText("", {"novalue"}).status().code(), Code::kUsage);
}

TEST(Params, CannotExplode) {
  std::string text = "params:\n  p0: \"" + std::string(1000, 'x') + "\"\n";
  for (int i = 1; i < 30; ++i) {
    const std::string inner = "${p" + std::to_string(i - 1) + "}";
    text += "  p" + std::to_string(i) + ": \"" + inner + inner + "\"\n";
  }
  EXPECT_NE(ErrorOf(text).find("params make more than 33554432 bytes of text"), std::string::npos);
}

}  // namespace
}  // namespace dfrun
