#include "src/framework/kernel/variable.h"

#include <algorithm>

#include "src/framework/device/exchange_memory.h"

namespace dfrun {
namespace {

// A ref edge may still hold a header for a moment after it was replaced; this many replacements later it is gone.
constexpr size_t kRetiredHeaders = 64;

// Returns the allocator of values. Other ranks read variables without a copy.
Allocator& AllocatorOfValues(Device& device, DType dtype) {
  return IsPlain(dtype) ? ExchangeAllocator(device) : device.host_allocator();
}

using Headers = std::vector<std::unique_ptr<Tensor>>;

void Publish(std::unique_ptr<Tensor> header, Headers& headers, std::atomic<Tensor*>& current) {
  headers.push_back(std::move(header));
  current.store(headers.back().get(), std::memory_order_release);
  if (headers.size() > kRetiredHeaders) headers.erase(headers.begin());
}

// Returns a header with a copy of the value: a retired one of this shape whose bytes nobody shares any more, or a new
// one. A large variable that is read as snapshots all the time would else have as many values as headers are kept, in
// memory that is new each time.
Result<std::unique_ptr<Tensor>> TakeCopy(const Tensor& value, DType dtype, Device& device, Headers& headers) {
  const auto current = headers.end() - 1;
  const auto unused = std::find_if(headers.begin(), current, [&](const std::unique_ptr<Tensor>& header) {
    return header->shape() == value.shape() && header->SoleOwner();
  });
  if (unused == current) {
    DF_ASSIGN(Tensor copy, device.Clone(value, AllocatorOfValues(device, dtype)));
    return std::make_unique<Tensor>(std::move(copy));
  }
  DF_TRY(device.Copy(value, **unused));
  std::unique_ptr<Tensor> header = std::move(*unused);
  headers.erase(unused);
  return header;
}

}  // namespace

Variable::Variable(std::string name, DType dtype, PartialShape shape)
    : name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)) {
  headers_.push_back(std::make_unique<Tensor>());
  current_ = headers_.back().get();
}

void Variable::Replace(Tensor value) {
  Publish(std::make_unique<Tensor>(std::move(value)), headers_, current_);
}

Status Variable::Assign(const Tensor& value, Device& device) {
  Tensor& now = mutable_value();
  if (now.SharesBufferWith(value)) return Status();
  if (now.shape() == value.shape() && now.SoleOwner()) return device.Copy(value, now);
  DF_ASSIGN(std::unique_ptr<Tensor> copy, TakeCopy(value, dtype_, device, headers_));
  Publish(std::move(copy), headers_, current_);
  return Status();
}

Status Variable::MakeWritable(Device& device) {
  if (value().SoleOwner()) return Status();
  DF_ASSIGN(std::unique_ptr<Tensor> copy, TakeCopy(value(), dtype_, device, headers_));
  Publish(std::move(copy), headers_, current_);
  return Status();
}

void Variable::Clear() {
  Replace(Tensor());
}

std::string Variable::DebugString() const {
  return StrCat("Variable '", name_, "' ", dtype_, shape_);
}

}  // namespace dfrun
