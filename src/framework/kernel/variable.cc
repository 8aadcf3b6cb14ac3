#include "src/framework/kernel/variable.h"

#include "src/framework/device/exchange_memory.h"

namespace dfrun {
namespace {

// A ref edge may still hold a header for a moment after it was replaced; this many replacements later it is gone.
constexpr size_t kRetiredHeaders = 64;

// Returns the allocator of values. Other ranks read variables without a copy.
Allocator& AllocatorOfValues(Device& device, DType dtype) {
  return IsPlain(dtype) ? ExchangeAllocator(device) : device.host_allocator();
}

}  // namespace

Variable::Variable(std::string name, DType dtype, PartialShape shape)
    : name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)) {
  headers_.push_back(std::make_unique<Tensor>());
  current_ = headers_.back().get();
}

void Variable::Replace(Tensor value) {
  headers_.push_back(std::make_unique<Tensor>(std::move(value)));
  current_.store(headers_.back().get(), std::memory_order_release);
  if (headers_.size() > kRetiredHeaders) headers_.erase(headers_.begin());
}

Status Variable::Assign(const Tensor& value, Device& device) {
  Tensor& now = mutable_value();
  if (now.SharesBufferWith(value)) return Status();
  if (now.shape() == value.shape() && now.SoleOwner()) return device.Copy(value, now);
  DF_ASSIGN(Tensor copy, device.Clone(value, AllocatorOfValues(device, dtype_)));
  Replace(std::move(copy));
  return Status();
}

Status Variable::MakeWritable(Device& device) {
  if (value().SoleOwner()) return Status();
  DF_ASSIGN(Tensor copy, device.Clone(value(), AllocatorOfValues(device, dtype_)));
  Replace(std::move(copy));
  return Status();
}

void Variable::Clear() {
  Replace(Tensor());
}

std::string Variable::DebugString() const {
  return StrCat("Variable '", name_, "' ", dtype_, shape_);
}

}  // namespace dfrun
