#include "kernels/device/cuda/library/library.h"

#include <dlfcn.h>

namespace dfrun::cuda {

Result<Library> Library::Open(const std::string& soname) {
  void* handle = dlopen(soname.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* const words = handle == nullptr ? dlerror() : nullptr;
  const std::string why = words == nullptr ? "" : words;
  if (handle == nullptr) handle = dlopen(("/usr/local/cuda/lib64/" + soname).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return NotFound("cannot open ", soname, ": ", why);
  return Library(soname, handle);
}

Status Library::Find(const char* name, void*& symbol) const {
  symbol = dlsym(handle_, name);
  return symbol != nullptr ? Status() : NotFound(soname_, " has no function ", name);
}

}  // namespace dfrun::cuda
