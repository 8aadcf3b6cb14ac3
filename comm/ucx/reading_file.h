// What was measured of large values between ranks, kept for later starts in a file of the user's:
//
//   dfrun UCX reading 1 5e0c21b7     the format's version, and the crc32c of the lines below in hexadecimal
//   UCX <tab> pair <tab> lanes <tab> CPU <tab> load <tab> settings <tab> bytes from which on values are read, or
//   "never"
#ifndef DFRUN_COMM_UCX_READING_FILE_H_
#define DFRUN_COMM_UCX_READING_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/status.h"

namespace dfrun::comm {

// What a measurement depends on, in words for the reader.
struct ReadingKey {
  std::string version;   // UCX's
  std::string pair;      // "ranks of one host"
  std::string lanes;     // between the two
  std::string cpu;       // the model, of both hosts
  std::string load;      // whether each rank of these hosts has a CPU
  std::string settings;  // tells one set of UCX's environment variables from another

  bool operator==(const ReadingKey&) const = default;
};

struct KeptReading {
  ReadingKey key;
  size_t from = 0;  // bytes; Capabilities::kNever

  bool operator==(const KeptReading&) const = default;
};

std::string PrintReadings(const std::vector<KeptReading>& readings);
// FailedPrecondition: another program, or another version of this one, has written it. DataLoss: it is damaged.
Result<std::vector<KeptReading>> ParseReadings(std::string_view text);
// "read from 65536 bytes on", "never read".
std::string DescribeReadingFrom(size_t from);

// Thread safety: none. Between processes: a reader sees the old content or the new; of two that keep something at the
// same time, one may lose it.
class ReadingFile {
 public:
  explicit ReadingFile(std::string path) : path_(std::move(path)) {}
  // That of this user; with an empty path where nothing is to be kept.
  static ReadingFile OfUser();

  const std::string& path() const { return path_; }
  // In the order kept; none where there is no file, or an empty one. Errors as ParseReadings(), or of the file system.
  Result<std::vector<KeptReading>> Read() const;
  // Adds readings, each in place of an earlier one of its key, and leaves out the oldest where there are many. Makes
  // the folder. Replaces a file that is damaged, but none that something else has written: FailedPrecondition.
  Status Keep(const std::vector<KeptReading>& readings) const;

 private:
  std::string path_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_READING_FILE_H_
