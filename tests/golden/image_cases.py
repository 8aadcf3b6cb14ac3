"""PNG and JPEG files."""
import numpy as np
import tensorflow as tf

from golden import text


def pixels(shape, dtype=np.uint8, seed=5):
    return np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, shape).astype(dtype)


def png(shape, dtype=np.uint8):
    return tf.io.encode_png(pixels(shape, dtype)).numpy()


def smooth(height, width, channels):
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(channels), indexing="ij")
    return ((y * 20 + x * 9 + c * 60) % 256).astype(np.uint8)


def jpeg(shape, **options):
    return tf.io.encode_jpeg(smooth(*shape), **options).numpy()


def png_cases(w):
    for dtype in [np.uint8, np.uint16]:
        for channels in [1, 2, 3, 4]:
            x = pixels((2, 3, channels), dtype)
            w.case("EncodePng", x)
            file = png((2, 3, channels), dtype)
            for wanted in [0, 1, 3, 4]:
                for out in [tf.uint8, tf.uint16]:
                    w.case("DecodePng", text(file), name=f"{x.dtype} {channels} to {out.name} {wanted}", channels=wanted, dtype=out)
    for level in [0, 1, 9, 10, -2]:
        w.case("EncodePng", pixels((2, 2, 1)), name=f"compression {level}", compression=level)
    for shape in [(2, 2), (2, 2, 5), (0, 2, 1), (2, 2, 2, 1), (0, 2, 2, 1), (2, 0, 2, 2, 1), (1, 1, 1)]:
        w.case("EncodePng", pixels(shape), name=f"shape {list(shape)}")
    file = png((2, 3, 3))
    w.case("DecodePng", text([file]), name="a vector")
    for channels in [2, 5, -1]:
        w.case("DecodePng", text(file), name=f"{channels} channels", channels=channels)
    for name, bad in [("empty", b""), ("nothing known", b"no image"), ("cut in the header", file[:20]), ("cut in the image", file[:-20]),
                      ("a damaged image", file[:50] + b"\x00\x00\x00" + file[53:]), ("magic alone", file[:8])]:
        w.case("DecodePng", text(bad), name=name)
    w.case("DecodePng", text(jpeg((8, 8, 3))), name="a JPEG")
    w.case("DecodeJpeg", text(png((2, 2, 3))), name="a PNG")


def jpeg_cases(w):
    file = jpeg((8, 9, 3))
    for channels in [0, 1, 3, 2, 4]:
        w.case("DecodeJpeg", text(file), name=f"{channels} channels", channels=channels)
        w.case("DecodeJpeg", text(jpeg((5, 3, 1))), name=f"grey to {channels}", channels=channels)
    for ratio in [1, 2, 4, 8, 3]:
        w.case("DecodeJpeg", text(jpeg((8, 16, 1))), name=f"ratio {ratio}", ratio=ratio)
    for method in ["", "INTEGER_FAST", "INTEGER_ACCURATE", "FLOAT"]:
        w.case("DecodeJpeg", text(jpeg((4, 8, 3), quality=60)), name=f"method '{method}'", dct_method=method)
    w.case("DecodeJpeg", text(jpeg((8, 8, 3), quality=50)), name="not fancy", fancy_upscaling=False)
    w.case("DecodeJpeg", text(jpeg((8, 8, 3), progressive=True)), name="progressive")
    w.case("DecodeJpeg", text(jpeg((8, 8, 3), chroma_downsampling=False)), name="full chroma")
    w.case("DecodeJpeg", text([file]), name="a vector")
    for name, bad in [("empty", b""), ("nothing known", b"no image"), ("cut in the header", file[:100]), ("magic alone", file[:4])]:
        w.case("DecodeJpeg", text(bad), name=name)
    tall = jpeg((64, 8, 1))
    w.case("DecodeJpeg", text(tall[:-30]), name="cut in the image")
    for fraction in [1.0, 0.1]:  # What TensorFlow makes up for rows that are missing is no definition.
        w.case("DecodeJpeg", text(tall[:-2]), name=f"without its end, {fraction}", try_recover_truncated=True,
               acceptable_fraction=fraction)


def write(w):
    png_cases(w)
    jpeg_cases(w)
