#include "comm/ucx/part/ucx_context.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "comm/ucx/part/ucx_key.h"
#include "comm/ucx/part/ucx_settings.h"
#include "comm/ucx/part/ucx_status.h"
#include "src/base/integers.h"
#include "src/framework/values/allocator.h"

namespace dfrun::comm {
namespace {

constexpr size_t kPageBytes = 4096;

using Config = std::unique_ptr<ucp_config_t, decltype(&ucp_config_release)>;

// Sets an option of UCX, unless the environment sets it.
void Set(ucp_config_t* config, const char* key, const char* value) {
  if (std::getenv(("UCX_" + std::string(key)).c_str()) != nullptr) return;
  // UCX answers OK whether it knows the key or not. The lanes of an endpoint show whether the option had an effect.
  ucp_config_modify(config, key, value);
}

// Returns whether UCX may use memory that processes of a host share. UCX warns of options for networks that it may not
// use.
bool MayShareMemory() {
  const char* const named = std::getenv("UCX_TLS");
  if (named == nullptr) return true;
  const std::string allowed = named;
  if (allowed.find('^') != std::string::npos) return true;
  for (const char* const one : {"all", "sm", "shm", "mm", "sysv", "posix", "xpmem"}) {
    if (("," + allowed + ",").find("," + std::string(one) + ",") != std::string::npos) return true;
  }
  return false;
}

Result<Config> ReadConfig(const UcxNetworks& networks) {
  ucp_config_t* read = nullptr;
  DF_TRY(UcxStatus(ucp_config_read(nullptr, nullptr, &read), "read its settings from the environment"));
  Config config(read, &ucp_config_release);
  // Without this option, an endpoint that reports a lost peer uses TCP instead of shared memory.
  if (MayShareMemory()) Set(read, "MM_ERROR_HANDLING", "y");
  Set(read, "KEEPALIVE_INTERVAL", "1s");
  if (!networks.transports.empty()) Set(read, "TLS", networks.transports.c_str());
  if (!networks.devices.empty()) Set(read, "NET_DEVICES", networks.devices.c_str());
  return config;
}

}  // namespace

// A registration of memory. Its destructor frees the memory if UCX allocated it.
class UcxContext::Mapping {
 public:
  Mapping(std::shared_ptr<UcxContext> context, ucp_mem_h handle) : context_(std::move(context)), handle_(handle) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (is_made_) {
      MutexLock lock(context_->mu_);
      context_->made_.erase(data_);
    }
    ucp_mem_unmap(context_->handle_, handle_);
  }

  // Looks up the address of memory that UCX allocated.
  Status FindData() {
    ucp_mem_attr_t memory = {};
    memory.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
    DF_TRY(UcxStatus(ucp_mem_query(handle_, &memory), "tell where registered memory lies"));
    data_ = static_cast<char*>(memory.address);
    return Status();
  }
  Status MakeKey(char* data, size_t bytes) {
    static std::atomic<uint64_t> numbers{0};
    void* packed = nullptr;
    size_t packed_bytes = 0;
    DF_TRY(UcxStatus(ucp_rkey_pack(context_->handle_, handle_, &packed, &packed_bytes), "make a key of memory"));
    const std::unique_ptr<void, decltype(&ucp_rkey_buffer_release)> owned(packed, &ucp_rkey_buffer_release);
    data_ = data;
    bytes_ = bytes;
    UcxKey key;
    key.number = numbers.fetch_add(1) + 1;
    key.address = reinterpret_cast<uint64_t>(data_);
    key.bytes = bytes_;
    key_ = key.WithPacked({static_cast<const char*>(packed), packed_bytes});
    if (key_.size() <= Region::kMaxKeyBytes) return Status();
    return Error(Code::kUnavailable, "UCX's key of memory has ", packed_bytes, " bytes");
  }
  void MakeFindable() {
    MutexLock lock(context_->mu_);
    context_->made_.emplace(data_, this);
    is_made_ = true;
  }

  char* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  const std::string& key() const { return key_; }

 private:
  const std::shared_ptr<UcxContext> context_;
  const ucp_mem_h handle_;
  char* data_ = nullptr;
  size_t bytes_ = 0;
  std::string key_;
  bool is_made_ = false;
};

Result<std::shared_ptr<UcxContext>> UcxContext::OfProcess(const UcxScale& scale) {
  static Mutex& mu = *new Mutex();
  static std::weak_ptr<UcxContext>& of_process = *new std::weak_ptr<UcxContext>();
  MutexLock lock(mu);
  if (std::shared_ptr<UcxContext> context = of_process.lock()) return context;
  DF_ASSIGN(const Config config, ReadConfig(scale.networks));
  ucp_params_t params = {};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_PPN;
  params.features = UCP_FEATURE_TAG | UCP_FEATURE_RMA | UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  params.mt_workers_shared = 1;  // threads may drive two transports at once
  params.estimated_num_eps = static_cast<size_t>(scale.ranks);
  params.estimated_num_ppn = static_cast<size_t>(scale.ranks_on_host);
  ucp_context_h handle = nullptr;
  DF_TRY(UcxStatusBySettings(ucp_init(&params, config.get(), &handle), "start", scale.networks));
  std::shared_ptr<UcxContext> context(new UcxContext(handle, scale.networks));
  of_process = context;
  return context;
}

UcxContext::~UcxContext() {
  ucp_cleanup(handle_);
}

Result<Region> UcxContext::Map(void* data, size_t bytes, bool with_key) {
  ucp_mem_map_params_t params = {};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  params.address = data;
  params.length = data == nullptr ? RoundUp(std::max<size_t>(bytes, 1), kPageBytes) : bytes;
  params.flags = data == nullptr ? UCP_MEM_MAP_ALLOCATE : 0;
  ucp_mem_h handle = nullptr;
  const ucs_status_t mapped = ucp_mem_map(handle_, &params, &handle);
  DF_TRY(UcxStatus(mapped, StrCat("register ", bytes, " bytes of memory")));
  auto mapping = std::make_shared<Mapping>(shared_from_this(), handle);
  if (data == nullptr) DF_TRY(mapping->FindData());
  char* const begin = data == nullptr ? mapping->data() : static_cast<char*>(data);
  if (with_key) {
    DF_TRY(mapping->MakeKey(begin, bytes));
    if (data == nullptr) mapping->MakeFindable();
  }
  std::string key = mapping->key();
  return Region(begin, bytes, std::move(key), std::move(mapping));
}

const std::string* UcxContext::FindKey(const void* data, size_t bytes, size_t* offset) const {
  const char* const first = static_cast<const char*>(data);
  MutexLock lock(mu_);
  const auto after = made_.upper_bound(first);
  if (after == made_.begin()) return nullptr;
  const Mapping& mapping = *std::prev(after)->second;
  *offset = static_cast<size_t>(first - mapping.data());
  return *offset + bytes <= mapping.bytes() ? &mapping.key() : nullptr;
}

}  // namespace dfrun::comm
