#include "kernels/summary/audio.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "src/base/number_bytes.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

constexpr uint64_t kSampleBytes = sizeof(int16_t);
constexpr uint64_t kHeaderBytes = 44;  // RIFF, format and the begin of the samples
constexpr uint64_t kRiffBytes = 8;     // not counted by the size in the header
constexpr uint32_t kFormatBytes = 16;
constexpr uint16_t kPcm = 1;
constexpr uint64_t kMax32 = std::numeric_limits<uint32_t>::max();

struct Clip {
  uint64_t rate;  // Hz
  uint64_t channels;
  uint64_t frames;

  uint64_t bytes() const { return frames * channels * kSampleBytes; }
};

int16_t SampleOf(float value) {
  if (std::isnan(value)) return 0;
  constexpr float kScale = 32768;
  const float rounded = std::round(value * kScale);
  return static_cast<int16_t>(
      std::clamp<float>(rounded, std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()));
}

std::string HeaderOf(const Clip& clip) {
  std::string wav = "RIFF";
  AppendNumber(static_cast<uint32_t>(kHeaderBytes + clip.bytes() - kRiffBytes), wav);
  wav += "WAVEfmt ";
  AppendNumber(kFormatBytes, wav);
  AppendNumber(kPcm, wav);
  AppendNumber(static_cast<uint16_t>(clip.channels), wav);
  AppendNumber(static_cast<uint32_t>(clip.rate), wav);
  AppendNumber(static_cast<uint32_t>(clip.rate * clip.channels * kSampleBytes), wav);
  AppendNumber(static_cast<uint16_t>(clip.channels * kSampleBytes), wav);
  AppendNumber(static_cast<uint16_t>(kSampleBytes * 8), wav);
  wav += "data";
  AppendNumber(static_cast<uint32_t>(clip.bytes()), wav);
  return wav;
}

template <class T>
std::string Encode(const Clip& clip, const T* samples) {
  std::string wav = HeaderOf(clip);
  wav.reserve(wav.size() + clip.bytes());
  for (uint64_t i = 0; i < clip.frames * clip.channels; ++i)
    AppendNumber(SampleOf(static_cast<float>(samples[i])), wav);
  return wav;
}

Result<Clip> ClipOf(const Tensor& audio, float sample_rate) {
  const Shape& shape = audio.shape();
  if (shape.rank() != 2 && shape.rank() != 3) {
    return InvalidArgument("audio must have shape [batch, frames] or [batch, frames, channels], but has ", shape);
  }
  if (!(sample_rate > 0)) return InvalidArgument("sample_rate must be above 0, but is ", sample_rate);
  const double rate = std::max(1.0, std::rint(static_cast<double>(sample_rate)));
  if (rate > static_cast<double>(kMax32))
    return InvalidArgument("a sample_rate of ", sample_rate, " is beyond 32 bits");
  return Clip{static_cast<uint64_t>(rate), shape.rank() == 2 ? 1 : static_cast<uint64_t>(shape[2]),
              static_cast<uint64_t>(shape[1])};
}

Status CheckFits(const Clip& clip) {
  if (clip.channels == 0 || clip.channels > std::numeric_limits<uint16_t>::max()) {
    return InvalidArgument("a WAV file has 1 to 65535 channels, not ", clip.channels);
  }
  if (clip.frames > kMax32 / clip.channels / kSampleBytes || kHeaderBytes + clip.bytes() > kMax32) {
    return InvalidArgument(clip.frames, " frames of ", clip.channels, " channels are too many for a WAV file");
  }
  return Status();
}

}  // namespace

Result<std::vector<std::string>> EncodeClips(const Tensor& audio, float sample_rate, int64_t most) {
  DF_ASSIGN(const Clip clip, ClipOf(audio, sample_rate));
  std::vector<std::string> clips;
  for (int64_t i = 0; i < std::min(audio.shape()[0], most); ++i) {
    DF_TRY(CheckFits(clip));
    VisitDType<DF_FLOATS>(audio.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      clips.push_back(Encode(clip, audio.data<T>() + i * static_cast<int64_t>(clip.frames * clip.channels)));
    });
  }
  return clips;
}

Status AddAudio(const std::string& tag, const Tensor& audio, float sample_rate, int64_t most, proto::Summary& summary) {
  DF_ASSIGN(std::vector<std::string> clips, EncodeClips(audio, sample_rate, most));
  for (size_t i = 0; i < clips.size(); ++i) {
    proto::Summary::Value* value = summary.add_value();
    value->set_tag(most == 1 ? tag + "/audio" : StrCat(tag, "/audio/", i));
    proto::Summary::Audio* clip = value->mutable_audio();
    clip->set_sample_rate(sample_rate);
    clip->set_num_channels(audio.shape().rank() == 2 ? 1 : audio.shape()[2]);
    clip->set_length_frames(audio.shape()[1]);
    clip->set_encoded_audio_string(std::move(clips[i]));
    clip->set_content_type("audio/wav");
  }
  return Status();
}

}  // namespace dfrun
