# SPDX-License-Identifier: MIT
"""What the suites in Python share: of how many of their tests a run consists."""

import os
import unittest


class Loader(unittest.TestLoader):
    """With PENSTOCK_TEST_SHORT=n, n > 1, of each class the first test and each third behind it."""

    def getTestCaseNames(self, testCaseClass):
        names = super().getTestCaseNames(testCaseClass)
        return names[::3] if int(os.environ.get("PENSTOCK_TEST_SHORT") or 0) > 1 else names
