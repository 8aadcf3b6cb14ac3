#include <utility>

#include "kernels/array/index/add_element.h"
#include "kernels/queues/gradient_sum.h"
#include "kernels/state/packed_tensors.h"

namespace dfrun {
namespace {

class DenseSum final : public GradientSum {
 public:
  explicit DenseSum(const AccumulatorType& type) : type_(type) {}

  Status Add(OpContext& ctx, const Gradient& gradient) override {
    DF_TRY(Check(gradient.values.shape()));
    if (has_value_) {
      AddValues(gradient.values);
      return Status();
    }
    DF_ASSIGN(sum_, gradient.values.Copy(ctx.allocator()));
    has_value_ = true;
    return Status();
  }

  Status Give(OpContext& ctx, int32_t count) override {
    if (count > 0) DivideBy(count);
    ctx.SetOutput(0, std::move(sum_));
    return Status();
  }

  Status Save(Allocator& allocator, std::vector<Tensor>& parts) const override {
    const Tensor* const sum = &sum_;
    return PackTensors({&sum, has_value_ ? size_t{1} : 0}, type_.dtype, allocator, parts);
  }

  Status Restore(std::span<const Tensor> parts, Allocator& allocator) override {
    DF_ASSIGN(std::vector<Tensor> sums, UnpackTensors(parts[0], parts[1], allocator));
    if (sums.size() > 1) return Error(Code::kDataLoss, "there is more than one saved sum");
    has_value_ = !sums.empty();
    if (has_value_) sum_ = std::move(sums[0]);
    return Status();
  }

 private:
  Status Check(const Shape& shape) const {
    if (!type_.shape.IsCompatibleWith(shape)) {
      return InvalidArgument("a gradient of shape ", shape, " cannot be added to an accumulator of shape ",
                             type_.shape);
    }
    if (!has_value_ || sum_.shape() == shape) return Status();
    return InvalidArgument("a gradient of shape ", shape, " cannot be added to those of shape ", sum_.shape());
  }

  void AddValues(const Tensor& gradient) {
    VisitAccumulated(type_.dtype, [&](auto zero) {
      using T = decltype(zero);
      T* const to = sum_.data<T>();
      const T* const more = gradient.data<T>();
      for (int64_t i = 0; i < gradient.num_elements(); ++i) to[i] = AddElement(to[i], more[i]);
    });
  }

  void DivideBy(int32_t count) {
    VisitAccumulated(type_.dtype, [&](auto zero) {
      using T = decltype(zero);
      T* const values = sum_.data<T>();
      const T divisor = static_cast<T>(count);
      for (int64_t i = 0; i < sum_.num_elements(); ++i) values[i] = static_cast<T>(values[i] / divisor);
    });
  }

  const AccumulatorType& type_;
  Tensor sum_;
  bool has_value_ = false;
};

}  // namespace

std::unique_ptr<GradientSum> NewDenseSum(const AccumulatorType& type) {
  return std::make_unique<DenseSum>(type);
}

}  // namespace dfrun
