#include "src/job/parameter_sizes.h"

#include <gtest/gtest.h>

#include "src/spec/load.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

ModelSizes SizesOfSpec(const std::string& graph) {
  const ScratchDirectory scratch;
  const Result<LoadedSpec> spec = LoadSpec(scratch.Write("job.yaml", "dfrun: 1\n" + graph), {});
  EXPECT_TRUE(spec.ok()) << spec.status().ToString();
  return spec.ok() ? SizesOf(*spec) : ModelSizes();
}

// Counted by hand: 784 x 100 and 100 weights of 4 bytes, 100 x 10 of 8.
TEST(ParameterSizesTest, CountsByScopeInTheOrderOfTheGraph) {
  const ModelSizes sizes = SizesOfSpec(R"(functions:
  layer:
    args: [x]
    graph:
      W: {op: Variable, shape: [784, 100], init: zeros}
      b: {op: Variable, shape: [100], init: zeros}
    returns: {y: "MatMul(x, W) + b"}
graph:
  x:     {op: Placeholder, dtype: float32, shape: [-1, 784]}
  later: layer(x)
  first: {op: Variable, shape: [100, 10], dtype: float64, init: zeros}
  steps: {op: Variable, shape: [3], dtype: int64, init: zeros}
  mean:  {op: Variable, shape: [5], init: zeros, trainable: false}
)");
  ASSERT_EQ(sizes.trained.size(), 2U);
  EXPECT_EQ(PrintTable(sizes),
            "  scope  variables  parameters   bytes\n"
            "  later          2       78500  314000\n"
            "  first          1        1000    8000\n"
            "  total          3       79500  322000\n"
            "  not trained: 2 variables of 8 elements, 44 bytes\n");
}

TEST(ParameterSizesTest, GoesDownToWhereScopesDiffer) {
  const ModelSizes sizes = SizesOfSpec(R"(graph:
  net/b1/W: {op: Variable, shape: [2], init: zeros}
  net/b1/deep/W: {op: Variable, shape: [3], init: zeros}
  net/b2/W: {op: Variable, shape: [4], init: zeros}
)");
  EXPECT_EQ(PrintTable(sizes),
            "  scope   variables  parameters  bytes\n"
            "  net/b1          2           5     20\n"
            "  net/b2          1           4     16\n"
            "  total           3           9     36\n");
}

TEST(ParameterSizesTest, OneVariableIsAScopeOfItsOwn) {
  EXPECT_EQ(PrintTable(SizesOfSpec("graph:\n  a/b/W: {op: Variable, shape: [], init: 1.0}\n")),
            "  scope  variables  parameters  bytes\n"
            "  a              1           1      4\n"
            "  total          1           1      4\n");
  EXPECT_EQ(PrintTable(SizesOfSpec("graph:\n  x: [1.0]\n")), "");
}

TEST(ParameterSizesTest, AnOuterVariableEndsTheCommonScope) {
  const ModelSizes sizes = SizesOfSpec(R"(graph:
  net:   {op: Variable, shape: [1], init: zeros}
  net/W: {op: Variable, shape: [2], init: zeros}
)");
  ASSERT_EQ(sizes.trained.size(), 1U);
  EXPECT_EQ(sizes.trained[0].scope, "net");
  EXPECT_EQ(sizes.trained[0].sizes.elements, 3);
}

TEST(ParameterSizesTest, ManyScopesAreSummedUp) {
  std::string graph = "graph:\n";
  for (int i = 1; i <= 30; ++i) graph += StrCat("  v", i, ": {op: Variable, shape: [", i, "], init: zeros}\n");
  const std::string table = PrintTable(SizesOfSpec(graph), 3);
  EXPECT_EQ(table,
            "  scope            variables  parameters  bytes\n"
            "  v1                       1           1      4\n"
            "  v2                       1           2      8\n"
            "  v3                       1           3     12\n"
            "  ... and 27 more         27         459   1836\n"
            "  total                   30         465   1860\n");
}

}  // namespace
}  // namespace dfrun
