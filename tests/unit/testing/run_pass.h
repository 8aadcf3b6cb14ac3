// Runs one pass on a graph, by its name.
#ifndef DFRUN_TESTS_UNIT_TESTING_RUN_PASS_H_
#define DFRUN_TESTS_UNIT_TESTING_RUN_PASS_H_

#include <string_view>

#include "src/passes/pass.h"
#include "tests/unit/testing/plain_device.h"

namespace dfrun::testing {

inline Status RunPass(std::string_view name, Graph& graph, int64_t max_constant_bytes = 1 << 20) {
  static PlainDevice device;  // folded constants lie in its memory
  const Pass* pass = FindPass(name);
  if (pass == nullptr) return NotFound("there is no pass '", name, "'");
  return dfrun::RunPass(*pass, graph, {KernelRegistry::Builtin(), device, max_constant_bytes});
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_RUN_PASS_H_
