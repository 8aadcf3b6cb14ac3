// The bytes of a tensor's elements as checkpoints count and check them. FORMAT.md has the definitions.
#ifndef DFRUN_SRC_CHECKPOINT_TENSOR_BYTES_H_
#define DFRUN_SRC_CHECKPOINT_TENSOR_BYTES_H_

#include <cstdint>
#include <string>

#include "src/framework/values/tensor.h"

namespace dfrun {

// Returns the crc32c that a manifest has of a variable with this value, which is plain or of strings.
uint32_t ChecksumOf(const Tensor& value);

// Extends the crc32c of strings' lengths, as TensorFlow has it, by one more: 32 bits, or 64 where it takes them.
uint32_t ExtendByLength(uint32_t crc, uint64_t length);

// Returns strings in the form that TensorFlow's data files have: their lengths as varint64, the masked crc32c of the
// lengths, their bytes.
std::string EncodeTexts(const Tensor& value);

// Returns the value itself, or a copy of bools whose bytes are 0 and 1, as they are read back.
Tensor WithTrueBools(const Tensor& value);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TENSOR_BYTES_H_
