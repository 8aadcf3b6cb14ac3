#include "src/executor/step/seen_node.h"

#include <utility>

namespace dfrun {
namespace {

int64_t BytesOf(const Tensor& value) {
  if (value.dtype() != DType::kString) return static_cast<int64_t>(value.num_bytes());
  int64_t bytes = 0;
  for (const std::string& text : value.values<std::string>()) {
    bytes += static_cast<int64_t>(sizeof(std::string) + text.size());
  }
  return bytes;
}

}  // namespace

void ValueCopies::Add(const Tensor& value, const Tensor& in_host, Device& device, const std::string& what) {
  AddNone();
  if (!missing_.empty()) return;
  if (!in_host.initialized()) {
    missing_ = what + " has no value";
  } else if (IsHandle(in_host.dtype())) {
    missing_ = StrCat(what, " is a ", in_host.dtype(), ", which means nothing to another process");
  } else if (BytesOf(in_host) > room_) {
    missing_ = "its inputs and outputs are too large";
  }
  if (!missing_.empty()) return;
  room_ -= BytesOf(in_host);
  // A value from the device's own memory is a copy already.
  const bool is_copy = !in_host.borrowed() && !in_host.SharesBufferWith(value);
  Result<Tensor> copy = is_copy ? Result<Tensor>(in_host) : in_host.Copy(device.host_allocator());
  if (!copy.ok()) {
    missing_ = "there is no memory for copies of its inputs and outputs";
    return;
  }
  values_.back() = *std::move(copy);
}

}  // namespace dfrun
