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

// The same seed gives the same case, for the same program.
RandomCase MakeRandomCase(const OpDef& op, uint64_t seed);

}  // namespace dfrun::fuzz

#endif  // DFRUN_TESTS_FUZZ_RANDOM_CASE_H_
