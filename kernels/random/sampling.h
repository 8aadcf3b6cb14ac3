// The engine of kernels that draw samples for each element of a tensor of parameters.
#ifndef DFRUN_KERNELS_RANDOM_SAMPLING_H_
#define DFRUN_KERNELS_RANDOM_SAMPLING_H_

#include <string_view>

#include "kernels/random/random_source.h"

namespace dfrun {

// Output 0 of an op whose input 0 spells a shape: with a sequence of its own (`appended`) that shape followed by the
// parameters', else that shape, which must end with the parameters'. InvalidArgument where it does not.
Result<Shape> ShapeOfSamples(const Tensor& spelled, const Shape& parameters, bool appended);

// samples[s * parameters + p] is sample s for parameter p; its numbers begin kBlocksPerNumber blocks after those of the
// sample before it, in the order of p, then s.
template <class Sampler, class P, class T, class Convert>
Status DrawSamples(ThreadPool& pool, const Philox& generator, const P* parameters, int64_t count, int64_t per_parameter,
                   T* samples, Convert convert) {
  constexpr int64_t kSamplesPerBlock = 256;  // some 10 us of work
  pool.ParallelFor(count * per_parameter, kSamplesPerBlock, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      const int64_t p = i / per_parameter;
      const Sampler sampler(static_cast<double>(parameters[p]));
      for (const int64_t stop = std::min(end, (p + 1) * per_parameter); i < stop; ++i) {
        Philox cursor = generator;
        cursor.Skip(static_cast<uint64_t>(i) * kBlocksPerNumber);
        samples[(i - p * per_parameter) * count + p] = convert(sampler(cursor));
      }
    }
  });
  return Status();
}

// Inputs: the shape, those of the Source, the parameters; all but the parameters are host memory's.
template <class Source>
class SamplingKernel : public Kernel {
 public:
  // nvcc does not count the elements of a template's array.
  static constexpr std::string_view kHostInputs[5] = {"shape", "seed", "key", "counter", "alg"};
  explicit SamplingKernel(KernelSetup& setup) : source_(setup) {}

 protected:
  // Makes output 0 and calls draw(generator, parameters, samples for each parameter, output), if there are any.
  template <class Draw>
  Status Fill(OpContext& ctx, Draw draw) {
    const Tensor& parameters = ctx.input(1 + Source::kInputs);
    DF_ASSIGN(const Shape shape, ShapeOfSamples(ctx.input(0), parameters.shape(), Source::kInputs == 0));
    const int64_t n = shape.num_elements();
    DF_ASSIGN(const Philox generator, source_.Begin(ctx, static_cast<uint64_t>(n)));
    Tensor* samples = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &samples));
    return n > 0 ? draw(generator, parameters, n / parameters.num_elements(), *samples) : Status();
  }

 private:
  Source source_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_RANDOM_SAMPLING_H_
