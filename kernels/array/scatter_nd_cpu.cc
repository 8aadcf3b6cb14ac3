#include <algorithm>

#include "kernels/array/add_element.h"
#include "kernels/array/coordinates.h"
#include "kernels/array/int_values.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

struct ScatterNd {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) {
      const auto policy = setup.attr<std::string>("bad_indices_policy");
      if (!policy.empty() && policy != "DEFAULT" && policy != "ERROR")
        setup.Fail(Unimplemented("ScatterNd with bad_indices_policy '", policy, "'"));
    }
    Status Compute(OpContext& ctx) {
      const Tensor& indices = ctx.input(0);
      const Tensor& updates = ctx.input(1);
      DF_ASSIGN(const Shape shape, ShapeValue(ctx.input(2), "the shape to scatter into"));
      DF_ASSIGN(const CoordinateSlices named, ReadCoordinates(indices, shape));
      DF_TRY(CheckUpdates(updates.shape(), named, indices.shape(), shape));
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &y));
      std::fill_n(y->data<T>(), shape.num_elements(), T());
      const T* from = updates.data<T>();
      for (int64_t slice : named.slices) {
        T* to = y->data<T>() + slice * named.row;
        for (int64_t i = 0; i < named.row; ++i) to[i] = AddElement(to[i], from[i]);
        from += named.row;
      }
      return Status();
    }

   private:
    static Status CheckUpdates(const Shape& updates, const CoordinateSlices& named, const Shape& indices,
                               const Shape& shape) {
      std::vector<int64_t> dims = named.prefix;
      for (int d = static_cast<int>(indices.dim(indices.rank() - 1)); d < shape.rank(); ++d)
        dims.push_back(shape.dim(d));
      const bool fits = updates.rank() == static_cast<int>(dims.size()) &&
                        std::equal(dims.begin(), dims.end(), updates.dims().begin());
      if (fits) return Status();
      return InvalidArgument("updates of shape ", updates, " do not fit indices ", indices, " into ", shape,
                             ": they must have shape ", PartialShape(dims));
    }
  };
};

CPU_KERNEL("ScatterNd", ScatterNd, bfloat16, float16, float, double, uint8_t, uint16_t, uint32_t, uint64_t, int8_t,
           int16_t, int32_t, int64_t, std::complex<float>, std::complex<double>, bool);

}  // namespace
}  // namespace dfrun
