// Batches of a reader in the memory of a device that has its own, copied there a step ahead.
#ifndef DFRUN_KERNELS_IO_BATCH_UPLOADS_H_
#define DFRUN_KERNELS_IO_BATCH_UPLOADS_H_

#include <memory>
#include <optional>
#include <string>

#include "kernels/io/node_reader.h"
#include "src/base/mutex.h"
#include "src/framework/device/device.h"

namespace dfrun {

// Reads and copies the next step's batch, which is known by its position, while a step computes with its own. So one
// batch more than the step's lies in the device's memory.
// Thread safety: all methods from any thread.
class BatchUploads final : public Resource {
 public:
  using Batch = BatchReader::Batch;
  using Done = BatchReader::Done;

  // Copies to `memory`, which is the device's. The device outlives the object.
  BatchUploads(RefPtr<NodeReader> reader, Device& device, Allocator& memory)
      : reader_(std::move(reader)), device_(device), memory_(memory) {}

  // Runs done(batch) with the batch at `position`, whose tensors of plain numbers are in the device's memory: at once
  // if it has been copied ahead. Then copies the next.
  void Request(int64_t position, const Done& done) EXCLUDES(mu_);
  std::string DebugString() const override { return reader_->DebugString() + " on " + device_.full_name(); }

 private:
  struct Upload;

  // Blocks: until the copies under way are done.
  ~BatchUploads() override EXCLUDES(mu_);
  std::shared_ptr<Upload> TakeOrMake(int64_t position, bool& is_new) REQUIRES(mu_);
  // The one after `position`, for a later Request(); null: there is none.
  std::shared_ptr<Upload> MakeNext(int64_t position) REQUIRES(mu_);
  void Read(const std::shared_ptr<Upload>& upload);
  void Copy(const std::shared_ptr<Upload>& upload, Batch batch) EXCLUDES(mu_);
  Status Allocate(Upload& upload) const;
  static void Copied(void* arg, Status status);
  // The object may be gone when this returns.
  void End(Upload& upload, const Status& status) EXCLUDES(mu_);

  const RefPtr<NodeReader> reader_;
  Device& device_;
  Allocator& memory_;
  Mutex mu_;
  CondVar ended_;
  int under_way_ GUARDED_BY(mu_) = 0;
  bool is_closing_ GUARDED_BY(mu_) = false;
  std::shared_ptr<Upload> ahead_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_BATCH_UPLOADS_H_
