// A library that is opened when it is first wanted, so that the program starts and runs where it is absent.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_LIBRARY_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_LIBRARY_H_

#include <cstdint>
#include <string>

#include "src/base/status.h"

namespace dfrun::cuda {

// The alignment that libraries are promised for tensors' addresses. Parts of other tensors may have a smaller one, and
// libraries are not called on them.
inline constexpr uint32_t kLibraryAlignment = 16;
inline bool IsForLibraries(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % kLibraryAlignment == 0;
}

// A library that stays open as long as the process lives.
// Thread safety: const methods from any thread.
class Library {
 public:
  // Opens a library by its soname, where the loader looks and in the toolkit's usual folder. NotFound with the loader's
  // words.
  static Result<Library> Open(const std::string& soname);

  // Sets a pointer to the function of that name; NotFound where the library has none.
  template <class F>
  Status Get(const char* name, F*& function) const {
    void* symbol = nullptr;
    DF_TRY(Find(name, symbol));
    function = reinterpret_cast<F*>(symbol);
    return Status();
  }

 private:
  Library(std::string soname, void* handle) : soname_(std::move(soname)), handle_(handle) {}
  Status Find(const char* name, void*& symbol) const;

  std::string soname_;
  void* handle_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_LIBRARY_H_
