// The fingerprint of a tensor: 64 bits that tell whether two values are the same in every bit. It is a sum over the
// elements, so that the parts of a variable, in whatever order and on whatever rank, add up to that of the whole.
// FORMAT.md has the definition, for other programs.
#ifndef DFRUN_SRC_CHECKPOINT_FINGERPRINT_H_
#define DFRUN_SRC_CHECKPOINT_FINGERPRINT_H_

#include <cstdint>
#include <string_view>

#include "src/base/threads.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// Returns the sum, modulo 2^64, over the elements of `part`, plain or strings in host memory. Element 0 of it is
// element `first` of the whole variable, in row-major order; the others follow. 0 where it has no elements. Another
// value of one element always gives another sum. Thread safety: any thread.
uint64_t FingerprintOf(const Tensor& part, int64_t first = 0);
// Returns the same, computed on the threads of a pool.
uint64_t FingerprintOf(const Tensor& part, ThreadPool& pool);

// Returns what a variable adds to the fingerprint of all variables, which is a sum, too.
uint64_t ShareOfVariable(std::string_view name, uint64_t fingerprint);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_FINGERPRINT_H_
