// The least number of a value that is not finite, on a GPU: each block checks a part of one value, and one block
// combines the results.
#include <cstring>

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/state/float_words_cuda.h"

namespace dfrun {
namespace {

constexpr int kMaxScanned = 16;  // at a time
constexpr int kReadsAThread = 8;

// The bytes that a thread reads at once.
struct alignas(16) Quad {
  uint32_t at[4];
};
constexpr int64_t kBytesABlock = int64_t{cuda::kBlockThreads} * kReadsAThread * static_cast<int64_t>(sizeof(Quad));

struct Scanned {
  const unsigned char* data;
  int64_t words;
  int64_t first_block;
  uint64_t exponent;  // float_words_cuda.h
  int bytes;
  int32_t number;
};

struct ScannedValues {
  Scanned at[kMaxScanned];
  int count = 0;
};

DF_DEVICE_FUNCTION bool HasAll(uint32_t bits, uint32_t wanted) {
  return (bits & wanted) == wanted;
}
// Whether one of the words of `bytes` in these 16 bytes is found.
DF_DEVICE_FUNCTION bool IsInQuad(const Quad& quad, int bytes, uint64_t exponent) {
  const auto low = static_cast<uint32_t>(exponent);
  if (bytes == 8) {  // the exponent lies in the upper half
    const auto high = static_cast<uint32_t>(exponent >> 32);
    return HasAll(quad.at[1], high) || HasAll(quad.at[3], high);
  }
  bool found = false;
  for (int i = 0; i < 4; ++i) {
    found = found || HasAll(quad.at[i], low) || (bytes == 2 && HasAll(quad.at[i] >> 16, low));
  }
  return found;
}

DF_DEVICE_FUNCTION bool IsWordFound(const Scanned& value, int64_t i) {
  uint64_t bits = 0;
  memcpy(&bits, value.data + i * value.bytes, static_cast<size_t>(value.bytes));
  return (bits & value.exponent) == value.exponent;
}

// An int32 is a number itself.
DF_DEVICE_FUNCTION int32_t NumberOf(const Scanned& value) {
  if (value.exponent != 0) return value.number;
  int32_t number = 0;
  memcpy(&number, value.data, sizeof number);
  return number;
}

DF_DEVICE_KERNEL void FindInBlocks(ScannedValues values, int32_t* of_blocks) {
  const int64_t block = cuda::GlobalBlockId();
  int v = 0;
  while (v + 1 < values.count && values.at[v + 1].first_block <= block) ++v;
  const Scanned value = values.at[v];
  int32_t found = 0;
  if (value.exponent == 0) {
    found = 1;
  } else {
    const int64_t words_a_block = kBytesABlock / value.bytes;
    const int64_t begin = (block - value.first_block) * words_a_block;
    const unsigned char* const data = value.data + begin * value.bytes;
    if (begin + words_a_block <= value.words && reinterpret_cast<uintptr_t>(data) % sizeof(Quad) == 0) {
      const auto* const quads = reinterpret_cast<const Quad*>(data);
      for (int k = 0; k < kReadsAThread; ++k) {
        const Quad quad = quads[k * cuda::kBlockThreads + cuda::ThreadInBlock()];
        found |= IsInQuad(quad, value.bytes, value.exponent) ? 1 : 0;
      }
    } else {
      const int64_t end = begin + words_a_block < value.words ? begin + words_a_block : value.words;
      for (int64_t i = begin + cuda::ThreadInBlock(); i < end; i += cuda::kBlockThreads) {
        found |= IsWordFound(value, i) ? 1 : 0;
      }
    }
  }
  found = cuda::BlockReduce(found, [](int32_t a, int32_t b) { return a | b; });
  if (cuda::ThreadInBlock() == 0) of_blocks[block] = found != 0 ? NumberOf(value) : 0;
}

DF_DEVICE_KERNEL void TakeLeast(const int32_t* of_blocks, int64_t blocks, int32_t* out) {
  static_cast<void>(cuda::GlobalBlockId());
  const auto least = [](int32_t a, int32_t b) { return a == 0 || (b != 0 && b < a) ? b : a; };
  int32_t found = 0;
  for (int64_t i = cuda::ThreadInBlock(); i < blocks; i += cuda::kBlockThreads) found = least(found, of_blocks[i]);
  found = cuda::BlockReduce(found, least);
  if (cuda::ThreadInBlock() == 0) *out = found;
}

class FirstNotFinite final : public Kernel {
 public:
  explicit FirstNotFinite(KernelSetup& setup) : numbers_(setup.attr<std::vector<int64_t>>("numbers")) {
    const size_t count = setup.node().inputs.size();
    if (numbers_.empty()) {
      for (size_t i = 0; i < count; ++i) numbers_.push_back(static_cast<int64_t>(i) + 1);
    }
    if (numbers_.size() == count) return;
    setup.Fail(InvalidArgument("attr 'numbers' has ", numbers_.size(), " entries for ", count, " values"));
  }

  Status Compute(OpContext& ctx) {
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &out));
    int64_t blocks = 0;
    for (int i = 0; i < ctx.num_inputs(); ++i) blocks += BlocksOf(ctx.input(i));
    DF_ASSIGN(Tensor of_blocks, ctx.AllocateTemp(DType::kInt32, Shape({blocks})));
    DF_TRY(Find(ctx, of_blocks.data<int32_t>()));
    return cuda::LaunchWithBarriers(ctx, 1, &TakeLeast, of_blocks.data<int32_t>(), blocks, out->data<int32_t>());
  }

 private:
  static int64_t WordsOf(const Tensor& value) {
    return value.num_elements() * cuda::FloatWordsOf(value.dtype()).an_element;
  }
  static int64_t BlocksOf(const Tensor& value) {
    const int64_t words_a_block = kBytesABlock / cuda::FloatWordsOf(value.dtype()).bytes;
    return (WordsOf(value) + words_a_block - 1) / words_a_block;
  }

  Status Find(OpContext& ctx, int32_t* found) const {
    for (int next = 0; next < ctx.num_inputs();) {
      ScannedValues values;
      int64_t blocks = 0;
      for (; next < ctx.num_inputs() && values.count < kMaxScanned; ++next) {
        const Tensor& value = ctx.input(next);
        if (value.num_elements() == 0) continue;
        const cuda::FloatWords words = cuda::FloatWordsOf(value.dtype());
        values.at[values.count++] = {static_cast<const unsigned char*>(value.raw()),
                                     WordsOf(value),
                                     blocks,
                                     words.exponent,
                                     words.bytes,
                                     static_cast<int32_t>(numbers_[static_cast<size_t>(next)])};
        blocks += BlocksOf(value);
      }
      DF_TRY(cuda::LaunchWithBarriers(ctx, blocks, &FindInBlocks, values, found));
      found += blocks;
    }
    return Status();
  }

  std::vector<int64_t> numbers_;  // by input
};

CUDA_KERNEL_ANY("_FirstNotFinite", FirstNotFinite);

}  // namespace
}  // namespace dfrun
