#include "kernels/matrix/einsum_kernel.h"

namespace dfrun {

EinsumBase::EinsumBase(KernelSetup& setup) {
  Result<EinsumEquation> equation = EinsumEquation::Parse(setup.attr<std::string>("equation"));
  if (equation.ok()) {
    equation_ = *std::move(equation);
  } else {
    setup.Fail(equation.status());
  }
}

Result<std::shared_ptr<const EinsumPlan>> EinsumBase::PlanFor(const OpContext& ctx) {
  std::vector<Shape> shapes;
  shapes.reserve(static_cast<size_t>(ctx.num_inputs()));
  for (int i = 0; i < ctx.num_inputs(); ++i) shapes.push_back(ctx.input(i).shape());
  return plans_.Get(shapes, [&]() -> Result<std::shared_ptr<const EinsumPlan>> {
    DF_ASSIGN(EinsumPlan plan, PlanEinsum(equation_, shapes));
    return std::make_shared<const EinsumPlan>(std::move(plan));
  });
}

}  // namespace dfrun
