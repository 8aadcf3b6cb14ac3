#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/device/cpu_kernel.h"
#include "kernels/random/learned_candidates.h"
#include "kernels/random/random_state.h"

namespace dfrun {
namespace {

// Blocks that an op reserves for each candidate, as TensorFlow does.
constexpr uint64_t kBlocksPerCandidate = 512;

// Classes by hashing with open addressing, in memory for at least twice as many, a power of two.
class ClassSet {
 public:
  explicit ClassSet(Tensor& slots) : slots_(slots.data<int64_t>()), mask_(slots.num_elements() - 1) {
    std::fill_n(slots_, slots.num_elements(), -1);
  }
  // False where it holds `value`, at least 0, already.
  bool Insert(int64_t value) {
    int64_t at = static_cast<int64_t>(static_cast<uint64_t>(value) * 0x9E3779B97F4A7C15U >> 32) & mask_;
    for (; slots_[at] >= 0; at = (at + 1) & mask_) {
      if (slots_[at] == value) return false;
    }
    slots_[at] = value;
    return true;
  }

 private:
  int64_t* slots_;
  int64_t mask_;
};

// Draws `count` different candidates; gives how many it drew to get them.
template <class Distribution>
int64_t DrawDifferent(const Distribution& distribution, CandidateNumbers& numbers, ClassSet& seen, int64_t* drawn,
                      int64_t count) {
  int64_t tries = 0;
  for (int64_t i = 0; i < count; ++tries) {
    drawn[i] = distribution.Draw(numbers);
    i += seen.Insert(drawn[i]) ? 1 : 0;
  }
  return tries;
}

// The expected number of occurrences of a class of probability p among `count` candidates that took `tries` draws.
float ExpectedCount(float p, int64_t count, int64_t tries) {
  if (tries == count) return p * static_cast<float>(count);
  return -std::expm1(static_cast<float>(tries) * std::log1p(-p));  // 1 - (1 - p)^tries
}

struct CandidateOutputs {
  Tensor* sampled = nullptr;
  Tensor* true_counts = nullptr;
  Tensor* sampled_counts = nullptr;
};

// The base of the samplers.
class SamplerKernel : public Kernel {
 public:
  SamplerKernel(KernelSetup& setup, const char* range)
      : num_sampled_(setup.attr<int64_t>("num_sampled")),
        num_true_(setup.attr<int64_t>("num_true")),
        range_(setup.attr<int64_t>(range)),
        unique_(setup.attr<bool>("unique")),
        state_(setup) {
    if (num_sampled_ > INT32_MAX || num_true_ > INT32_MAX) {
      setup.Fail(InvalidArgument("num_sampled ", num_sampled_, " and num_true ", num_true_, " must be below 2^31"));
    }
  }

 protected:
  Result<CandidateOutputs> Prepare(OpContext& ctx) const {
    const Tensor& classes = ctx.input(0);
    if (classes.shape().rank() != 2 || classes.shape()[1] != num_true_) {
      return InvalidArgument("true_classes has shape ", classes.shape(), ", but must have ", num_true_, " columns");
    }
    if (unique_ && num_sampled_ > range_) {
      return InvalidArgument("there are no ", num_sampled_, " different candidates among ", range_, " classes");
    }
    for (int64_t c : classes.values<int64_t>()) {
      if (c < 0 || c >= range_) return InvalidArgument("true class ", c, " is not in [0, ", range_, ")");
    }
    CandidateOutputs out;
    DF_TRY(ctx.AllocateOutput(0, Shape({num_sampled_}), &out.sampled));
    DF_TRY(ctx.AllocateOutput(1, classes.shape(), &out.true_counts));
    DF_TRY(ctx.AllocateOutput(2, Shape({num_sampled_}), &out.sampled_counts));
    return out;
  }

  template <class Distribution>
  Status Sample(OpContext& ctx, const Distribution& distribution, const CandidateOutputs& out) {
    CandidateNumbers numbers(state_.Reserve(ctx.step(), kBlocksPerCandidate * static_cast<uint64_t>(num_sampled_)));
    int64_t* const drawn = out.sampled->data<int64_t>();
    int64_t tries = num_sampled_;
    if (unique_) {
      const auto slots = static_cast<int64_t>(std::bit_ceil(2 * static_cast<uint64_t>(num_sampled_)));
      DF_ASSIGN(Tensor memory, ctx.AllocateTemp(DType::kInt64, Shape({slots})));
      ClassSet seen(memory);
      tries = DrawDifferent(distribution, numbers, seen, drawn, num_sampled_);
    } else {
      for (int64_t i = 0; i < num_sampled_; ++i) drawn[i] = distribution.Draw(numbers);
    }
    const auto expect = [&](const Tensor& classes, Tensor& counts) {
      std::transform(classes.values<int64_t>().begin(), classes.values<int64_t>().end(), counts.data<float>(),
                     [&](int64_t c) { return ExpectedCount(distribution.Probability(c), num_sampled_, tries); });
    };
    expect(ctx.input(0), *out.true_counts);
    expect(*out.sampled, *out.sampled_counts);
    return Status();
  }

  const int64_t num_sampled_;
  const int64_t num_true_;
  const int64_t range_;
  const bool unique_;

 private:
  RandomState state_;
};

template <class Distribution>
class FixedSampler final : public SamplerKernel {
 public:
  explicit FixedSampler(KernelSetup& setup) : SamplerKernel(setup, "range_max"), distribution_(range_) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const CandidateOutputs out, Prepare(ctx));
    return Sample(ctx, distribution_, out);
  }

 private:
  const Distribution distribution_;
};

class LearnedSampler final : public SamplerKernel {
 public:
  explicit LearnedSampler(KernelSetup& setup) : SamplerKernel(setup, "range_max") {
    if (range_ >= UnigramCandidates::kMaxWeight) {
      setup.Fail(InvalidArgument("range_max is ", range_, ", but must be below 2^31 - 1"));
      return;
    }
    const std::string name = setup.attrs().Has("_position") ? setup.attr<std::string>("_position") : "";
    Result<RefPtr<LearnedCandidates>> found = LearnedCandidates::Named(name, range_, setup.device());
    if (found.ok()) {
      learned_ = *std::move(found);
    } else {
      setup.Fail(found.status());
    }
  }
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const CandidateOutputs out, Prepare(ctx));
    return learned_->With([&](UnigramCandidates& distribution) -> Status {
      DF_TRY(Sample(ctx, distribution, out));
      for (int64_t seen : ctx.input(0).values<int64_t>()) distribution.Add(seen);
      return Status();
    });
  }

 private:
  RefPtr<LearnedCandidates> learned_;  // there unless the constructor refused
};

class AllSampler final : public SamplerKernel {
 public:
  explicit AllSampler(KernelSetup& setup) : SamplerKernel(setup, "num_sampled") {}
  Status Compute(OpContext& ctx) const {
    DF_ASSIGN(const CandidateOutputs out, Prepare(ctx));
    for (int64_t i = 0; i < num_sampled_; ++i) out.sampled->data<int64_t>()[i] = i;
    std::fill_n(out.true_counts->data<float>(), out.true_counts->num_elements(), 1.0F);
    std::fill_n(out.sampled_counts->data<float>(), num_sampled_, 1.0F);
    return Status();
  }
};

using UniformSampler = FixedSampler<UniformCandidates>;
using LogUniformSampler = FixedSampler<LogUniformCandidates>;
CPU_KERNEL_ANY("UniformCandidateSampler", UniformSampler);
CPU_KERNEL_ANY("LogUniformCandidateSampler", LogUniformSampler);
CPU_KERNEL_ANY("LearnedUnigramCandidateSampler", LearnedSampler);
CPU_KERNEL_ANY("ThreadUnsafeUnigramCandidateSampler", LearnedSampler);
CPU_KERNEL_ANY("AllCandidateSampler", AllSampler);

}  // namespace
}  // namespace dfrun
