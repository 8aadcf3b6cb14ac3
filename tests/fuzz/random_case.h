// A random node: an op with attrs and input values that may or may not fit it.
#ifndef DFRUN_TESTS_FUZZ_RANDOM_CASE_H_
#define DFRUN_TESTS_FUZZ_RANDOM_CASE_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "src/framework/op.h"
#include "src/framework/tensor.h"
#include "src/framework/variable.h"
#include "tests/conformance/kernels/golden_file.h"

namespace dfrun::fuzz {

struct RandomInput {
  Tensor value;  // of a ref input: what the variable holds
  bool is_ref = false;
  bool is_known = false;   // shape inference sees the value
  bool has_shape = false;  // shape inference sees the shape
};

struct RandomCase {
  const OpDef* op = nullptr;
  AttrMap attrs;
  std::vector<RandomInput> inputs;

  // "MatMul transpose_a=true (float32[2,3] ..., ...)".
  std::string Describe() const;
};

// A case made from nothing, or one of the op's golden cases (`examples`) with something changed. The same seed and
// examples give the same case, for the same program.
RandomCase MakeRandomCase(const OpDef& op, const std::vector<testing::GoldenCase>& examples, uint64_t seed);

// What cases share that are to fit each other.
struct Setting {
  AttrMap attrs;              // taken where the op has them
  std::vector<int64_t> dims;  // the shape that inputs are made of
};

// A case made from nothing but what the setting says. Most of its integer inputs are scalars.
RandomCase MakeCaseIn(const Setting& setting, const OpDef& op, uint64_t seed);

}  // namespace dfrun::fuzz

#endif  // DFRUN_TESTS_FUZZ_RANDOM_CASE_H_
