#include "src/storage/hdf5_helpers.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "src/base/log.h"
#include "src/storage/hdf5_helper.h"
#include "src/storage/hdf5_helper.pb.h"
#include "src/storage/hdf5_wire.h"

namespace dfrun {
namespace {

// Wall-clock time for an answer: a file system may be slow.
constexpr std::chrono::seconds kPatience{60};
constexpr uint64_t kReadASecond = uint64_t{4} << 20;
constexpr size_t kMaxStringBytes = size_t{4} << 30;
constexpr size_t kMaxNames = size_t{1} << 20;

std::chrono::seconds PatienceFor(uint64_t bytes) {
  return kPatience + std::chrono::seconds(std::min(bytes, kHdf5HelperMemory) / kReadASecond);
}

hdf5::Request RequestOf(const Hdf5Path& file) {
  hdf5::Request request;
  hdf5::Request::File& out = *request.mutable_file();
  out.set_path(file.path);
  out.set_is_shard(file.rules.is_shard);
  out.set_follows_all(file.rules.follows_all);
  for (const std::string& root : file.rules.roots) out.add_roots(root);
  return request;
}

std::string Reading(const Hdf5Path& file, const std::string& dataset) {
  return StrCat("reading dataset '", dataset, "' of ", file.path);
}

}  // namespace

// One request and its answer. A conversation that fails otherwise than by an answer leaves no child to go on with.
class Hdf5Helpers::Conversation {
 public:
  Conversation(HelperProcess& child, std::string what) : child_(child), what_(std::move(what)) {}

  Result<hdf5::Reply> Ask(const hdf5::Request& request, std::chrono::seconds patience) {
    std::string bytes = request.SerializeAsString();
    auto size = static_cast<uint32_t>(bytes.size());
    Status status = child_.Write(&size, sizeof size);
    if (status.ok()) status = child_.Write(bytes.data(), bytes.size());
    const auto word = [&](bool is_stopped) { SaySlow(is_stopped, patience); };
    if (status.ok()) status = child_.Read(&size, sizeof size, patience, word);
    if (!status.ok()) return status.Annotate(what_);
    if (size > kMaxHdf5Message) return Strange();
    bytes.resize(size);
    DF_TRY(Receive(bytes.data(), bytes.size()));
    hdf5::Reply reply;
    if (!reply.ParseFromString(bytes)) return Strange();
    is_answered_ = reply.code() != 0 || reply.bytes() == 0;
    if (reply.code() == 0) return reply;
    const bool is_code = reply.code() > 0 && reply.code() <= static_cast<int32_t>(Code::kBadSpec);
    return Error(is_code ? static_cast<Code>(reply.code()) : Code::kDataLoss, reply.message());
  }

  Status TakeValues(const hdf5::Reply& reply, Tensor& to) {
    DF_TRY(IsPlain(to.dtype()) ? TakeElements(reply, to) : TakeStrings(reply, to));
    is_answered_ = true;
    return Status();
  }

  Status TakeNames(const hdf5::Reply& reply, std::vector<std::string>& names) {
    if (reply.count() == 0) return Status();
    // Each name comes after its size.
    if (reply.count() > kMaxNames || reply.count() > reply.bytes() / sizeof(uint64_t)) return Strange();
    Tensor texts(DType::kString, Shape({static_cast<int64_t>(reply.count())}));
    DF_TRY(TakeValues(reply, texts));
    names.assign(texts.data<std::string>(), texts.data<std::string>() + texts.num_elements());
    return Status();
  }

  // Whether all that the child has sent has been read.
  bool is_answered() const { return is_answered_; }

 private:
  void SaySlow(bool is_stopped, std::chrono::seconds patience) const {
    const std::string so_far = StrCat(what_, " has taken ", HelperProcess::kWordAfter.count(), " s so far");
    if (is_stopped) {
      DF_LOG(kWarning) << so_far << ": process " << child_.pid()
                       << ", which does it, was stopped by a signal; kill -CONT " << child_.pid() << " lets it go on";
    } else {
      DF_LOG(kInfo) << so_far << ", and is given up " << patience.count() << " s after its begin";
    }
  }
  Status Strange() const { return Error(Code::kDataLoss, what_, ": what the helper said is no answer"); }
  Status Receive(void* to, size_t bytes) { return child_.Read(to, bytes, kPatience).Annotate(what_); }

  Status TakeElements(const hdf5::Reply& reply, Tensor& to) {
    if (reply.bytes() != to.num_bytes()) return Strange();
    return Receive(to.raw(), to.num_bytes());
  }

  Status TakeStrings(const hdf5::Reply& reply, Tensor& to) {
    uint64_t left = reply.bytes();
    if (left > kMaxStringBytes) return Strange();
    std::string* const strings = to.data<std::string>();
    for (int64_t i = 0; i < to.num_elements(); ++i) {
      uint64_t size = 0;
      if (left < sizeof size) return Strange();
      DF_TRY(Receive(&size, sizeof size));
      left -= sizeof size;
      if (size > left) return Strange();
      strings[i].resize(size);
      DF_TRY(Receive(strings[i].data(), size));
      left -= size;
    }
    return left == 0 ? Status() : Strange();
  }

  HelperProcess& child_;
  const std::string what_;
  bool is_answered_ = false;
};

Hdf5Helpers::Hdf5Helpers() = default;
Hdf5Helpers::~Hdf5Helpers() = default;

Result<Hdf5Helpers::Child> Hdf5Helpers::Take() {
  {
    MutexLock lock(mu_);
    if (!idle_.empty()) {
      Child child = std::move(idle_.back());
      idle_.pop_back();
      return child;
    }
  }
  return HelperProcess::Start({std::string(kHdf5HelperMode)});
}

void Hdf5Helpers::Keep(Child child) {
  MutexLock lock(mu_);
  idle_.push_back(std::move(child));
}

void Hdf5Helpers::EndIdle() {
  std::vector<Child> idle;
  MutexLock lock(mu_);
  std::swap(idle, idle_);
}

Status Hdf5Helpers::AskChild(const std::string& what, const std::function<Status(Conversation& child)>& use) {
  DF_ASSIGN(Child child, Take());
  Conversation conversation(*child, what);
  const Status status = use(conversation);
  if (conversation.is_answered()) Keep(std::move(child));
  return status;
}

Status Hdf5Helpers::AskHere(const Hdf5Path& file, const std::function<Status(Hdf5Structure& structure)>& use) {
  MutexLock lock(mu_);
  DF_ASSIGN(Hdf5Structure* const structure, here_.Open(file.path, file.rules));
  return use(*structure);
}

Status Hdf5Helpers::Open(const Hdf5Path& file) {
  if (!HasHdf5Helper()) return AskHere(file, [](Hdf5Structure&) { return Status(); });
  return AskChild("opening " + file.path, [&](Conversation& child) {
    hdf5::Request request = RequestOf(file);
    request.set_open(true);
    return child.Ask(request, kPatience).status();
  });
}

Result<std::vector<std::string>> Hdf5Helpers::List(const Hdf5Path& file) {
  std::vector<std::string> names;
  const auto list_here = [&](Hdf5Structure& structure) -> Status {
    DF_ASSIGN(names, structure.List());
    return Status();
  };
  const auto ask = [&](Conversation& child) -> Status {
    hdf5::Request request = RequestOf(file);
    request.set_list(true);
    DF_ASSIGN(const hdf5::Reply reply, child.Ask(request, kPatience));
    return child.TakeNames(reply, names);
  };
  DF_TRY(HasHdf5Helper() ? AskChild("listing the datasets of " + file.path, ask) : AskHere(file, list_here));
  return names;
}

Result<DatasetInfo> Hdf5Helpers::Inspect(const Hdf5Path& file, const std::string& dataset) {
  DatasetInfo info;
  const auto inspect_here = [&](Hdf5Structure& structure) -> Status {
    DF_ASSIGN(info, structure.Inspect(dataset));
    return Status();
  };
  const auto ask = [&](Conversation& child) -> Status {
    hdf5::Request request = RequestOf(file);
    request.set_inspect(dataset);
    DF_ASSIGN(const hdf5::Reply reply, child.Ask(request, kPatience));
    Result<DatasetInfo> said = FromProto(reply.info());
    if (!said.ok()) return said.status().Annotate(StrCat("dataset '", dataset, "' of ", file.path));
    info = *std::move(said);
    return Status();
  };
  DF_TRY(HasHdf5Helper() ? AskChild(Reading(file, dataset), ask) : AskHere(file, inspect_here));
  return info;
}

Status Hdf5Helpers::Read(const Hdf5Path& file, const std::string& dataset, uint64_t bytes, Tensor& to) {
  if (!HasHdf5Helper()) {
    return AskHere(file, [&](Hdf5Structure& structure) { return structure.Read(dataset, to); });
  }
  return AskChild(Reading(file, dataset), [&](Conversation& child) -> Status {
    hdf5::Request request = RequestOf(file);
    request.set_read(dataset);
    DF_ASSIGN(const hdf5::Reply reply, child.Ask(request, PatienceFor(bytes)));
    return child.TakeValues(reply, to);
  });
}

Status Hdf5Helpers::ReadRows(const Hdf5Path& file, const std::string& dataset, int64_t begin, Tensor& to) {
  if (!HasHdf5Helper()) {
    return AskHere(file, [&](Hdf5Structure& structure) { return structure.ReadRows(dataset, begin, to); });
  }
  return AskChild(Reading(file, dataset), [&](Conversation& child) -> Status {
    hdf5::Request request = RequestOf(file);
    request.mutable_read_rows()->set_dataset(dataset);
    request.mutable_read_rows()->set_begin(begin);
    request.mutable_read_rows()->set_rows(to.shape()[0]);
    DF_ASSIGN(const hdf5::Reply reply, child.Ask(request, PatienceFor(to.num_bytes())));
    return child.TakeValues(reply, to);
  });
}

}  // namespace dfrun
