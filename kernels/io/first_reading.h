// FirstReading: checks that samples are read again as they were read first. A job that goes over its data many times
// must not find others half way: nothing else would tell.
#ifndef DFRUN_KERNELS_IO_FIRST_READING_H_
#define DFRUN_KERNELS_IO_FIRST_READING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace dfrun {

// The crc32c of each sample's bytes at their first reading: 4 bytes a sample, in pages that the first of their samples
// makes. Of the first kMax samples; others are always as they were.
// Thread safety: all methods from any thread; no lock.
class FirstReading {
 public:
  static constexpr int64_t kMax = int64_t{1} << 26;

  explicit FirstReading(int64_t samples);
  ~FirstReading();
  FirstReading(const FirstReading&) = delete;
  FirstReading& operator=(const FirstReading&) = delete;

  // False where the sample was read before and had other bytes.
  bool IsSame(int64_t sample, const void* data, size_t bytes);

 private:
  static constexpr int64_t kPage = int64_t{1} << 16;
  using Page = std::atomic<uint32_t>[kPage];

  std::atomic<uint32_t>& At(int64_t sample);

  const int64_t samples_;
  std::vector<std::atomic<Page*>> pages_;
};

// The error text for a sample whose bytes have changed.
inline constexpr const char* kReadOtherwise =
    "it is not what this job read there before: data must stay as they are while a job reads them; go on from the last "
    "checkpoint with --resume, or begin anew";

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_FIRST_READING_H_
