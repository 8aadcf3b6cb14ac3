// Fingerprints of variables on a GPU: blocks sum up parts of the values, then a block a value sums up its parts.
#include <cstring>
#include <vector>

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/element.h"
#include "src/checkpoint/fingerprint_words.h"

namespace dfrun {
namespace {

constexpr int kMaxSummed = 16;  // at a time
// A block takes some blocks of a fingerprint, a thread a word of each.
static_assert(fingerprint::kBlockWords == cuda::kBlockThreads);
constexpr int64_t kWordsABlock = fingerprint::kBlockWords * 32;

struct Summed {
  const unsigned char* words;
  int64_t count;
  int64_t first_block;  // the grid's block that begins it
  int bytes;            // a word has 1, 2 or 4
  int is_bool;
};

struct SummedValues {
  Summed at[kMaxSummed];
  int count = 0;
  int64_t blocks = 0;
};

struct Plus {
  DF_HOST_DEVICE uint64_t operator()(uint64_t a, uint64_t b) const { return a + b; }
};

template <class Word>
DF_DEVICE_FUNCTION uint64_t SumOfThread(const Summed& value, int64_t begin, int64_t end) {
  const auto* const words = reinterpret_cast<const Word*>(value.words);
  const uint64_t of_word = fingerprint::Factor(static_cast<uint64_t>(cuda::ThreadInBlock()));
  uint64_t sum = 0;
  for (int64_t i = begin + cuda::ThreadInBlock(); i < end; i += cuda::kBlockThreads) {
    uint32_t word = words[i];
    if (value.is_bool != 0) word = word != 0 ? 1 : 0;
    sum += fingerprint::MixWord(word) * of_word *
           fingerprint::Factor(static_cast<uint64_t>(fingerprint::kBlockWords + i / fingerprint::kBlockWords));
  }
  return sum;
}

DF_DEVICE_KERNEL void SumWords(SummedValues values, uint64_t* of_blocks) {
  const int64_t block = cuda::GlobalBlockId();
  int v = 0;
  while (v + 1 < values.count && values.at[v + 1].first_block <= block) ++v;
  const Summed value = values.at[v];
  const int64_t begin = (block - value.first_block) * kWordsABlock;
  const int64_t end = begin + kWordsABlock < value.count ? begin + kWordsABlock : value.count;
  uint64_t sum = 0;
  if (value.bytes == 4) sum = SumOfThread<uint32_t>(value, begin, end);
  if (value.bytes == 2) sum = SumOfThread<uint16_t>(value, begin, end);
  if (value.bytes == 1) sum = SumOfThread<uint8_t>(value, begin, end);
  sum = cuda::BlockReduce(sum, Plus());
  if (cuda::ThreadInBlock() == 0) of_blocks[block] = sum;
}

// A block a value.
DF_DEVICE_KERNEL void SumBlocks(SummedValues values, const uint64_t* of_blocks, uint64_t* out) {
  const auto v = static_cast<int>(cuda::GlobalBlockId());
  const int64_t end = v + 1 < values.count ? values.at[v + 1].first_block : values.blocks;
  uint64_t sum = 0;
  for (int64_t i = values.at[v].first_block + cuda::ThreadInBlock(); i < end; i += cuda::kBlockThreads) {
    sum += of_blocks[i];
  }
  sum = cuda::BlockReduce(sum, Plus());
  if (cuda::ThreadInBlock() == 0) out[v] = sum;
}

class VariableFingerprints final : public Kernel {
 public:
  explicit VariableFingerprints(KernelSetup& setup) {
    for (const DType dtype : setup.attr<std::vector<DType>>("T")) {
      if (!IsPlain(dtype)) setup.Fail(InvalidArgument("a ", dtype, " has no fingerprint on a GPU"));
    }
  }

  Status Compute(OpContext& ctx) {
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({ctx.num_inputs()}), &out));
    int64_t blocks = 0;
    for (int i = 0; i < ctx.num_inputs(); ++i) blocks += BlocksOf(ctx.input(i));
    DF_ASSIGN(Tensor of_blocks, ctx.AllocateTemp(DType::kUint64, Shape({blocks})));
    auto* found = of_blocks.data<uint64_t>();
    for (int next = 0; next < ctx.num_inputs();) {
      SummedValues values;
      uint64_t* const sums = out->data<uint64_t>() + next;
      for (; next < ctx.num_inputs() && values.count < kMaxSummed; ++next) {
        const Tensor& value = ctx.input(next);
        values.at[values.count++] = {static_cast<const unsigned char*>(value.raw()), WordsOf(value), values.blocks,
                                     BytesOfWord(value), value.dtype() == DType::kBool ? 1 : 0};
        values.blocks += BlocksOf(value);
      }
      DF_TRY(cuda::LaunchWithBarriers(ctx, values.blocks, &SumWords, values, found));
      DF_TRY(cuda::LaunchWithBarriers(ctx, values.count, &SumBlocks, values, found, sums));
      found += values.blocks;
    }
    return Status();
  }

 private:
  static int BytesOfWord(const Tensor& value) {
    const size_t bytes = DTypeSize(value.dtype());
    return bytes > sizeof(uint32_t) ? static_cast<int>(sizeof(uint32_t)) : static_cast<int>(bytes);
  }
  static int64_t WordsOf(const Tensor& value) { return static_cast<int64_t>(value.num_bytes()) / BytesOfWord(value); }
  static int64_t BlocksOf(const Tensor& value) { return (WordsOf(value) + kWordsABlock - 1) / kWordsABlock; }
};

CUDA_KERNEL_ANY("_VariableFingerprints", VariableFingerprints);

}  // namespace
}  // namespace dfrun
