# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""The seed of the random tests in Python; unit.h has the same for those in C.

FM_SEED repeats a run. Without it a run has always the same seed, or a fresh one if
FM_WHOLE asks for all rounds.
"""

import os
import random

WHOLE = os.environ.get("FM_WHOLE", "") not in ("", "0")
SEED = int(os.environ.get("FM_SEED", "0"), 0) or (
    random.SystemRandom().getrandbits(31) if WHOLE else 1)
