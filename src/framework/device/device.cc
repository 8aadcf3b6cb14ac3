#include "src/framework/device/device.h"

#include <algorithm>
#include <atomic>
#include <cctype>

#include "src/base/mutex.h"
#include "src/base/text.h"
#include "src/framework/device/device_factory.h"
#include "src/framework/device/graph_capture.h"

namespace dfrun {
namespace {

std::string Lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool ParseIndex(std::string_view text, std::optional<int>& index) {
  if (text == "*") {
    index.reset();
    return true;
  }
  index = ParseAs<int>(text);
  return index && *index >= 0;
}

// "cpu:0", "gpu:*", "gpu".
bool ParseTypeAndIndex(std::string_view text, DeviceName& name) {
  const size_t colon = text.find(':');
  name.type = Lower(text.substr(0, colon));
  return IsIdentifier(*name.type) &&
         (colon == std::string_view::npos || ParseIndex(text.substr(colon + 1), name.index));
}

bool ParsePart(std::string_view part, DeviceName& name) {
  const size_t colon = part.find(':');
  const std::string key = Lower(part.substr(0, colon));
  const std::string_view value = colon == std::string_view::npos ? std::string_view() : part.substr(colon + 1);
  std::optional<int> ignored;
  if (key == "job") {
    name.job = value == "*" ? std::nullopt : std::optional<std::string>(value);
    return !name.job || IsIdentifier(value);
  }
  if (key == "task") return ParseIndex(value, name.task);
  if (key == "replica") return ParseIndex(value, ignored);
  if (key == "device") return ParseTypeAndIndex(value, name);
  if (IsDeviceType(key)) return ParseTypeAndIndex(part, name);
  return false;
}

template <class T>
Status MergePart(std::optional<T>& into, const std::optional<T>& from, const DeviceName& a, const DeviceName& b) {
  if (into && from && *into != *from) {
    return InvalidArgument("device constraints '", a.ToString(), "' and '", b.ToString(), "' contradict each other");
  }
  if (from) into = from;
  return Status();
}

std::atomic<int64_t> g_host_waits{0};

// Blocks a thread until a callback has run.
class CallbackWaiter {
 public:
  Callback callback() {
    return {[](void* arg, Status status) { static_cast<CallbackWaiter*>(arg)->End(std::move(status)); }, this};
  }
  Status Wait() {
    g_host_waits.fetch_add(1, std::memory_order_relaxed);
    MutexLock lock(mu_);
    while (!has_ended_) ended_.Wait(mu_);
    return std::move(status_);
  }

 private:
  // Holds the lock to its end, since the waiter may be destroyed right after.
  void End(Status status) {
    MutexLock lock(mu_);
    status_ = std::move(status);
    has_ended_ = true;
    ended_.NotifyOne();
  }

  Mutex mu_;
  CondVar ended_;
  Status status_ GUARDED_BY(mu_);
  bool has_ended_ GUARDED_BY(mu_) = false;
};

}  // namespace

int64_t HostWaits() {
  return g_host_waits.load(std::memory_order_relaxed);
}

Result<DeviceName> DeviceName::Parse(std::string_view text) {
  DeviceName name;
  std::string_view rest = text;
  if (!rest.empty() && rest[0] == '/') rest.remove_prefix(1);  // "cpu:0" is the local form
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('/'), rest.size());
    if (!ParsePart(rest.substr(0, end), name)) {
      return InvalidArgument("cannot read '", rest.substr(0, end), "' of the device name '", text,
                             "'; a device name is like /job:worker/task:0/device:cpu:0");
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return name;
}

std::string DeviceName::ToString() const {
  std::string out;
  if (job) out += "/job:" + *job;
  if (task) out += "/task:" + std::to_string(*task);
  if (type) out += "/device:" + *type + ":" + (index ? std::to_string(*index) : "*");
  return out;
}

bool DeviceName::Matches(const DeviceName& device) const {
  return (!job || job == device.job) && (!task || task == device.task) && (!type || type == device.type) &&
         (!index || index == device.index);
}

Result<DeviceName> DeviceName::Merge(const DeviceName& other) const {
  DeviceName merged = *this;
  DF_TRY(MergePart(merged.job, other.job, *this, other));
  DF_TRY(MergePart(merged.task, other.task, *this, other));
  DF_TRY(MergePart(merged.type, other.type, *this, other));
  DF_TRY(MergePart(merged.index, other.index, *this, other));
  return merged;
}

void Device::Copy(const Tensor& from, Tensor& to, Callback done) {
  if (!IsHostMemory(from.memory()) || !IsHostMemory(to.memory())) return EnqueueCopy(from, to, done);
  CopyElements(from, to);
  done(Status());
}

void Device::EnqueueCopy(const Tensor&, Tensor&, Callback done) {
  done(Internal("the device ", full_name(), " has no memory of its own to copy from or to"));
}

Status Device::CopyAndWait(const Tensor& from, Tensor& to) {
  if (!IsHostMemory(from.memory()) && !IsHostMemory(to.memory())) {
    EnqueueCopy(from, to, {[](void*, Status) {}, nullptr});  // an error is WhenDone()'s
    return Status();
  }
  CallbackWaiter waiter;
  EnqueueCopy(from, to, waiter.callback());
  return waiter.Wait();
}

Result<Tensor> Device::Clone(const Tensor& from, Allocator& allocator) {
  DF_ASSIGN(Tensor copy, Tensor::Allocate(allocator, from.dtype(), from.shape()));
  DF_TRY(Copy(from, copy));
  return copy;
}

Result<Tensor> Device::ToHostMemory(const Tensor& value) {
  if (!value.initialized() || IsHostMemory(value.memory())) return value;
  return Clone(value, host_allocator_);
}

Result<Tensor> Device::ToOwnMemory(const Tensor& value) {
  if (!value.initialized() || !has_own_memory() || !IsPlain(value.dtype())) return value;
  if (!IsHostMemory(value.memory())) return value;
  return Clone(value, allocator_);
}

Status Device::Synchronize() {
  if (!has_own_memory()) return Status();
  CallbackWaiter waiter;
  WhenDone(waiter.callback());
  return waiter.Wait();
}

}  // namespace dfrun
