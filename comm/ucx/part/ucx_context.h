// The UCX context: the process's access to networks and to memory that is registered with them.
#ifndef DFRUN_COMM_UCX_PART_UCX_CONTEXT_H_
#define DFRUN_COMM_UCX_PART_UCX_CONTEXT_H_

#include <ucp/api/ucp.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "comm/region.h"
#include "comm/ucx/ucx_networks.h"
#include "src/base/mutex.h"
#include "src/base/status.h"

namespace dfrun::comm {

// The ranks and networks of a context. UCX chooses networks by the number of ranks.
struct UcxScale {
  int ranks = 1;
  int ranks_on_host = 1;
  UcxNetworks networks = {};  // that it is asked to use
};

// A process has one context. Its transports and the Regions of their memory share it.
// Thread safety: all methods from any thread.
class UcxContext : public std::enable_shared_from_this<UcxContext> {
 public:
  // Returns the process's context, or a new one if there is none.
  static Result<std::shared_ptr<UcxContext>> OfProcess(const UcxScale& scale);
  ~UcxContext();
  UcxContext(const UcxContext&) = delete;
  UcxContext& operator=(const UcxContext&) = delete;

  ucp_context_h handle() const { return handle_; }
  // The networks that UCX was asked to use.
  const UcxNetworks& networks() const { return networks_; }

  // Registers memory. `with_key` lets peers read it.
  Result<Region> Register(void* data, size_t bytes, bool with_key) { return Map(data, bytes, with_key); }
  // Allocates memory that UCX chooses, if possible shared with the other processes of the host.
  Result<Region> NewRegion(size_t bytes, bool with_key) { return Map(nullptr, bytes, with_key); }

  // Finds the Region of NewRegion(.., true) that holds all of these bytes. Returns its key and sets `offset` to their
  // offset in it; returns null if there is none. The key lives as long as the Region.
  const std::string* FindKey(const void* data, size_t bytes, size_t* offset) const EXCLUDES(mu_);

 private:
  class Mapping;

  UcxContext(ucp_context_h handle, UcxNetworks networks) : handle_(handle), networks_(std::move(networks)) {}
  // Null: new memory.
  Result<Region> Map(void* data, size_t bytes, bool with_key);

  const ucp_context_h handle_;
  const UcxNetworks networks_;
  mutable Mutex mu_;
  std::map<const char*, const Mapping*> made_ GUARDED_BY(mu_);  // registrations of NewRegion(), by their first byte
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_CONTEXT_H_
