// Memory that a transport has registered with its network.
#ifndef DFRUN_COMM_REGION_H_
#define DFRUN_COMM_REGION_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace dfrun::comm {

// Ends the registration when it goes, also after its transport: it keeps what that takes. Ownership: movable, one
// owner. Thread safety: none needed, for it does not change.
class Region {
 public:
  Region() = default;
  // `key`: what a peer reads it by; empty where none can. `held`: its end unregisters, and frees what is the region's.
  Region(void* data, size_t bytes, std::string key, std::shared_ptr<void> held)
      : data_(static_cast<char*>(data)), bytes_(bytes), key_(std::move(key)), held_(std::move(held)) {}
  Region(Region&&) = default;
  Region& operator=(Region&&) = default;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  char* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  // Bytes of a kind that the transport knows; at most kMaxKeyBytes.
  const std::string& key() const { return key_; }
  static constexpr size_t kMaxKeyBytes = 1024;

 private:
  char* data_ = nullptr;
  size_t bytes_ = 0;
  std::string key_;
  std::shared_ptr<void> held_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_REGION_H_
