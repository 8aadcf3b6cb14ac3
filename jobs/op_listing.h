// What the registries hold, as text: one op for a reader, all ops for a review, all ops as a table.
#ifndef DFRUN_JOBS_OP_LISTING_H_
#define DFRUN_JOBS_OP_LISTING_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/op.h"

namespace dfrun::jobs {

// By device type: "T=float32,float64" for each attr that kernels hang on, "any" for a kernel of every dtype.
std::map<std::string, std::vector<std::string>> KernelTypes(const OpDef& op);

// Signature, meaning, properties, gradient, kernels.
std::string DescribeOp(const OpDef& op);

// The ops whose names, aliases or descriptions hold the word, in any case; those with it in their names first.
std::vector<const OpDef*> SearchOps(std::string_view word);
// A line an op: its name and its meaning.
std::string OpSummaries(const std::vector<const OpDef*>& ops);

// Every op with all that is registered for it, sorted: what tests/golden/registry/ops.txt holds.
std::string RegistryDump();

// What shows that an op is right.
struct OpTests {
  int cases = 0;     // golden cases of one node
  int graphs = 0;    // exported graphs that contain it
  std::string test;  // a test program's source that names it
  std::string gpu;   // the dtypes of its kernels for GPUs as KernelTypes() has them, where it has such
};

// By op, from a directory like tests/: golden cases are in golden/*.txt, graphs and sources anywhere below; fuzzers,
// which show no values, do not count; kernels for GPUs are listed in golden/registry/gpu.txt, since not every build has
// them. Io where one cannot be read, BadSpec where a graph is none.
Result<std::map<std::string, OpTests>> FindOpTests(const std::string& directory);

// A Markdown page with a row an op: what docs/OPS.md holds.
std::string OpsTable(const std::map<std::string, OpTests>& tests);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_OP_LISTING_H_
