// FarmHash's 64-bit fingerprint: the same number for the same bytes on every machine and in every version.
#ifndef DFRUN_KERNELS_STRINGS_FINGERPRINT_H_
#define DFRUN_KERNELS_STRINGS_FINGERPRINT_H_

#include <cstdint>
#include <string_view>

namespace dfrun {

uint64_t Fingerprint64(std::string_view bytes);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_FINGERPRINT_H_
