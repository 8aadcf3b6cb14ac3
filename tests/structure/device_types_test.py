#!/usr/bin/env python3
"""Plants words of device types in small trees: each must be found, and a clean tree must pass."""
import unittest

import device_types
import planted_tree


def violations_of(files):
    """files: path -> text, beside the table of types."""
    files = {device_types.TABLE: 'kTypes[] = {"cpu", "gpu"};', **files}
    return planted_tree.violations_of(device_types.check_tree, {path: text + "\n" for path, text in files.items()})


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
