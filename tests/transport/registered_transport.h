// A test transport that wants registered memory and refuses larger messages in other memory. It shows that messages
// between ranks use registered memory.
#ifndef DFRUN_TESTS_TRANSPORT_REGISTERED_TRANSPORT_H_
#define DFRUN_TESTS_TRANSPORT_REGISTERED_TRANSPORT_H_

#include <atomic>
#include <map>
#include <memory>

#include "comm/transport.h"
#include "src/base/mutex.h"

namespace dfrun::comm {

// The registered memory. Regions may outlive their transport.
class RegisteredRanges {
 public:
  void Add(const char* data, size_t bytes) EXCLUDES(mu_);
  void Remove(const char* data) EXCLUDES(mu_);
  bool Hold(const void* data, size_t bytes) EXCLUDES(mu_);

 private:
  Mutex mu_;
  std::map<const char*, size_t> bytes_ GUARDED_BY(mu_);  // by the first byte
};

// Wraps another transport, which moves the messages.
class RegisteredTransport final : public Transport {
 public:
  // Size from which messages in other memory are refused.
  static constexpr size_t kFrom = 256;

  // `asks`: its capabilities say that it wants registered memory.
  RegisteredTransport(std::unique_ptr<Transport> inner, bool asks) : inner_(std::move(inner)), asks_(asks) {}
  // Prints how many messages of kFrom bytes and more it has moved.
  ~RegisteredTransport() override;

  std::string_view name() const override { return "registered"; }
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  int32_t max_channels() const override { return inner_->max_channels(); }
  int32_t max_slots() const override { return inner_->max_slots(); }
  Capabilities capabilities() const override;
  Result<Region> Register(void* data, size_t bytes) override;
  void Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) override;
  void Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) override;
  bool Poll() override { return inner_->Poll(); }
  void Abort(const Status& status) override { inner_->Abort(status); }
  void Trace(TraceSink* sink) override { inner_->Trace(sink); }

 private:
  // Returns OK if the message may be sent or received.
  Status Check(const char* what, const void* data, size_t bytes);

  const std::unique_ptr<Transport> inner_;
  const bool asks_;
  const std::shared_ptr<RegisteredRanges> ranges_ = std::make_shared<RegisteredRanges>();
  std::atomic<int64_t> moved_{0};
};

}  // namespace dfrun::comm

#endif  // DFRUN_TESTS_TRANSPORT_REGISTERED_TRANSPORT_H_
