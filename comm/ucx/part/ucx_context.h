// UCX's context: what the process has of networks and of memory that is registered with them.
#ifndef DFRUN_COMM_UCX_PART_UCX_CONTEXT_H_
#define DFRUN_COMM_UCX_PART_UCX_CONTEXT_H_

#include <ucp/api/ucp.h>

#include <map>
#include <memory>
#include <string>

#include "comm/region.h"
#include "src/base/mutex.h"
#include "src/base/status.h"

namespace dfrun::comm {

// How many ranks a context is for: UCX chooses among networks by that.
struct UcxScale {
  int ranks = 1;
  int ranks_on_host = 1;
};

// One a process, shared by its transports and by the Regions of their memory. Thread safety: all methods from any
// thread.
class UcxContext : public std::enable_shared_from_this<UcxContext> {
 public:
  // The process's context; a new one where there is none.
  static Result<std::shared_ptr<UcxContext>> OfProcess(const UcxScale& scale);
  ~UcxContext();
  UcxContext(const UcxContext&) = delete;
  UcxContext& operator=(const UcxContext&) = delete;

  ucp_context_h handle() const { return handle_; }

  // `with_key`: peers may read it.
  Result<Region> Register(void* data, size_t bytes, bool with_key) { return Map(data, bytes, with_key); }
  // Of memory that UCX chose: shared with the other processes of the host where it can be.
  Result<Region> NewRegion(size_t bytes, bool with_key) { return Map(nullptr, bytes, with_key); }

  // The key of the NewRegion() with one that holds all of these bytes, and where in it they begin; null: none does. The
  // key lives as long as the Region.
  const std::string* FindKey(const void* data, size_t bytes, size_t* offset) const EXCLUDES(mu_);

 private:
  class Mapping;

  explicit UcxContext(ucp_context_h handle) : handle_(handle) {}
  // Null: new memory.
  Result<Region> Map(void* data, size_t bytes, bool with_key);

  const ucp_context_h handle_;
  mutable Mutex mu_;
  std::map<const char*, const Mapping*> made_ GUARDED_BY(mu_);  // those of NewRegion(), by their beginning
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_CONTEXT_H_
