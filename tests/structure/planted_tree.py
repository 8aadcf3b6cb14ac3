"""Small trees with planted violations, for the tests of the checks."""
import pathlib
import tempfile


def violations_of(check_tree, files):
    """What check_tree finds in a tree of these files: path -> text."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        return check_tree(root)
