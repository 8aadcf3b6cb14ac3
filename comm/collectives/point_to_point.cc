// Collectives over the messages of Sends and Recvs, for every device, transport and number of ranks.
//
// Values are in host memory, and the host reduces them. An error of the step ends the messages of its collectives in
// the same way as those of Sends and Recvs, and with them the collectives.
#include <memory>

#include "comm/collectives/exchange.h"
#include "comm/collectives/exchange_schedule.h"
#include "src/framework/communication/collective_registry.h"

namespace dfrun::comm {
namespace {

class PointToPoint final : public Collective {
 public:
  PointToPoint(const CollectivePlan& plan, Device& device)
      : plan_(plan), schedule_(MakeExchangeSchedule(plan_)), allocator_(device.host_allocator()) {}

  void AllReduce(const StepContext& step, const Reducer& reducer, const Tensor& input, Tensor& output,
                 Callback done) override {
    Start(step, &reducer, input.raw(), output, done);
  }
  void AllGather(const StepContext& step, const Tensor& input, Tensor& output, Callback done) override {
    Start(step, nullptr, input.raw(), output, done);
  }
  void ReduceScatter(const StepContext& step, const Reducer& reducer, const Tensor& input, Tensor& output,
                     Callback done) override {
    Start(step, &reducer, input.raw(), output, done);
  }
  void Broadcast(const StepContext& step, Tensor& value, Callback done) override {
    Start(step, nullptr, nullptr, value, done);
  }

 private:
  void Start(const StepContext& step, const Reducer* reducer, const void* input, Tensor& output, Callback done) const {
    if (step.rendezvous == nullptr) {
      return done(FailedPrecondition("this step was started without a rendezvous, which a collective goes by"));
    }
    Exchange::Start(schedule_, plan_, *step.rendezvous, allocator_, reducer, {input, output.raw()}, done);
  }

  const CollectivePlan plan_;
  const ExchangeSchedule schedule_;
  Allocator& allocator_;
};

COLLECTIVE("point_to_point",
           {.priority = 0,
            .serves = [](std::string_view /*device_type*/) { return true; },
            .channels = &ExchangeChannels,
            .ends = &ExchangeEnds,
            .make = [](const CollectivePlan& plan, Device& device) -> Result<std::unique_ptr<Collective>> {
              return std::unique_ptr<Collective>(std::make_unique<PointToPoint>(plan, device));
            }});

}  // namespace
}  // namespace dfrun::comm
