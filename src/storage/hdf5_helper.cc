#include "src/storage/hdf5_helper.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <new>
#include <string>
#include <string_view>

#include "src/storage/hdf5_helper.pb.h"
#include "src/storage/hdf5_structures.h"
#include "src/storage/hdf5_wire.h"

namespace dfrun {
namespace {

// Processor time of a request. Requests take milliseconds, unless the file is made to take for ever; time to unpack
// values is added.
constexpr rlim_t kSeconds = 5;
constexpr uint64_t kUnpackedASecond = uint64_t{16} << 20;
constexpr size_t kMaxText = 64 << 10;

std::atomic<bool> has_helper{false};  // set by main(), before any thread

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

// Allows processor time from now on: kSeconds, and the time to unpack so many bytes.
void AllowTimeFor(uint64_t unpacked_bytes) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const rlim_t unpacking = std::min(unpacked_bytes, kHdf5HelperMemory) / kUnpackedASecond;
  SetLimit(RLIMIT_CPU, static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 + kSeconds + unpacking);
}

void LimitSelf() {
  SetLimit(RLIMIT_CORE, 0);
#ifndef __SANITIZE_ADDRESS__  // the sanitizer's shadow takes terabytes of addresses
  SetLimit(RLIMIT_AS, kHdf5HelperMemory);
#endif
  for (const char* name : {"HDF5_EXT_PREFIX", "HDF5_VDS_PREFIX", "HDF5_EXTFILE_PREFIX"}) ::unsetenv(name);
}

// The size of the file, a bound of its strings and lists.
uint64_t BytesOfFile(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
}

// Answers requests, each within a time of its own.
class Server {
 public:
  int Serve() {
    std::string bytes;
    while (true) {
      uint32_t size = 0;
      if (!ReceiveAll(&size, sizeof size) || size > kMaxHdf5Message) return 0;
      bytes.resize(size);
      if (!ReceiveAll(bytes.data(), size)) return 0;
      hdf5::Request request;
      if (!request.ParseFromString(bytes)) return ExitCode(Code::kInternal);
      hdf5::Reply reply;
      Tensor values;
      const Status status = NameLackOfMemory(Answer(request, reply, values));
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
    AllowTimeFor(0);
    try {
      DF_TRY(Open(request.file()));
      switch (request.kind_case()) {
        case hdf5::Request::kOpen:
          return Status();
        case hdf5::Request::kList:
          return List(reply, values);
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
      return Error(Code::kResourceExhausted, "no memory to read ", path_);
    }
  }

  // Makes the error of a lack of memory ResourceExhausted, with the helper's limit: HDF5 reports it as a damaged file.
  Status NameLackOfMemory(const Status& status) const {
    constexpr std::string_view kTexts[] = {"memory allocation failed", "unable to allocate", "can't allocate"};
    const std::string& text = status.message();
    const auto is_in = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    const bool is_of_memory = status.code() == Code::kResourceExhausted ||
                              (!status.ok() && std::any_of(std::begin(kTexts), std::end(kTexts), is_in));
    if (!is_of_memory) return status;
    return Error(Code::kResourceExhausted, text, "; the process that looks at ", path_, " may have ",
                 kHdf5HelperMemory >> 30, " GiB");
  }

  Status Open(const hdf5::Request::File& file) {
    Hdf5Rules rules{.is_shard = file.is_shard(), .follows_all = file.follows_all(), .roots = {}};
    rules.roots.assign(file.roots().begin(), file.roots().end());
    path_ = file.path();
    DF_ASSIGN(structure_, structures_.Open(path_, rules));
    return Status();
  }

  Status List(hdf5::Reply& reply, Tensor& values) {
    DF_ASSIGN(const std::vector<std::string> names, structure_->List());
    reply.set_count(names.size());
    if (!names.empty()) values = Tensor::Vector<std::string>(names);
    return Status();
  }

  Status Inspect(const std::string& dataset, hdf5::Reply& reply) {
    // The values of lists are looked through for their number.
    if (dataset.ends_with(kListValues)) AllowTimeFor(BytesOfFile(path_));
    DF_ASSIGN(const DatasetInfo info, structure_->Inspect(dataset));
    ToProto(info, reply.mutable_info());
    return Status();
  }

  Status Read(const std::string& dataset, Tensor& values) {
    DF_ASSIGN(const DatasetInfo info, structure_->Inspect(dataset));
    DF_ASSIGN(values, Tensor::Allocate(SystemAllocator(), info.dtype, info.shape));
    AllowTimeFor(MostUnpacked(info.unpacked_bytes, structure_->BytesHeld(dataset)) + BytesOfFile(path_));
    return structure_->Read(dataset, values);
  }

  Status ReadRows(const hdf5::Request::Rows& request, Tensor& values) {
    DF_ASSIGN(const DatasetInfo info, structure_->Inspect(request.dataset()));
    Shape shape = info.shape;
    if (shape.rank() == 0 || request.begin() < 0 || request.rows() < 0 || request.rows() > shape[0] - request.begin()) {
      return InvalidArgument("dataset '", request.dataset(), "' has no such rows");
    }
    shape.set_dim(0, request.rows());
    DF_ASSIGN(values, Tensor::Allocate(SystemAllocator(), info.dtype, shape));
    const uint64_t claimed = IsPlain(info.dtype) ? values.num_bytes() : info.unpacked_bytes;
    AllowTimeFor(MostUnpacked(claimed, structure_->BytesHeld(request.dataset())) + BytesOfFile(path_));
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

  Hdf5Structures structures_;
  std::string path_;                    // path of the request's file
  Hdf5Structure* structure_ = nullptr;  // structure of the request's file
};

}  // namespace

std::optional<int> RunAsHdf5Helper(int argc, char** argv) {
  if (argc == 2 && argv[1] == kHdf5HelperMode) {
    LimitSelf();
    return Server().Serve();
  }
  has_helper = true;
  return {};
}

bool HasHdf5Helper() {
  return has_helper;
}

}  // namespace dfrun
