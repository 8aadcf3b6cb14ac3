// Attrs of a spec that kernels refuse before anything runs.
#include "src/session/kernel_check.h"

#include <gtest/gtest.h>

#include "comm/in_process/in_process.h"
#include "src/session/runtime.h"
#include "src/spec/load.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

std::string ErrorOf(const std::string& node) {
  const ScratchDirectory scratch;
  const Result<LoadedSpec> loaded = LoadSpec(scratch.Write("job.yaml", "dfrun: 1\ngraph:\n  x: " + node + "\n"), {});
  EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
  const auto runtime = Runtime::Create({}, std::move(comm::ConnectInProcess(1)[0]));
  EXPECT_TRUE(runtime.ok() && (*runtime)->StartTask("worker", 0).ok());
  return loaded.ok() ? CheckKernels(loaded->graph, (*runtime)->cpu(), (*runtime)->kernels()).message() : "";
}

TEST(KernelCheck, FindsWhatTheConstructorOfAKernelRefuses) {
  const std::string pattern = ErrorOf("StaticRegexReplace('text', pattern='(a', rewrite='b')");
  EXPECT_NE(pattern.find("job.yaml:3:6: node 'x'"), std::string::npos) << pattern;
  EXPECT_NE(pattern.find("the pattern '(a' is no regular expression"), std::string::npos) << pattern;
  const std::string precision = ErrorOf("AsString([1, 2], precision=3)");
  EXPECT_NE(precision.find("are for floating point, not for int32"), std::string::npos) << precision;
}

TEST(KernelCheck, FindsWhatMakersOfObjectsRefuse) {
  const std::string queue = ErrorOf("{op: FIFOQueueV2, component_types: [float32], shapes: [[], []]}");
  EXPECT_NE(queue.find("job.yaml:3:"), std::string::npos) << queue;
  EXPECT_NE(queue.find("attr 'shapes' has 2 entries, but there are 1 components"), std::string::npos) << queue;
  const std::string shuffled =
      ErrorOf("{op: RandomShuffleQueueV2, component_types: [float32], capacity: 4, min_after_dequeue: 9}");
  EXPECT_NE(shuffled.find("'min_after_dequeue' is 9"), std::string::npos) << shuffled;
}

TEST(KernelCheck, LeavesGoodNodesAndSharedObjectsAlone) {
  EXPECT_EQ(ErrorOf("StaticRegexReplace('text', pattern='a+', rewrite='b')"), "");
  EXPECT_EQ(ErrorOf("MatMul([[1.0]], [[2.0]]) + 1.0"), "");
  EXPECT_EQ(ErrorOf("{op: FIFOQueueV2, component_types: [float32], shapes: [[]]}"), "");
  EXPECT_EQ(ErrorOf("{op: Variable, shape: [1000000, 1000000], init: zeros}"), "");
  EXPECT_EQ(ErrorOf("{op: FIFOQueueV2, component_types: [float32], shapes: [[], []], shared_name: s}"), "");
}

}  // namespace
}  // namespace dfrun
