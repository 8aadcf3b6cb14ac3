#include "src/framework/values/finite.h"

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstring>

namespace dfrun {
namespace {

// The bits of a floating-point format: its exponent, and its mantissa.
template <class Word>
struct Format {
  Word exponent;
  Word mantissa;
};

constexpr Format<uint64_t> kDoubleBits{0x7ff0000000000000, 0x000fffffffffffff};
constexpr Format<uint32_t> kFloatBits{0x7f800000, 0x007fffff};
constexpr Format<uint16_t> kHalfBits{0x7c00, 0x03ff};
constexpr Format<uint16_t> kBfloat16Bits{0x7f80, 0x007f};

// An element is finite where not all bits of its exponent are set. On the bits, since they may be compared in vectors
// whatever the compiler takes for granted of floating point.
template <class Word>
bool BlockIsFinite(const Word* words, int64_t count, Word exponent) {
  Word found = 0;
  for (int64_t i = 0; i < count; ++i) found |= static_cast<Word>((words[i] & exponent) == exponent ? 1 : 0);
  return found == 0;
}

// Elements between two looks at whether one was found.
constexpr int64_t kBlock = 4096;

// Visits the words of a tensor's elements; none for a dtype that is always finite. A complex number is two words.
template <class Visit>
void VisitWords(const Tensor& value, Visit visit) {
  const int64_t count = value.num_elements();
  switch (value.dtype()) {
    case DType::kFloat:
      return visit(static_cast<const uint32_t*>(value.raw()), count, kFloatBits);
    case DType::kDouble:
      return visit(static_cast<const uint64_t*>(value.raw()), count, kDoubleBits);
    case DType::kHalf:
      return visit(static_cast<const uint16_t*>(value.raw()), count, kHalfBits);
    case DType::kBfloat16:
      return visit(static_cast<const uint16_t*>(value.raw()), count, kBfloat16Bits);
    case DType::kComplex64:
      return visit(static_cast<const uint32_t*>(value.raw()), 2 * count, kFloatBits);
    case DType::kComplex128:
      return visit(static_cast<const uint64_t*>(value.raw()), 2 * count, kDoubleBits);
    default:
      return;
  }
}

// "[1,2]" for element `index` in row-major order; "" in a scalar.
std::string ElementText(int64_t index, const Shape& shape) {
  std::string text;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    text = StrCat(index % shape.dim(d), text.empty() ? "" : ",", text);
    index /= shape.dim(d);
  }
  return text.empty() ? "" : StrCat(" at [", text, "]");
}

}  // namespace

bool AllFinite(const Tensor& value) {
  bool all = true;
  if (!value.initialized()) return true;
  VisitWords(value, [&](const auto* words, int64_t count, const auto& format) {
    for (int64_t at = 0; at < count && all; at += kBlock) {
      all = BlockIsFinite(words + at, std::min(kBlock, count - at), format.exponent);
    }
  });
  return all;
}

bool AllFinite(const Tensor& value, ThreadPool& pool) {
  constexpr int64_t kShare = int64_t{1} << 17;  // words: some 20 us of memory's speed
  std::atomic<bool> all{true};
  if (!value.initialized()) return true;
  VisitWords(value, [&](const auto* words, int64_t count, const auto& format) {
    pool.ParallelFor(count, kShare, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end && all.load(std::memory_order_relaxed); at += kBlock) {
        if (!BlockIsFinite(words + at, std::min(kBlock, end - at), format.exponent)) {
          all.store(false, std::memory_order_relaxed);
        }
      }
    });
  });
  return all.load(std::memory_order_relaxed);
}

bool HasNan(const Tensor& value) {
  bool found = false;
  if (!value.initialized()) return false;
  VisitWords(value, [&](const auto* words, int64_t count, const auto& format) {
    found = std::any_of(words, words + count, [&](auto word) {
      return (word & format.exponent) == format.exponent && (word & format.mantissa) != 0;
    });
  });
  return found;
}

std::string DescribeNotFinite(const Tensor& value) {
  std::string text = "only finite values";
  VisitWords(value, [&](const auto* words, int64_t count, const auto& format) {
    const auto is_finite = [&](auto word) { return (word & format.exponent) != format.exponent; };
    const auto* const end = words + count;
    const auto* const first = std::find_if_not(words, end, is_finite);
    if (first == end) return;
    const bool is_nan = (*first & format.mantissa) != 0;
    using Word = std::remove_cv_t<std::remove_reference_t<decltype(*first)>>;
    const bool is_negative = (*first >> (8 * sizeof(Word) - 1)) != 0;
    const int64_t words_each = count / std::max<int64_t>(value.num_elements(), 1);
    const int64_t more = count - 1 - std::count_if(words, end, is_finite);
    text = StrCat(is_nan        ? "nan"
                  : is_negative ? "-inf"
                                : "inf",
                  ElementText((first - words) / words_each, value.shape()));
    if (more > 0) text = StrCat(text, ", and ", more, " more of ", count, " numbers that are not finite");
  });
  return text;
}

}  // namespace dfrun
