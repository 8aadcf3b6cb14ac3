#include "kernels/io/hdf5_source.h"

#include <cstring>

#include "src/base/file.h"
#include "src/base/hdf5.h"
#include "src/framework/tensor_hdf5.h"

namespace dfrun {
namespace {

// Datasets up to this size are read once and kept: gathering rows of a few hundred bytes from the file costs a system
// call each.
constexpr size_t kKeepBytes = size_t{256} << 20;

}  // namespace

struct Hdf5Source::File {
  h5::Handle hdf5;
  FileDescriptor bytes;
};

struct Hdf5Source::Dataset {
  std::string name;
  DatasetInfo info;
  size_t row_bytes = 0;
  Tensor kept;  // the whole dataset, where it is small
};

Hdf5Source::Hdf5Source(std::string path) : path_(std::move(path)) {}

Result<Hdf5Source*> Hdf5Source::Open(const std::string& path) {
  auto file = std::make_unique<File>();
  DF_ASSIGN(file->hdf5, h5::OpenFile(path));
  DF_ASSIGN(file->bytes, FileDescriptor::OpenForReading(path));
  auto* source = new Hdf5Source(path);
  source->file_ = std::move(file);
  source->thread_ = std::thread([source] { source->Loop(); });
  return source;
}

Hdf5Source::~Hdf5Source() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
  }
  work_.NotifyOne();
  thread_.join();
}

void Hdf5Source::Schedule(std::function<void()> task) {
  {
    MutexLock lock(mu_);
    tasks_.push_back(std::move(task));
  }
  work_.NotifyOne();
}

void Hdf5Source::Loop() {
  while (true) {
    std::function<void()> task;
    {
      MutexLock lock(mu_);
      while (tasks_.empty() && !stopping_) work_.Wait(mu_);
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

Result<const Hdf5Source::Dataset*> Hdf5Source::Find(const std::string& name, DType dtype) {
  if (auto it = datasets_.find(name); it != datasets_.end()) return it->second.get();
  auto dataset = std::make_unique<Dataset>();
  dataset->name = name;
  DF_ASSIGN(dataset->info, InspectDataset(file_->hdf5, path_, name));
  const Shape& shape = dataset->info.shape;
  if (dataset->info.dtype != dtype) {
    return InvalidArgument("dataset '", name, "' of ", path_, " is ", dataset->info.dtype, ", but ", dtype,
                           " was declared");
  }
  if (shape.rank() == 0 || shape.dim(0) == 0) {
    return InvalidArgument("dataset '", name, "' of ", path_, " has shape ", shape,
                           ": there are no samples along a first dimension");
  }
  dataset->row_bytes = static_cast<size_t>(shape.num_elements() / shape.dim(0)) * DTypeSize(dtype);
  const bool small = dataset->row_bytes * static_cast<size_t>(shape.dim(0)) <= kKeepBytes;
  if (small || !IsPlain(dtype)) {
    DF_ASSIGN(dataset->kept, ReadTensor(file_->hdf5, path_, name, SystemAllocator()));
  }
  return (datasets_[name] = std::move(dataset)).get();
}

int64_t Hdf5Source::NumSamples(const Dataset& dataset) {
  return dataset.info.shape.dim(0);
}

size_t Hdf5Source::SampleBytes(const Dataset& dataset) {
  return dataset.row_bytes;
}

bool Hdf5Source::IsInMemory(const Dataset& dataset) {
  return dataset.kept.initialized();
}

Result<Tensor> Hdf5Source::Gather(const Dataset& dataset, const std::vector<int64_t>& rows, Allocator& allocator) {
  Shape shape = dataset.info.shape;
  const int64_t row_elements = shape.num_elements() / shape.dim(0);
  shape.set_dim(0, static_cast<int64_t>(rows.size()));
  DF_ASSIGN(Tensor out, Tensor::Allocate(allocator, dataset.info.dtype, shape));
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t bytes = dataset.row_bytes;
    char* to = static_cast<char*>(out.raw()) + i * bytes;
    if (out.dtype() == DType::kString) {
      const std::string* from = dataset.kept.data<std::string>() + rows[i] * row_elements;
      std::copy_n(from, row_elements, out.data<std::string>() + static_cast<int64_t>(i) * row_elements);
    } else if (dataset.kept.initialized()) {
      std::memcpy(to, dataset.kept.data<char>() + static_cast<size_t>(rows[i]) * bytes, bytes);
    } else if (dataset.info.contiguous) {
      DF_TRY(file_->bytes.ReadAt(dataset.info.offset + static_cast<uint64_t>(rows[i]) * bytes, to, bytes));
    } else {
      Tensor row = out.SliceRows(static_cast<int64_t>(i), static_cast<int64_t>(i) + 1);
      DF_TRY(ReadRows(file_->hdf5, path_, dataset.name, rows[i], row));
    }
  }
  return out;
}

}  // namespace dfrun
