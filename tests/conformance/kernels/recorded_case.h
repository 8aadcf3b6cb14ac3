// Golden cases on a device that records: a graph runs three times, the third time as a launch of what was recorded.
#ifndef DFRUN_TESTS_CONFORMANCE_KERNELS_RECORDED_CASE_H_
#define DFRUN_TESTS_CONFORMANCE_KERNELS_RECORDED_CASE_H_

#include <string>
#include <vector>

#include "src/passes/prune.h"
#include "tests/conformance/kernels/golden_file.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {

// Whether the environment variable DFRUN_TEST_RECORDED asks for them.
bool RunsRecorded();

// Of the third step.
struct RecordedRun {
  std::vector<Tensor> outputs;
  std::vector<Tensor> after;  // values of the variables
  std::string why_not;        // the node or the graph was not recorded, as a sentence; empty: it was
};

// The case's node, whose variables begin each step with the case's values. For cases without tables. An error of a
// step's.
Result<RecordedRun> RunRecordedCase(const GoldenCase& c, Device& device);

// A graph without feeds.
Result<RecordedRun> RunRecordedGraph(const Graph& graph, const std::vector<Output>& fetches, Device& device);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_CONFORMANCE_KERNELS_RECORDED_CASE_H_
