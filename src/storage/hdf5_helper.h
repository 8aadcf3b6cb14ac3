// The child process that opens HDF5 files of others: the program itself, started again.
//
//   int main(int argc, char** argv) {
//     if (const std::optional<int> code = dfrun::RunAsHdf5Helper(argc, argv)) return *code;
//
// A program whose main() does not begin so opens such files itself, and a file that makes HDF5 crash ends it.
// Hdf5Helpers (hdf5_helpers.h) sends the requests.
#ifndef DFRUN_SRC_STORAGE_HDF5_HELPER_H_
#define DFRUN_SRC_STORAGE_HDF5_HELPER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dfrun {

// The argument that has the program be the helper.
inline constexpr std::string_view kHdf5HelperMode = "hdf5-helper";
// Address space of a helper: HDF5 needs a few times the size of a chunk, which is below 4 GiB and rarely more than a
// few MiB.
inline constexpr uint64_t kHdf5HelperMemory = uint64_t{4} << 30;
// Returns the bytes that can be unpacked. No filter of HDF5 makes more bytes of one than deflate does, so a damaged
// file's claim beyond that is cut, and its time with it.
constexpr uint64_t MostUnpacked(uint64_t claimed, uint64_t held) {
  constexpr uint64_t kMaxOfAByte = 1032;
  return held > UINT64_MAX / kMaxOfAByte ? claimed : std::min(claimed, held * kMaxOfAByte);
}
// The bound of a request, and of its answer without values.
inline constexpr uint32_t kMaxHdf5Message = 1 << 20;

// If this process was started as the helper: serves until the other end closes, and returns the exit code. Otherwise
// notes that this program can be started so, and returns nothing. Call before any thread starts.
std::optional<int> RunAsHdf5Helper(int argc, char** argv);

// Whether RunAsHdf5Helper() has been called.
bool HasHdf5Helper();

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_HDF5_HELPER_H_
