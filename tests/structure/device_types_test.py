#!/usr/bin/env python3
"""Plants words of device types in small trees: each must be found, and a clean tree must pass."""
import pathlib
import tempfile
import unittest

import device_types


def violations_of(files):
    """files: path -> text, beside the table of types."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in {device_types.TABLE: 'kTypes[] = {"cpu", "gpu"};', **files}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n", encoding="utf-8")
        return device_types.check_tree(root)


class DeviceTypesTest(unittest.TestCase):
    def test_words(self):
        found = violations_of({"src/a.cc": '\nif (type == "gpu") Run();', "jobs/b.cc": 'Make("cpu");'})
        self.assertEqual(len(found), 2, found)
        self.assertIn("jobs/b.cc:1:", found[0])
        self.assertIn("src/a.cc:2:", found[1])

    def test_where_they_may_stand(self):
        self.assertEqual(violations_of({
            "kernels/device/cpu_device.cc": 'name.type = "cpu";',
            "src/a.cc": '// A type: "cpu".\nPrint("like /device:cpu:0");',
        }), [])


if __name__ == "__main__":
    unittest.main()
