// The calibration cache: a file of the user that keeps measured rendezvous thresholds for later starts.
//
//   dfrun UCX reading 1 5e0c21b7     the format's version, and the crc32c of the lines below in hexadecimal
//   UCX <tab> pair <tab> lanes <tab> CPU <tab> load <tab> settings <tab> bytes from which on values are read, or
//   "never"
#ifndef DFRUN_COMM_UCX_CALIBRATION_CACHE_H_
#define DFRUN_COMM_UCX_CALIBRATION_CACHE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/status.h"

namespace dfrun::comm {

// The conditions of a measurement, in words for the reader.
struct CalibrationKey {
  std::string version;   // version of UCX
  std::string pair;      // kind of the pair, "ranks of one host"
  std::string lanes;     // lanes between the two ranks
  std::string cpu;       // CPU model of both hosts
  std::string load;      // whether each rank of these hosts has a CPU
  std::string settings;  // hash of UCX's environment variables

  bool operator==(const CalibrationKey&) const = default;
};

struct CachedThreshold {
  CalibrationKey key;
  size_t from = 0;  // threshold in bytes; may be Capabilities::kNever

  bool operator==(const CachedThreshold&) const = default;
};

std::string PrintThresholds(const std::vector<CachedThreshold>& readings);
// Parses the file's text. FailedPrecondition if another program, or another version of this one, has written it.
// DataLoss if it is damaged.
Result<std::vector<CachedThreshold>> ParseThresholds(std::string_view text);
// Describes a threshold: "read from 65536 bytes on", "never read".
std::string DescribeRndvFrom(size_t from);

// Thread safety: none. Among processes, a reader sees the old content or the new; if two processes write at the same
// time, one of the two results may be lost.
class CalibrationCache {
 public:
  explicit CalibrationCache(std::string path) : path_(std::move(path)) {}
  // Returns this user's file; its path is empty if nothing is to be kept.
  static CalibrationCache OfUser();

  const std::string& path() const { return path_; }
  // Returns the entries in the file's order; none if the file is missing or empty. Errors are those of
  // ParseThresholds() and of the file system.
  Result<std::vector<CachedThreshold>> Read() const;
  // Adds entries, each in place of an earlier one with the same key, and drops the oldest if there are too many. Makes
  // the folder. Replaces a damaged file; FailedPrecondition for a file that another program has written.
  Status Keep(const std::vector<CachedThreshold>& readings) const;

 private:
  std::string path_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_CALIBRATION_CACHE_H_
