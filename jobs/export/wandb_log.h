// The file of a run of Weights & Biases: blocks of 32 KiB as LevelDB's log has them, with zlib's CRC-32 in place of
// CRC-32C and a beginning of 7 bytes, which counts to the first block.
// https://github.com/google/leveldb/blob/main/doc/log_format.md
#ifndef DFRUN_JOBS_EXPORT_WANDB_LOG_H_
#define DFRUN_JOBS_EXPORT_WANDB_LOG_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace dfrun::jobs {

// Thread safety: one thread.
class WandbLog {
 public:
  WandbLog();
  // Adds a record, in as many pieces as the blocks ask for.
  void Add(std::string_view record);
  // Returns the file; nothing is added afterwards.
  std::string Take() { return std::move(file_); }

 private:
  enum Type : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

  size_t LeftInBlock() const;
  void AddPiece(Type type, std::string_view data);

  std::string file_;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EXPORT_WANDB_LOG_H_
