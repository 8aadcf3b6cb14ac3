#include "src/checkpoint/tensor_bytes.h"

#include <algorithm>
#include <limits>

#include "src/base/crc32c.h"
#include "src/base/varint.h"

namespace dfrun {
namespace {

uint32_t ChecksumOfLengths(const Tensor& value) {
  uint32_t crc = 0;
  for (const std::string& text : value.values<std::string>()) crc = ExtendByLength(crc, text.size());
  return crc;
}

bool IsTrueBool(uint8_t byte) {
  return byte <= 1;
}

}  // namespace

uint32_t ExtendByLength(uint32_t crc, uint64_t length) {
  const bool is_small = length <= std::numeric_limits<uint32_t>::max();
  return ExtendCrc32c(crc, &length, is_small ? sizeof(uint32_t) : sizeof length);  // the lower bytes come first
}

uint32_t ChecksumOf(const Tensor& value) {
  if (value.dtype() != DType::kString) return Crc32c(value.raw(), value.num_bytes());
  uint32_t crc = ChecksumOfLengths(value);
  const uint32_t masked = MaskCrc32c(crc);
  crc = ExtendCrc32c(crc, &masked, sizeof masked);
  for (const std::string& text : value.values<std::string>()) crc = ExtendCrc32c(crc, text.data(), text.size());
  return crc;
}

std::string EncodeTexts(const Tensor& value) {
  std::string bytes;
  for (const std::string& text : value.values<std::string>()) AppendVarint(text.size(), bytes);
  const uint32_t masked = MaskCrc32c(ChecksumOfLengths(value));
  bytes.append(reinterpret_cast<const char*>(&masked), sizeof masked);
  for (const std::string& text : value.values<std::string>()) bytes += text;
  return bytes;
}

Tensor WithTrueBools(const Tensor& value) {
  if (value.dtype() != DType::kBool) return value;
  const auto* const from = static_cast<const uint8_t*>(value.raw());
  if (std::all_of(from, from + value.num_bytes(), IsTrueBool)) return value;
  Tensor copy(DType::kBool, value.shape());
  std::transform(from, from + value.num_bytes(), static_cast<uint8_t*>(copy.raw()),
                 [](uint8_t byte) { return byte != 0 ? 1 : 0; });
  return copy;
}

}  // namespace dfrun
