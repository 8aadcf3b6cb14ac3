#include "src/framework/hdf5_helper.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <new>
#include <string_view>
#include <utility>

#include "src/base/helper_process.h"
#include "src/framework/hdf5_helper.pb.h"

namespace dfrun {
namespace {

constexpr std::string_view kMode = "hdf5-helper";
// HDF5 needs a few times the size of a chunk, which has less than 4 GiB and rarely more than a few MiB.
constexpr rlim_t kMemory = rlim_t{4} << 30;
// Of the processor, for what takes milliseconds unless the file is made to take for ever; and what it takes to unpack
// values besides.
constexpr rlim_t kSeconds = 10;
constexpr uint64_t kUnpackedASecond = uint64_t{16} << 20;
// Of the clock: a file system may be slow.
constexpr std::chrono::seconds kPatience{60};
constexpr uint64_t kReadASecond = uint64_t{4} << 20;
constexpr uint32_t kMaxMessage = 1 << 20;
constexpr size_t kMaxText = 64 << 10;
constexpr size_t kMaxStringBytes = size_t{4} << 30;

std::atomic<bool> has_helper{false};  // set by main(), before any thread

uint64_t BytesOf(const Tensor& value) {
  return IsPlain(value.dtype()) ? value.num_bytes() : 0;
}

// ---- The child ----

bool SendAll(const void* data, size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::write(STDOUT_FILENO, from, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

bool ReceiveAll(void* data, size_t bytes) {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::read(STDIN_FILENO, to, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

void SetLimit(int resource, rlim_t limit) {
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) return;
  now.rlim_cur = std::min(limit, now.rlim_max);
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

// From now on, the processor may be used for so long.
void AllowSeconds(rlim_t seconds) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  SetLimit(RLIMIT_CPU, static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 + seconds);
}

void LimitSelf() {
  SetLimit(RLIMIT_CORE, 0);
#ifndef __SANITIZE_ADDRESS__  // whose shadow takes terabytes of addresses
  SetLimit(RLIMIT_AS, kMemory);
#endif
  for (const char* name : {"HDF5_EXT_PREFIX", "HDF5_VDS_PREFIX", "HDF5_EXTFILE_PREFIX"}) ::unsetenv(name);
}

// Answers requests about one file.
class Server {
 public:
  int Serve() {
    std::string bytes;
    while (true) {
      uint32_t size = 0;
      if (!ReceiveAll(&size, sizeof size) || size > kMaxMessage) return 0;
      bytes.resize(size);
      if (!ReceiveAll(bytes.data(), size)) return 0;
      hdf5::Request request;
      if (!request.ParseFromString(bytes)) return ExitCode(Code::kInternal);
      hdf5::Reply reply;
      Tensor values;
      const Status status = Answer(request, reply, values);
      if (!status.ok()) {
        reply.Clear();
        values = Tensor();
        reply.set_code(static_cast<int32_t>(status.code()));
        reply.set_message(status.message().substr(0, kMaxText));
      }
      if (!Send(reply, values)) return 0;
    }
  }

 private:
  Status Answer(const hdf5::Request& request, hdf5::Reply& reply, Tensor& values) {
    AllowSeconds(kSeconds);
    try {
      switch (request.kind_case()) {
        case hdf5::Request::kOpen:
          return Open(request.open());
        case hdf5::Request::kInspect:
          return Inspect(request.inspect(), reply);
        case hdf5::Request::kRead:
          return Read(request.read(), values);
        case hdf5::Request::kReadRows:
          return ReadRows(request.read_rows(), values);
        default:
          return Internal("a helper process got a request that it does not know");
      }
    } catch (const std::bad_alloc&) {
      return Error(Code::kResourceExhausted, path_, " takes more memory than it may to be read (", kMemory, " bytes)");
    }
  }

  Status Open(const hdf5::Request::Open& request) {
    Hdf5Rules rules{.is_shard = request.is_shard(), .follows_all = request.follows_all(), .roots = {}};
    rules.roots.assign(request.roots().begin(), request.roots().end());
    path_ = request.path();
    DF_ASSIGN(const Hdf5Library* const library, LoadHdf5());
    DF_ASSIGN(structure_, library->Open(path_, rules));
    return Status();
  }

  Result<DatasetInfo> InfoOf(const std::string& dataset) {
    if (structure_ == nullptr) return Internal("a helper process has no file open");
    auto it = infos_.find(dataset);
    if (it != infos_.end()) return it->second;
    DF_ASSIGN(const DatasetInfo info, structure_->Inspect(dataset));
    return infos_[dataset] = info;
  }

  Status Inspect(const std::string& dataset, hdf5::Reply& reply) {
    DF_ASSIGN(const DatasetInfo info, InfoOf(dataset));
    hdf5::Reply::Info& out = *reply.mutable_info();
    out.set_dtype(DTypeEnumName(info.dtype));
    for (const int64_t size : info.shape.dims()) out.add_shape(size);
    out.set_contiguous(info.contiguous);
    out.set_offset(info.offset);
    out.set_chunk_rows(info.chunk_rows);
    out.set_holds_lists(info.holds_lists);
    return Status();
  }

  Status Read(const std::string& dataset, Tensor& values) {
    DF_ASSIGN(const DatasetInfo info, InfoOf(dataset));
    DF_ASSIGN(values, Tensor::Allocate(SystemAllocator(), info.dtype, info.shape));
    AllowSeconds(kSeconds + kMemory / kUnpackedASecond);
    return structure_->Read(dataset, values);
  }

  Status ReadRows(const hdf5::Request::Rows& request, Tensor& values) {
    DF_ASSIGN(const DatasetInfo info, InfoOf(request.dataset()));
    Shape shape = info.shape;
    if (shape.rank() == 0 || request.begin() < 0 || request.rows() < 0 || request.rows() > shape[0] - request.begin()) {
      return InvalidArgument("dataset '", request.dataset(), "' has no such rows");
    }
    shape.set_dim(0, request.rows());
    DF_ASSIGN(values, Tensor::Allocate(SystemAllocator(), info.dtype, shape));
    AllowSeconds(kSeconds + BytesOf(values) / kUnpackedASecond);
    return structure_->ReadRows(request.dataset(), request.begin(), values);
  }

  static bool Send(hdf5::Reply& reply, const Tensor& values) {
    std::string strings;
    if (values.initialized() && !IsPlain(values.dtype())) {
      for (const std::string& s : values.values<std::string>()) {
        const uint64_t size = s.size();
        strings.append(reinterpret_cast<const char*>(&size), sizeof size);
        strings += s;
      }
    }
    const size_t bytes = !values.initialized() ? 0 : IsPlain(values.dtype()) ? values.num_bytes() : strings.size();
    reply.set_bytes(bytes);
    const std::string header = reply.SerializeAsString();
    const auto size = static_cast<uint32_t>(header.size());
    if (!SendAll(&size, sizeof size) || !SendAll(header.data(), header.size())) return false;
    return bytes == 0 || SendAll(strings.empty() ? values.raw() : strings.data(), bytes);
  }

  std::string path_;
  std::unique_ptr<Hdf5Structure> structure_;
  std::map<std::string, DatasetInfo> infos_;
};

// ---- Who asks ----

Result<DatasetInfo> InfoFrom(const hdf5::Reply::Info& reply) {
  DatasetInfo info;
  info.dtype = ParseDType(reply.dtype()).value_or(DType::kInvalid);
  if (info.dtype == DType::kInvalid || (!IsPlain(info.dtype) && info.dtype != DType::kString)) {
    return Error(Code::kDataLoss, "it has an unknown dtype");
  }
  const std::vector<int64_t> dims(reply.shape().begin(), reply.shape().end());
  DF_ASSIGN(info.shape, Shape::Create(dims));
  info.contiguous = reply.contiguous();
  info.offset = reply.offset();
  info.chunk_rows = reply.chunk_rows();
  info.holds_lists = reply.holds_lists();
  return info;
}

class StructureInHelper final : public Hdf5Structure {
 public:
  StructureInHelper(std::unique_ptr<HelperProcess> helper, std::string path)
      : helper_(std::move(helper)), path_(std::move(path)) {}

  Status Open(const Hdf5Rules& rules) {
    hdf5::Request request;
    request.mutable_open()->set_path(path_);  // the child has this process's working directory
    request.mutable_open()->set_is_shard(rules.is_shard);
    request.mutable_open()->set_follows_all(rules.follows_all);
    for (const std::string& root : rules.roots) request.mutable_open()->add_roots(root);
    return Ask(request, kPatience).status();
  }

  Result<DatasetInfo> Inspect(const std::string& dataset) override {
    hdf5::Request request;
    request.set_inspect(dataset);
    DF_ASSIGN(const hdf5::Reply reply, Ask(request, kPatience));
    Result<DatasetInfo> info = InfoFrom(reply.info());
    if (!info.ok()) return info.status().Annotate(StrCat("dataset '", dataset, "' of ", path_));
    return info;
  }

  Status Read(const std::string& dataset, Tensor& to) override {
    hdf5::Request request;
    request.set_read(dataset);
    const std::chrono::seconds patience = kPatience + std::chrono::seconds(kMemory / kReadASecond);
    DF_ASSIGN(const hdf5::Reply reply, Ask(request, patience));
    return IsPlain(to.dtype()) ? TakeElements(reply, to) : TakeStrings(reply, to);
  }

  Status ReadRows(const std::string& dataset, int64_t begin, Tensor& to) override {
    hdf5::Request request;
    request.mutable_read_rows()->set_dataset(dataset);
    request.mutable_read_rows()->set_begin(begin);
    request.mutable_read_rows()->set_rows(to.shape()[0]);
    DF_ASSIGN(const hdf5::Reply reply, Ask(request, kPatience + std::chrono::seconds(BytesOf(to) / kReadASecond)));
    return TakeElements(reply, to);
  }

 private:
  Status Annotate(const Status& status) const { return status.Annotate("reading " + path_); }

  Result<hdf5::Reply> Ask(const hdf5::Request& request, std::chrono::seconds patience) {
    std::string bytes = request.SerializeAsString();
    auto size = static_cast<uint32_t>(bytes.size());
    Status status = helper_->Write(&size, sizeof size);
    if (status.ok()) status = helper_->Write(bytes.data(), bytes.size());
    if (status.ok()) status = helper_->Read(&size, sizeof size, patience);
    if (!status.ok()) return Annotate(status);
    if (size > kMaxMessage) return Strange();
    bytes.resize(size);
    DF_TRY(Annotate(helper_->Read(bytes.data(), bytes.size(), kPatience)));
    hdf5::Reply reply;
    if (!reply.ParseFromString(bytes)) return Strange();
    if (reply.code() == 0) return reply;
    const bool is_code = reply.code() > 0 && reply.code() <= static_cast<int32_t>(Code::kBadSpec);
    return Error(is_code ? static_cast<Code>(reply.code()) : Code::kDataLoss, reply.message());
  }

  Status Strange() const { return Error(Code::kDataLoss, "reading ", path_, ": what the helper said is no answer"); }

  Status TakeElements(const hdf5::Reply& reply, Tensor& to) {
    if (reply.bytes() != to.num_bytes()) return Strange();
    return Annotate(helper_->Read(to.raw(), to.num_bytes(), kPatience));
  }

  Status TakeStrings(const hdf5::Reply& reply, Tensor& to) {
    uint64_t left = reply.bytes();
    if (left > kMaxStringBytes) return Strange();
    std::string* const strings = to.data<std::string>();
    for (int64_t i = 0; i < to.num_elements(); ++i) {
      uint64_t size = 0;
      if (left < sizeof size) return Strange();
      DF_TRY(Annotate(helper_->Read(&size, sizeof size, kPatience)));
      left -= sizeof size;
      if (size > left) return Strange();
      strings[i].resize(size);
      DF_TRY(Annotate(helper_->Read(strings[i].data(), size, kPatience)));
      left -= size;
    }
    return left == 0 ? Status() : Strange();
  }

  const std::unique_ptr<HelperProcess> helper_;
  const std::string path_;
};

}  // namespace

std::optional<int> RunAsHdf5Helper(int argc, char** argv) {
  if (argc == 2 && argv[1] == kMode) {
    LimitSelf();
    return Server().Serve();
  }
  has_helper = true;
  return {};
}

bool HasHdf5Helper() {
  return has_helper;
}

Result<std::unique_ptr<Hdf5Structure>> OpenStructureInHelper(const std::string& path, const Hdf5Rules& rules) {
  DF_ASSIGN(std::unique_ptr<HelperProcess> helper, HelperProcess::Start({std::string(kMode)}));
  auto structure = std::make_unique<StructureInHelper>(std::move(helper), path);
  DF_TRY(structure->Open(rules));
  return std::unique_ptr<Hdf5Structure>(std::move(structure));
}

}  // namespace dfrun
