// Clips of sound as WAV files: PCM of 16 bits, little-endian.
// Source: Multimedia Programming Interface and Data Specifications 1.0, "Waveform Audio File Format".
#ifndef DFRUN_KERNELS_SUMMARY_AUDIO_H_
#define DFRUN_KERNELS_SUMMARY_AUDIO_H_

#include <string>
#include <vector>

#include "src/framework/values/tensor.h"
#include "src/storage/summary.pb.h"

namespace dfrun {

// Encodes the first `most` clips of [batch, frames] or [batch, frames, channels], of floating-point numbers from -1 to
// 1; numbers beyond are cut, NaN is 0. `sample_rate`: Hz, above 0. InvalidArgument where shape or rate do not fit, and
// for clips without channels.
Result<std::vector<std::string>> EncodeClips(const Tensor& audio, float sample_rate, int64_t most);

// Adds the values of TensorFlow's audio summary.
Status AddAudio(const std::string& tag, const Tensor& audio, float sample_rate, int64_t most, proto::Summary& summary);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SUMMARY_AUDIO_H_
