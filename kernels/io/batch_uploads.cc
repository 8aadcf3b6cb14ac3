#include "kernels/io/batch_uploads.h"

#include <atomic>
#include <limits>
#include <utility>
#include <vector>

namespace dfrun {

struct BatchUploads::Upload {
  Upload(BatchUploads& of, int64_t at) : uploads(of), position(at) {}

  BatchUploads& uploads;
  const int64_t position;
  // The state of the copies.
  std::shared_ptr<Upload> self;  // kept until the last is done
  Batch from;
  Batch to;
  std::atomic<int> left{0};
  std::atomic<bool> has_failed{false};
  Status failure;  // error of the first copy that failed; read when none is left
  // Guarded by the mutex of `uploads`.
  std::optional<Result<Batch>> batch;
  Done waiting;  // null: nobody has asked
};

BatchUploads::~BatchUploads() {
  MutexLock lock(mu_);
  is_closing_ = true;
  while (under_way_ > 0) ended_.Wait(mu_);
}

void BatchUploads::Request(int64_t position, const Done& done) {
  std::shared_ptr<Upload> upload;
  std::shared_ptr<Upload> next;
  bool is_new = false;
  std::optional<Result<Batch>> ready;
  {
    MutexLock lock(mu_);
    upload = TakeOrMake(position, is_new);
    next = MakeNext(position);
    if (upload->batch) {
      ready = std::move(upload->batch);
    } else {
      upload->waiting = done;
    }
  }
  if (is_new) Read(upload);
  if (next) reader_->set().Schedule([this, next] { Read(next); });
  if (ready) done(*std::move(ready));
}

std::shared_ptr<BatchUploads::Upload> BatchUploads::TakeOrMake(int64_t position, bool& is_new) {
  std::shared_ptr<Upload> upload = std::move(ahead_);
  ahead_ = nullptr;
  is_new = upload == nullptr || upload->position != position;
  if (!is_new) return upload;
  ++under_way_;
  return std::make_shared<Upload>(*this, position);
}

std::shared_ptr<BatchUploads::Upload> BatchUploads::MakeNext(int64_t position) {
  const int64_t batch = reader_->batch();
  if (batch < 0 || position < 0 || position > std::numeric_limits<int64_t>::max() / 2) return nullptr;
  ++under_way_;
  ahead_ = std::make_shared<Upload>(*this, position + batch);
  return ahead_;
}

void BatchUploads::Read(const std::shared_ptr<Upload>& upload) {
  reader_->reader().Request(upload->position, [this, upload](Result<Batch> batch) {
    if (batch.ok()) {
      Copy(upload, *std::move(batch));
    } else {
      End(*upload, batch.status());
    }
  });
}

void BatchUploads::Copy(const std::shared_ptr<Upload>& upload, Batch batch) {
  upload->from = std::move(batch);
  bool is_closing = false;
  {
    MutexLock lock(mu_);
    is_closing = is_closing_;
  }
  if (is_closing) return End(*upload, FailedPrecondition("the device is given up"));
  if (Status status = Allocate(*upload); !status.ok()) return End(*upload, status);
  upload->self = upload;
  upload->left = static_cast<int>(upload->from.size()) + 1;
  for (size_t i = 0; i < upload->from.size(); ++i) {
    if (IsPlain(upload->from[i].dtype())) {
      device_.Copy(upload->from[i], upload->to[i], {&BatchUploads::Copied, upload.get()});
    } else {
      Copied(upload.get(), Status());
    }
  }
  Copied(upload.get(), Status());
}

Status BatchUploads::Allocate(Upload& upload) const {
  for (const Tensor& from : upload.from) {
    if (IsPlain(from.dtype())) {
      DF_ASSIGN(Tensor to, Tensor::Allocate(memory_, from.dtype(), from.shape()));
      upload.to.push_back(std::move(to));
    } else {
      upload.to.push_back(from);
    }
  }
  return Status();
}

void BatchUploads::Copied(void* arg, Status status) {
  auto* const upload = static_cast<Upload*>(arg);
  if (!status.ok() && !upload->has_failed.exchange(true)) upload->failure = std::move(status);
  if (upload->left.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  const std::shared_ptr<Upload> kept = std::move(upload->self);
  upload->uploads.End(*upload, upload->failure);
}

void BatchUploads::End(Upload& upload, const Status& status) {
  Result<Batch> batch = status.ok() ? Result<Batch>(std::move(upload.to)) : Result<Batch>(status);
  upload.from.clear();
  upload.to.clear();
  Done waiting;
  {
    MutexLock lock(mu_);
    --under_way_;
    ended_.NotifyAll();
    waiting = std::move(upload.waiting);
    if (waiting == nullptr) {
      upload.batch = std::move(batch);
      return;
    }
  }
  waiting(std::move(batch));
}

}  // namespace dfrun
