# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Log records: where they go, and that unwanted ones cost nothing."""

from __future__ import annotations

import logging
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from mathwright.fft import FFT, fft
from mathwright.linalg import Matmul, MatmulOptions, matmul

ONES = np.ones((2, 2))


class Recorder(logging.Handler):
    def __init__(self):
        super().__init__(logging.DEBUG)
        self.records = []

    def emit(self, record):
        self.records.append(record)

    @property
    def messages(self):
        return [record.getMessage() for record in self.records]


@pytest.fixture
def root_at_debug():
    root, recorder = logging.getLogger(), Recorder()
    before = root.level
    root.addHandler(recorder)
    root.setLevel(logging.DEBUG)
    yield recorder
    root.setLevel(before)
    root.removeHandler(recorder)


def test_phases_are_announced_at_info_with_times(root_at_debug):
    product = Matmul(ONES, ONES)
    product.plan()
    product.execute()

    infos = [
        r for r in root_at_debug.records if r.levelno == logging.INFO and r.name == "mathwright"
    ]
    assert any("planned" in r.getMessage() for r in infos)
    assert any("executed" in r.getMessage() and "s" in r.getMessage() for r in infos)


def test_everything_works_with_the_root_logger_at_debug(root_at_debug, rng):
    x = rng.standard_normal((8, 8)).astype("complex64")

    assert np.allclose(matmul(x, x), x @ x, atol=1e-4)
    assert np.allclose(fft(x), np.fft.fft2(x), atol=1e-4)


def test_the_level_follows_the_loggers_level_at_once(root_at_debug):
    logger = logging.getLogger("mathwright")
    product = Matmul(ONES, ONES)
    product.plan()
    root_at_debug.records.clear()

    logger.setLevel(logging.WARNING)
    product.execute()
    quiet = list(root_at_debug.messages)
    logger.setLevel(logging.NOTSET)
    product.execute()
    loud = list(root_at_debug.messages)
    logging.disable(logging.INFO)
    product.execute()
    logging.disable(logging.NOTSET)

    assert quiet == [] and any("executed" in message for message in loud)
    assert root_at_debug.messages == loud


def test_a_custom_logger_gets_the_records_of_its_object_and_nobody_elses(root_at_debug):
    recorder = Recorder()
    logger = logging.Logger("mine")
    logger.addHandler(recorder)
    logger.setLevel(logging.INFO)
    root_at_debug.records.clear()
    with Matmul(ONES, ONES, options=MatmulOptions(logger=logger)) as product:
        product.plan()
        product.execute()
    mine = list(recorder.messages)
    assert root_at_debug.records == []

    matmul(ONES, ONES)

    assert any("planned" in message for message in mine)
    assert any("executed" in message for message in mine)
    assert recorder.messages == mine


def test_a_custom_logger_at_warning_gets_no_phases():
    recorder = Recorder()
    logger = logging.Logger("mine", logging.WARNING)
    logger.addHandler(recorder)

    transform = FFT(ONES, options={"logger": logger})
    transform.plan()
    transform.execute()

    assert transform.logger is logger and recorder.records == []


def test_beta_without_c_warns(root_at_debug):
    root_at_debug.records.clear()

    matmul(ONES, ONES, beta=2)

    warnings = [r.getMessage() for r in root_at_debug.records if r.levelno == logging.WARNING]
    assert len(warnings) == 1 and "beta" in warnings[0]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_failing_handler_does_not_fail_the_computation():
    class Failing(logging.Handler):
        def handle(self, record):
            raise RuntimeError("handler")

    logger = logging.Logger("mine", logging.DEBUG)
    logger.addHandler(Failing())

    product = Matmul(ONES, ONES, options={"logger": logger})
    product.plan()

    assert product.execute()[0, 0] == 2


def test_logging_imported_later_is_followed():
    code = """
        import sys
        import numpy as np
        import mathwright as mw
        mw.linalg.matmul(np.ones((2, 2)), np.ones((2, 2)))
        assert "logging" not in sys.modules
        import logging
        logging.basicConfig(level=logging.INFO, format="%(name)s %(levelname)s", stream=sys.stdout)
        product = mw.linalg.Matmul(np.ones((2, 2)), np.ones((2, 2)))
        product.plan()
    """

    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120
    )

    assert done.returncode == 0, done.stderr
    assert "mathwright INFO" in done.stdout
