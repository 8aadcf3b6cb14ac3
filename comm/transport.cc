#include "comm/transport.h"

#include <cstdlib>
#include <memory>
#include <utility>

#include "src/base/integers.h"

namespace dfrun::comm {
namespace {

constexpr size_t kPageBytes = 4096;

// Owns: memory and its registration. The registration ends first.
struct OwnedRegion {
  std::unique_ptr<void, decltype(&std::free)> memory;
  Region registration;
};

}  // namespace

Result<Region> Transport::Register(void* data, size_t bytes) {
  return Region(data, bytes, "", nullptr);
}

Result<Region> Transport::NewRegion(size_t bytes) {
  std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(kPageBytes, RoundUp(bytes, kPageBytes)),
                                                     &std::free);
  if (memory == nullptr) {
    return Error(Code::kResourceExhausted, "no memory for ", bytes, " bytes to register with ", name());
  }
  void* const data = memory.get();
  DF_ASSIGN(Region registration, Register(data, bytes));
  std::string key = registration.key();
  auto owned = std::make_shared<OwnedRegion>(OwnedRegion{std::move(memory), std::move(registration)});
  return Region(data, bytes, std::move(key), std::move(owned));
}

void Transport::Get(int peer, std::string_view, size_t, void*, size_t bytes, Callback done) {
  done(Unimplemented("read ", bytes, " bytes of rank ", peer, ": ", name(), " has no remote read"));
}

}  // namespace dfrun::comm
