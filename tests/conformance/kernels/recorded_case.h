// Golden cases on a device that captures steps: a graph runs three times, the third time as a launch of the captured
// graph.
#ifndef DFRUN_TESTS_CONFORMANCE_KERNELS_RECORDED_CASE_H_
#define DFRUN_TESTS_CONFORMANCE_KERNELS_RECORDED_CASE_H_

#include <string>
#include <vector>

#include "src/passes/prune.h"
#include "tests/conformance/kernels/golden_file.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {

// Returns whether the environment variable DFRUN_TEST_RECORDED asks for such runs.
bool RunsRecorded();

// The results of the third step.
struct RecordedRun {
  std::vector<Tensor> outputs;
  std::vector<Tensor> after;  // values of the variables
  std::string why_not;        // the reason why the node or the graph was not captured; empty: it was
};

// Runs the case's node, whose variables begin each step with the case's values. The case must have no tables. Returns
// the error of a step.
Result<RecordedRun> RunRecordedCase(const GoldenCase& c, Device& device);

// Runs a graph without feeds.
Result<RecordedRun> RunRecordedGraph(const Graph& graph, const std::vector<Output>& fetches, Device& device);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_CONFORMANCE_KERNELS_RECORDED_CASE_H_
