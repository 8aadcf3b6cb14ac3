// The check of a step's values before its updates, on the GPU.
#include <cstring>

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/state/float_words_cuda.h"

namespace dfrun {
namespace {

constexpr int kMaxValues = 16;  // at a time

struct GateValues {
  struct Value {
    const unsigned char* data;
    int64_t elements;
    // The size of an element. It is not finite if all bits of its exponent are set. Exponent 0: the element is a flag,
    // which is not 0 for "not finite".
    int bytes;
    uint64_t exponent;
  };
  Value at[kMaxValues];
  int count = 0;
};

// One thread: the values are scalars.
DF_DEVICE_KERNEL void CheckFinite(GateValues values, bool is_first, int32_t* open) {
  if (cuda::GlobalThreadId() != 0) return;
  bool is_finite = is_first || *open != 0;
  for (int v = 0; v < values.count; ++v) {
    const GateValues::Value& value = values.at[v];
    for (int64_t i = 0; i < value.elements; ++i) {
      uint64_t bits = 0;
      memcpy(&bits, value.data + i * value.bytes, static_cast<size_t>(value.bytes));
      const bool is_found = value.exponent == 0 ? bits != 0 : (bits & value.exponent) == value.exponent;
      is_finite = is_finite && !is_found;
    }
  }
  *open = is_finite ? 1 : 0;
}

class DeviceUpdateGate final : public Kernel {
 public:
  explicit DeviceUpdateGate(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* open = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &open));
    int next = 0;
    do {
      const bool is_first = next == 0;
      GateValues values;
      for (; next < ctx.num_inputs() && values.count < kMaxValues; ++next) {
        const Tensor& value = ctx.input(next);
        const cuda::FloatWords words = cuda::FloatWordsOf(value.dtype());
        values.at[values.count++] = {static_cast<const unsigned char*>(value.raw()),
                                     value.num_elements() * words.an_element, words.bytes, words.exponent};
      }
      DF_TRY(cuda::Launch(ctx, 1, &CheckFinite, values, is_first, open->data<int32_t>()));
    } while (next < ctx.num_inputs());
    return Status();
  }
};

CUDA_KERNEL_ANY("_DeviceUpdateGate", DeviceUpdateGate);
CUDA_RECORDING_TRAITS("_DeviceUpdateGate", .is_gate = true);

}  // namespace
}  // namespace dfrun
