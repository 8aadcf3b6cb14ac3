#include "comm/ucx/part/ucx_raw_link.h"

#include <sched.h>

#include <utility>

#include "comm/ucx/part/ucx_status.h"

namespace dfrun::comm {
namespace {

constexpr ucp_tag_t kTag = 1;
constexpr int kLooksPerYield = 256;
constexpr ucp_tag_t kEveryBit = ~ucp_tag_t{0};

}  // namespace

Result<std::unique_ptr<RawLink>> UcxRawLink::Connect(SwapBytes swap) {
  DF_ASSIGN(std::shared_ptr<UcxContext> context, UcxContext::OfProcess({2, 2}));
  ucp_worker_params_t params = {};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SINGLE;
  ucp_worker_h worker = nullptr;
  DF_TRY(UcxStatus(ucp_worker_create(context->handle(), &params, &worker), "make a worker"));
  std::unique_ptr<UcxRawLink> link(new UcxRawLink(std::move(context), worker));
  ucp_address_t* address = nullptr;
  size_t bytes = 0;
  DF_TRY(UcxStatus(ucp_worker_get_address(worker, &address, &bytes), "tell a worker's address"));
  const std::string own(reinterpret_cast<const char*>(address), bytes);
  ucp_worker_release_address(worker, address);
  DF_ASSIGN(const std::string other, swap(own));
  DF_TRY(link->Reach(other));
  return std::unique_ptr<RawLink>(std::move(link));
}

Status UcxRawLink::Reach(const std::string& address) {
  ucp_ep_params_t params = {};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
  params.address = reinterpret_cast<const ucp_address_t*>(address.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  return UcxStatus(ucp_ep_create(worker_, &params, &endpoint_), "reach the other rank");
}

UcxRawLink::~UcxRawLink() {
  ucp_worker_destroy(worker_);  // destroys its endpoint too
}

Status UcxRawLink::Wait(ucs_status_ptr_t request, const char* what) {
  if (!UCS_PTR_IS_PTR(request)) return UcxStatus(UCS_PTR_STATUS(request), what);
  // Yield now and then: if the ranks share a core, the other one needs it to answer.
  for (int looks = 1; ucp_request_check_status(request) == UCS_INPROGRESS; ++looks) {
    if (ucp_worker_progress(worker_) == 0 && looks % kLooksPerYield == 0) sched_yield();
  }
  const ucs_status_t status = ucp_request_check_status(request);
  ucp_request_free(request);
  return UcxStatus(status, what);
}

Status UcxRawLink::Send(const void* data, size_t bytes) {
  const ucp_request_param_t param = {};
  return Wait(ucp_tag_send_nbx(endpoint_, data, bytes, kTag, &param), "send");
}

Status UcxRawLink::Recv(void* data, size_t bytes) {
  const ucp_request_param_t param = {};
  return Wait(ucp_tag_recv_nbx(worker_, data, bytes, kTag, kEveryBit, &param), "receive");
}

}  // namespace dfrun::comm
