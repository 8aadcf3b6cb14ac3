// Tests of the ops' rules for the rows of samples, derived from golden cases.
#ifndef DFRUN_TESTS_CONFORMANCE_KERNELS_ROW_RULES_H_
#define DFRUN_TESTS_CONFORMANCE_KERNELS_ROW_RULES_H_

#include <string>

namespace dfrun::testing {

// Registers a test for each op of a file of golden cases that has a rule.
void RegisterRowRules(const std::string& path);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_CONFORMANCE_KERNELS_ROW_RULES_H_
