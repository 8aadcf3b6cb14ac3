#include "kernels/shares/token_source.h"

#include <memory>

namespace dfrun {

Status TokenSource::Taking::Deliver() {
  ctx().SetOutput(0, token_.ToTensor());
  return Status();
}

void TokenSource::Take(OpContext& ctx, Callback done, int64_t taker) {
  Submit(std::make_unique<Taking>(ctx, done, taker), static_cast<size_t>(taker));
}

}  // namespace dfrun
