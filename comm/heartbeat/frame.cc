#include "comm/heartbeat/frame.h"

namespace dfrun::comm {

std::string Frame::Encode() const {
  FrameHead written = head;
  written.bytes = static_cast<uint32_t>(payload.size());
  return Pack(written, payload);
}

std::optional<Frame> TakeFrame(std::string& bytes, bool* is_sound) {
  *is_sound = true;
  if (bytes.size() < sizeof(FrameHead)) return std::nullopt;
  Frame frame;
  std::memcpy(&frame.head, bytes.data(), sizeof(FrameHead));
  const FrameHead expected;
  *is_sound =
      frame.head.magic == expected.magic && frame.head.version == expected.version && frame.head.bytes <= kMaxPayload;
  if (!*is_sound || bytes.size() < sizeof(FrameHead) + frame.head.bytes) return std::nullopt;
  frame.payload = bytes.substr(sizeof(FrameHead), frame.head.bytes);
  bytes.erase(0, sizeof(FrameHead) + frame.head.bytes);
  return frame;
}

}  // namespace dfrun::comm
