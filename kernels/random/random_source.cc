#include "kernels/random/random_source.h"

#include "kernels/array/int_values.h"
#include "kernels/random/seed.h"

namespace dfrun {

Result<RandomKey> RandomKeyOf(const Tensor& seed) {
  if (!(seed.shape() == Shape({2}))) return InvalidArgument("the seed has shape ", seed.shape(), ", but must be [2]");
  const std::vector<int64_t> values = IntValues(seed);
  // The key under which seeds are mixed is a constant of the format.
  Philox mixer(0x02461e293ec8f720U, static_cast<uint64_t>(values[0]), static_cast<uint64_t>(values[1]));
  const Philox::Block mix = mixer.Next();
  return RandomKey{mix[0] | uint64_t{mix[1]} << 32, mix[2] | uint64_t{mix[3]} << 32};
}

Result<Philox> PhiloxOfSeed(const Tensor& seed) {
  DF_ASSIGN(const RandomKey key, RandomKeyOf(seed));
  return Philox(key.key, key.counter_high);
}

Result<Philox> PhiloxOfKey(const Tensor& key, const Tensor& counter, const Tensor& algorithm) {
  if (algorithm.shape().rank() != 0) {
    return InvalidArgument("the algorithm has shape ", algorithm.shape(), ", but must be a scalar");
  }
  const int32_t number = algorithm.scalar<int32_t>();
  if (number != kAlgorithmPhilox && number != kAlgorithmAny) {
    return InvalidArgument("random algorithm ", number, " is not known here; Philox is ", kAlgorithmPhilox);
  }
  if (!(key.shape() == Shape({1}))) return InvalidArgument("the key has shape ", key.shape(), ", but must be [1]");
  if (counter.shape().rank() != 1 || counter.shape().dim(0) < 2) {
    return InvalidArgument("the counter has shape ", counter.shape(), ", but must be a vector of 2 numbers");
  }
  const uint64_t* words = counter.data<uint64_t>();
  return Philox(*key.data<uint64_t>(), words[0], words[1]);
}

}  // namespace dfrun
