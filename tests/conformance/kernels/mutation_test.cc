// Golden cases with inputs made wrong: other shapes, other integers. A kernel may refuse them or compute something, but
// it must come back, and under a sanitizer without a complaint.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "src/framework/kernel/run_kernel.h"
#include "tests/conformance/kernels/case_variables.h"

namespace dfrun::testing {
namespace {

// Refuses what no test needs, so that a wild size is an error and not a machine without memory.
class SmallAllocator final : public Allocator {
 public:
  std::string_view name() const override { return "small"; }
  void* Allocate(size_t bytes) override {
    return bytes > (size_t{1} << 24) ? nullptr : SystemAllocator().Allocate(bytes);
  }
  void Free(void* memory, size_t bytes) override { SystemAllocator().Free(memory, bytes); }
  AllocatorStats Stats() const override { return {}; }
  void ResetPeak() override {}
};

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::vector<Tensor> Mutate(std::vector<Tensor> inputs) {
    const int changes = 1 + Below(2);
    for (int i = 0; i < changes && !inputs.empty(); ++i) {
      Tensor& input = inputs[static_cast<size_t>(Below(static_cast<int>(inputs.size())))];
      if (!input.initialized()) continue;
      input = Below(2) == 0 ? WithOtherShape(input) : WithOtherNumbers(input);
    }
    return inputs;
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  // A tensor of a random shape whose elements are those of `from` in turn.
  Tensor WithOtherShape(const Tensor& from) {
    std::vector<int64_t> dims(from.shape().dims().begin(), from.shape().dims().end());
    switch (Below(4)) {
      case 0:
        if (!dims.empty()) dims.pop_back();
        break;
      case 1:
        dims.insert(dims.begin(), Below(3));
        break;
      case 2:
        if (!dims.empty()) dims[static_cast<size_t>(Below(static_cast<int>(dims.size())))] = Below(5);
        break;
      default:
        dims.push_back(1 + Below(2));
    }
    Tensor to(from.dtype(), Shape(std::span<const int64_t>(dims)));
    const int64_t n = from.num_elements();
    VisitDType<std::string, bool, int8_t, uint8_t, int16_t, uint16_t, float16, bfloat16, int32_t, uint32_t, float,
               int64_t, uint64_t, double, std::complex<float>, std::complex<double>, qint8, quint8, qint16, quint16,
               qint32>(from.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (int64_t i = 0; i < to.num_elements(); ++i) to.data<T>()[i] = n == 0 ? T() : from.data<T>()[i % n];
    });
    return to;
  }

  Tensor WithOtherNumbers(const Tensor& from) {
    Tensor to = *from.Copy(SystemAllocator());
    VisitDType<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>(from.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T wild[] = {
          T(0), T(1), T(-1), T(2), T(-2), T(7), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
      for (int64_t i = 0; i < to.num_elements(); ++i) {
        if (Below(2) == 0) to.data<T>()[i] = wild[Below(8)];
      }
    });
    return to;
  }

  std::mt19937 random_;
};

// Ok, or an error of the kinds that bad input gives; a failed precondition is one of what is behind a handle.
bool IsExpected(const GoldenCase& c, const Status& status) {
  if (CaseVariables::Has(c) && status.code() == Code::kFailedPrecondition) return true;
  return status.ok() || status.code() == Code::kInvalidArgument || status.code() == Code::kOutOfRange ||
         status.code() == Code::kNotFound || status.code() == Code::kUnimplemented ||
         status.code() == Code::kResourceExhausted;
}

Status RunOnce(GoldenCase c, const std::vector<Tensor>& mutated, Device& device) {
  const OpDef* op = OpRegistry::Builtin().Find(c.op);
  c.inputs = mutated;
  const CaseVariables variables(c, false, device);
  const std::vector<Tensor>& inputs = variables.inputs();
  AttrMap attrs = c.attrs;
  std::vector<TypedArg> types;
  for (const Tensor& input : inputs) types.push_back({input.dtype(), input.is_reference()});
  DF_TRY(ResolveAttrs(*op, types, attrs));
  DF_ASSIGN(const std::vector<TypedArg> outputs, ExpandArgs(op->outputs, attrs));
  const NodeInfo node{"node", op, types, outputs};
  InlineThreadPool pool;
  return RunKernelOnce(node, attrs, inputs, device, pool, KernelRegistry::Builtin()).status();
}

class MutationTest : public ::testing::TestWithParam<std::string> {};

TEST_P(MutationTest, WrongInputsAreRefusedOrComputed) {
  SmallAllocator allocator;
  class SmallDevice final : public Device {
   public:
    explicit SmallDevice(Allocator& a) : Device(*DeviceName::Parse("/job:worker/task:0/device:cpu:0"), a) {}
  } device(allocator);
  const Result<std::vector<GoldenCase>> cases = ReadGoldenFile(GetParam());
  ASSERT_TRUE(cases.ok()) << cases.status().ToString();
  int refused = 0;
  for (const GoldenCase& c : *cases) {
    Mutator mutator(static_cast<unsigned>(c.line));
    for (int round = 0; round < 12; ++round) {
      const Status status = RunOnce(c, mutator.Mutate(c.inputs), device);
      refused += status.ok() ? 0 : 1;
      EXPECT_TRUE(IsExpected(c, status)) << c.op << " " << c.name << ": " << status.ToString();
    }
  }
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Golden, MutationTest, ::testing::ValuesIn(GoldenFiles(GoldenDir())),
                         [](const auto& info) { return FamilyOf(info.param); });

}  // namespace
}  // namespace dfrun::testing
