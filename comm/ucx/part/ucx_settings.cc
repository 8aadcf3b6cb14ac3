#include "comm/ucx/part/ucx_settings.h"

#include <ucp/api/ucp.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
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

// All that UCX has read of its settings, a line each: "UCX_TLS=all".
std::string ReadSettings() {
  ucp_config_t* config = nullptr;
  if (ucp_config_read(nullptr, nullptr, &config) != UCS_OK) return "";
  const std::unique_ptr<ucp_config_t, decltype(&ucp_config_release)> owned(config, &ucp_config_release);
  char* text = nullptr;
  size_t bytes = 0;
  std::FILE* const stream = open_memstream(&text, &bytes);
  if (stream == nullptr) return "";
  ucp_config_print(config, stream, nullptr, UCS_CONFIG_PRINT_CONFIG);
  std::fclose(stream);
  std::string settings(text, bytes);
  std::free(text);
  return settings;
}

// Returns whether a setting differs from UCX's default.
bool IsChanged(const std::string& settings, std::string_view name) {
  const size_t at = settings.find(StrCat("\n", name, "="));
  return at != std::string::npos && settings.compare(at + name.size() + 2, 4, "all\n") != 0;
}

}  // namespace

bool UcxIsSetByUser() {
  const std::string settings = StrCat("\n", ReadSettings());
  return IsChanged(settings, "UCX_TLS") || IsChanged(settings, "UCX_NET_DEVICES");
}

Status UcxStatusBySettings(ucs_status_t status, std::string_view what, const UcxNetworks& asked) {
  Status failed = UcxStatus(status, what);
  const bool lacks_way = status == UCS_ERR_NO_DEVICE || status == UCS_ERR_UNREACHABLE ||
                         status == UCS_ERR_INVALID_PARAM || status == UCS_ERR_UNSUPPORTED;
  const std::string choices = Choices();
  if (lacks_way && !asked.why.empty()) {
    const bool is_shared = asked.devices.empty();
    return Error(failed.code(), failed.message(), "; UCX was asked for ",
                 is_shared ? StrCat("UCX_TLS=", asked.transports) : StrCat("UCX_NET_DEVICES=", asked.devices),
                 " alone, since ", asked.why, ": ", is_shared ? "UCX_TLS=all" : "UCX_NET_DEVICES=all",
                 " in the environment restores its other ways");
  }
  if (!lacks_way || choices.empty()) return failed;
  return Error(Code::kUsage, failed.message(), "; the environment lets it use ", choices,
               " alone: unset that, or name what `ucx_info -d` lists");
}

}  // namespace dfrun::comm
