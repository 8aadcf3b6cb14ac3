"""Text in a file of gzip. The same text and zlib give the same bytes: the header holds neither a time nor a name."""
import gzip
import io
import zlib

SUFFIX = ".txt.gz"


def read(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return file.read()


def _holds(path, text):
    try:
        return read(path) == text
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        return False


def write(path, text):
    """A file that holds the text stays as it is, since another zlib packs it in other bytes."""
    if _holds(path, text):
        return
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as file:
        file.write(text.encode())
    with open(path, "wb") as file:
        file.write(packed.getvalue())
