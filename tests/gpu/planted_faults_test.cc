// Planted faults of GPU kernels, each of which the emulated GPU must find. If a test fails here, the emulation no
// longer finds such a fault.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/device/cuda/runtime/block_scan.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "src/framework/op/inference.h"
#include "src/framework/op/op.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun::testing {
namespace {

constexpr int kSeeds = 5;

DF_DEVICE_KERNEL void Twice(const float* x, float* y, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < n) y[i] = 2 * x[i];
}

DF_DEVICE_KERNEL void TwiceAndOneMore(const float* x, float* y, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i <= n) y[i] = 2 * x[i < n ? i : 0];
}

DF_DEVICE_KERNEL void SumWithNext(const float* x, float* y, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < n) y[i] = x[i] + x[i + 1];
}

// Reads by a pointer that is stored in memory.
DF_DEVICE_KERNEL void TwiceOfFirst(const float* const* x, float* y, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < n) y[i] = 2 * x[0][i];
}

// Uses memory that the block shares, where each thread reads what another one writes.
DF_DEVICE_KERNEL void TwiceByBlock(const float* x, float* y, int64_t n, bool meets) {
  DF_DEVICE_SHARED(float, shared, cuda::kBlockThreads);
  const int thread = cuda::ThreadInBlock();
  const int64_t first = cuda::GlobalBlockId() * cuda::kBlockThreads;
  if (first + thread < n) shared[thread] = x[first + thread];
  if (meets) cuda::Barrier();
  const int other = cuda::kBlockThreads - 1 - thread;
  if (first + other < n) y[first + other] = 2 * shared[other];
}

// Writes, for each block, the sums of the elements before and up to each.
DF_DEVICE_KERNEL void SumsOfBlock(const float* x, float* y, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  const int mine = i < n ? static_cast<int>(x[i]) : 0;
  const cuda::BlockSums<int> sums = cuda::SumOverBlock(mine);
  if (i < n) y[i] = static_cast<float>(sums.before + mine);
}

class PlantedKernel final : public Kernel {
 public:
  explicit PlantedKernel(KernelSetup& setup) : fault_(setup.attr<std::string>("fault")) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const int64_t n = x.num_elements();
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    const auto* const from = x.data<float>();
    auto* const to = y->data<float>();
    if (fault_ == "host read" && from[0] == 0) return InvalidArgument("0");
    if (fault_ == "host write") to[0] = 1;
    if (fault_ == "freed buffer") return ByTemporary(ctx, from, to, n);
    if (fault_ == "freed write") DF_TRY(ToTemporary(ctx, from, n));
    if (fault_ == "index read") return cuda::Launch(ctx, n, &SumWithNext, from, to, n);
    if (fault_ == "index") return cuda::Launch(ctx, n + 1, &TwiceAndOneMore, from, to, n);
    if (fault_ == "pointer in memory") {
      from_ = from;
      return cuda::Launch(ctx, n, &TwiceOfFirst, &from_, to, n);
    }
    if (fault_ == "sums") return cuda::LaunchWithBarriers(ctx, cuda::BlocksFor(n), &SumsOfBlock, from, to, n);
    const bool meets = fault_ != "missing barrier";
    if (!meets || fault_ == "barrier") {
      return cuda::LaunchWithBarriers(ctx, cuda::BlocksFor(n), &TwiceByBlock, from, to, n, meets);
    }
    return cuda::Launch(ctx, n, &Twice, from, to, n);
  }

 private:
  // Frees the temporary before all work that reads it is enqueued.
  static Status ByTemporary(OpContext& ctx, const float* from, float* to, int64_t n) {
    DF_ASSIGN(Tensor copy, ctx.AllocateTemp(DType::kFloat, Shape({n})));
    auto* const of_copy = copy.data<float>();
    DF_TRY(cuda::EnqueueBytes(ctx, from, of_copy, static_cast<size_t>(n) * sizeof(float)));
    copy.Reset();
    return cuda::Launch(ctx, n, &Twice, of_copy, to, n);
  }

  static Status ToTemporary(OpContext& ctx, const float* from, int64_t n) {
    DF_ASSIGN(Tensor copy, ctx.AllocateTemp(DType::kFloat, Shape({n})));
    auto* const of_copy = copy.data<float>();
    copy.Reset();
    return cuda::Launch(ctx, n, &Twice, from, of_copy, n);
  }

  const std::string fault_;
  const float* from_ = nullptr;
};

OP("PlantedFault")
    .Input("x: float")
    .Output("y: float")
    .Attr("fault: string")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("Twice x, by a kernel with a fault.");
CUDA_KERNEL_ANY("PlantedFault", PlantedKernel);

class PlantedFaultsTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void TearDown() override {
    for (const char* name : {"SEED", "MISSING_BARRIER", "MISSING_EVENT"}) {
      unsetenv(StrCat("DFRUN_EMULATED_", name).c_str());
    }
  }

  static void UseSeed(int seed) { setenv("DFRUN_EMULATED_SEED", std::to_string(seed).c_str(), 1); }

  // Returns so many elements that they end where their memory ends.
  static Tensor Numbers(int64_t n = 1024) {
    Tensor x(DType::kFloat, Shape({n}));
    for (int64_t i = 0; i < n; ++i) x.data<float>()[i] = static_cast<float>(i + 1);
    return x;
  }

  // Returns the op's result for Numbers().
  Tensor Run(const std::string& fault, int64_t n = 1024) {
    const auto outputs = runner_.Run(NodeRunner::Way::kUnknownShapes, "PlantedFault", {{"fault", fault}}, {Numbers(n)});
    EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
    return outputs.ok() ? (*outputs)[0] : Tensor();
  }
  bool IsRight(const std::string& fault, int64_t n = 1024) {
    Tensor expected = Numbers(n);
    for (int64_t i = 0; i < n; ++i) expected.data<float>()[i] *= 2;
    return Run(fault, n).Identical(expected);
  }

  // Returns the barriers without which an op gives another value than with all of them, for one of the seeds.
  std::string NeededBarriers(const std::string& op, const AttrMap& attrs, const std::vector<Input>& inputs, int count) {
    const auto run = [&] {
      const auto outputs = runner_.Run(NodeRunner::Way::kUnknownShapes, op, attrs, inputs);
      EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
      return outputs.ok() ? (*outputs)[0] : Tensor();
    };
    const Tensor expected = run();
    std::string needed;
    for (int barrier = 0; barrier < count; ++barrier) {
      setenv("DFRUN_EMULATED_MISSING_BARRIER", std::to_string(barrier).c_str(), 1);
      bool differs = false;
      for (int seed = 1; seed <= kSeeds && !differs; ++seed) {
        UseSeed(seed);
        differs = !run().Identical(expected);
      }
      if (differs) needed += StrCat(barrier, " ");
    }
    unsetenv("DFRUN_EMULATED_MISSING_BARRIER");
    return needed;
  }

  NodeRunner runner_{"gpu"};
};

using PlantedFaultsDeathTest = PlantedFaultsTest;

TEST_F(PlantedFaultsTest, WithoutAFaultAllIsRight) {
  for (int seed = 1; seed <= kSeeds; ++seed) {
    UseSeed(seed);
    for (const int64_t n : {1, 3, 255, 1000, 1024}) {
      EXPECT_TRUE(IsRight("none", n));
      EXPECT_TRUE(IsRight("barrier", n));
    }
  }
}

#if defined(__SANITIZE_ADDRESS__)
TEST_F(PlantedFaultsDeathTest, AFreedBufferIsFound) {
  EXPECT_DEATH(Run("freed buffer"), "use-after-poison");
}
#else
TEST_F(PlantedFaultsTest, AFreedBufferIsFound) {
  const Tensor y = Run("freed buffer");
  for (int64_t i = 0; i < y.num_elements(); ++i) EXPECT_TRUE(std::isnan(y.data<float>()[i])) << i;
}
#endif

TEST_F(PlantedFaultsDeathTest, AWriteToAFreedBufferIsFound) {
  EXPECT_DEATH((Run("freed write"), Run("freed write")), "memory was written after it was given back|use-after-poison");
}

TEST_F(PlantedFaultsTest, AMissingBarrierIsFound) {
  for (int seed = 1; seed <= kSeeds; ++seed) {
    UseSeed(seed);
    EXPECT_FALSE(IsRight("missing barrier")) << "seed " << seed;
  }
}

// A sum over a block has three barriers: the first belongs to the previous sum.
TEST_F(PlantedFaultsTest, BarriersOfASumOverABlockAreNeeded) {
  EXPECT_EQ(NeededBarriers("PlantedFault", {{"fault", "sums"}}, {Numbers()}, 4), "1 2 ");
}

// A reduction over a block has three too, and softmax has two reductions, of which the second must not begin before the
// first has ended.
TEST_F(PlantedFaultsTest, BarriersOfAFoldOverABlockAreNeeded) {
  Tensor x(DType::kFloat, Shape({2, 3000}));
  for (int64_t i = 0; i < x.num_elements(); ++i) x.data<float>()[i] = static_cast<float>(i) / 64;
  EXPECT_EQ(NeededBarriers("Softmax", {}, {x}, 7), "1 2 4 5 ");
}

TEST_F(PlantedFaultsDeathTest, AMissingEventIsFound) {
  const auto run = [&] {
    for (int seed = 1; seed <= kSeeds; ++seed) {
      UseSeed(seed);
      for (int i = 0; i < 20; ++i) {
        if (IsRight("none")) continue;
        std::fprintf(stderr, "another value than with events\n");
        std::abort();
      }
    }
  };
  run();
  setenv("DFRUN_EMULATED_MISSING_EVENT", "1", 1);
  EXPECT_DEATH(run(), "another value than with events|memory was written after it was given back|use-after-poison");
}

#if defined(__SANITIZE_ADDRESS__)

TEST_F(PlantedFaultsDeathTest, AnIndexThatIsWrongByOneIsFound) {
  EXPECT_DEATH(Run("index"), "heap-buffer-overflow");
  EXPECT_DEATH(Run("index read"), "heap-buffer-overflow");
}

#else

TEST_F(PlantedFaultsDeathTest, TheHostsTouchIsFound) {
  EXPECT_DEATH(Run("host read"), "emulated GPU: the host touched memory of the GPU at 0x6b3d");
  EXPECT_DEATH(Run("host write"), "emulated GPU: the host touched memory of the GPU at 0x6b3d");
}

TEST_F(PlantedFaultsDeathTest, AnIndexThatIsWrongByOneIsFound) {
  EXPECT_DEATH(Run("index"), "work touched what lies behind a piece of the GPU's memory");
  EXPECT_DEATH(Run("index read"), "work touched what lies behind a piece of the GPU's memory");
}

// Before the fence are up to 15 more bytes, which are checked when the memory is freed.
TEST_F(PlantedFaultsDeathTest, AWriteBeforeTheFenceIsFound) {
  EXPECT_DEATH((Run("index", 1023), Run("none")), "memory was written behind its end");
}

TEST_F(PlantedFaultsDeathTest, AnAddressThatStandsInMemoryIsFound) {
  EXPECT_DEATH(Run("pointer in memory"), "work of the GPU found an address in memory");
}

#endif

}  // namespace
}  // namespace dfrun::testing
