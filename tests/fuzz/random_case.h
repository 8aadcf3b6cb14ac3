// A random node: an op with attrs and input values that may or may not fit it.
#ifndef DFRUN_TESTS_FUZZ_RANDOM_CASE_H_
#define DFRUN_TESTS_FUZZ_RANDOM_CASE_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "src/framework/kernel/variable.h"
#include "src/framework/op/op.h"
#include "src/framework/values/tensor.h"
#include "tests/conformance/kernels/golden_file.h"

namespace dfrun::fuzz {

struct RandomInput {
  Tensor value;  // a ref input: the variable's value
  bool is_ref = false;
  bool is_known = false;   // shape inference sees the value
  bool has_shape = false;  // shape inference sees the shape
};

struct RandomCase {
  const OpDef* op = nullptr;
  AttrMap attrs;
  std::vector<RandomInput> inputs;

  // Returns a text such as "MatMul transpose_a=true (float32[2,3] ..., ...)".
  std::string Describe() const;
};

// Makes a case from nothing, or changes something in one of the op's golden cases (`examples`). The same program makes
// the same case from the same seed and examples.
RandomCase MakeRandomCase(const OpDef& op, const std::vector<testing::GoldenCase>& examples, uint64_t seed);

// The choices that cases share so that they fit each other.
struct Setting {
  AttrMap attrs;              // used by ops that have them
  std::vector<int64_t> dims;  // shape from which inputs are made
};

// Makes a case from the setting alone. Most of its integer inputs are scalars.
RandomCase MakeCaseIn(const Setting& setting, const OpDef& op, uint64_t seed);

}  // namespace dfrun::fuzz

#endif  // DFRUN_TESTS_FUZZ_RANDOM_CASE_H_
