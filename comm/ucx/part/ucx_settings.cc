#include "comm/ucx/part/ucx_settings.h"

#include <unistd.h>

#include <string>

#include "comm/ucx/part/ucx_status.h"

namespace dfrun::comm {
namespace {

// Returns the variables that restrict what UCX may use: "UCX_TLS=tcp, UCX_NET_DEVICES=eth0".
std::string Choices() {
  std::string choices;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("UCX_TLS=") || text.starts_with("UCX_NET_DEVICES=") || text.starts_with("UCX_PROTOS="))
      choices += StrCat(choices.empty() ? "" : ", ", text);
  }
  return choices;
}

}  // namespace

Status UcxStatusBySettings(ucs_status_t status, std::string_view what) {
  Status failed = UcxStatus(status, what);
  const bool lacks_way = status == UCS_ERR_NO_DEVICE || status == UCS_ERR_UNREACHABLE ||
                         status == UCS_ERR_INVALID_PARAM || status == UCS_ERR_UNSUPPORTED;
  const std::string choices = Choices();
  if (!lacks_way || choices.empty()) return failed;
  return Error(Code::kUsage, failed.message(), "; the environment lets it use ", choices,
               " alone: unset that, or name what `ucx_info -d` lists");
}

}  // namespace dfrun::comm
