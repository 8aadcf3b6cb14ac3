// A Region is memory that a transport has registered with its network.
#ifndef DFRUN_COMM_REGION_H_
#define DFRUN_COMM_REGION_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace dfrun::comm {

// Unregisters the memory when it is destroyed, which may be after its transport: it keeps alive what that takes.
// Owns: the registration, and the memory if the transport allocated it. Movable.
// Thread safety: immutable.
class Region {
 public:
  Region() = default;
  // `key` lets a peer read the memory; it is empty if no peer can. The destructor of `held` unregisters the memory and
  // frees what the region owns.
  Region(void* data, size_t bytes, std::string key, std::shared_ptr<void> held)
      : data_(static_cast<char*>(data)), bytes_(bytes), key_(std::move(key)), held_(std::move(held)) {}
  Region(Region&&) = default;
  Region& operator=(Region&&) = default;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  char* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  // Returns the key. Its bytes have a meaning for the transport only; there are at most kMaxKeyBytes.
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
