// UCX's own calls between two ranks, for benchmarks.
#ifndef DFRUN_COMM_UCX_PART_UCX_RAW_LINK_H_
#define DFRUN_COMM_UCX_PART_UCX_RAW_LINK_H_

#include <ucp/api/ucp.h>

#include <memory>
#include <string>

#include "comm/raw_link.h"
#include "comm/ucx/part/ucx_context.h"

namespace dfrun::comm {

// Sends tagged messages over a worker and an endpoint that are made in the same way as the transport's.
class UcxRawLink final : public RawLink {
 public:
  static Result<std::unique_ptr<RawLink>> Connect(SwapBytes swap);
  ~UcxRawLink() override;
  UcxRawLink(const UcxRawLink&) = delete;
  UcxRawLink& operator=(const UcxRawLink&) = delete;

  Status Send(const void* data, size_t bytes) override;
  Status Recv(void* data, size_t bytes) override;

 private:
  UcxRawLink(std::shared_ptr<UcxContext> context, ucp_worker_h worker)
      : context_(std::move(context)), worker_(worker) {}
  Status Reach(const std::string& address);
  Status Wait(ucs_status_ptr_t request, const char* what);

  const std::shared_ptr<UcxContext> context_;
  const ucp_worker_h worker_;
  ucp_ep_h endpoint_ = nullptr;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_RAW_LINK_H_
