"""Every hostile PDF ends in its text or in an error by name: no crash, no hang, no flood."""

from __future__ import annotations

import resource

import pytest
from hostile_pdfs import FAILED, MAKERS, PHRASE, READ, Maker

from clerk.core.errors import DocumentError
from clerk.read.documents import ReadingOptions, raise_for_failed_pages, read_in_child

MEMORY_MB = 1024
#: What the threads of a test runner reserve and do not use; a child may.
RESERVED_MB = 128
#: What need not be read is given up sooner: it would use its time to the end.
OPTIONS = ReadingOptions(page_seconds=5.0)
HASTY = ReadingOptions(page_seconds=1.5)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.name)
def test_a_hostile_pdf_is_read_or_refused_by_name(maker: Maker, tmp_path):
    path = tmp_path / f"{maker.name}.pdf"
    path.write_bytes(maker.make())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)

    error, said = None, ""
    try:
        options = OPTIONS if maker.expectation.outcome == READ else HASTY
        document = read_in_child(path, options, memory_mb=MEMORY_MB)
        said = " ".join(" ".join(page.text for page in document.pages).split())
        raise_for_failed_pages(path, document)
    except DocumentError as caught:
        error = caught

    expected = maker.expectation
    assert expected.outcome != READ or (error is None and PHRASE in said)
    assert expected.outcome != FAILED or error is not None
    assert expected.error is None or type(error) is expected.error
    assert error is None or str(path) in str(error)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 60
    most = (MEMORY_MB + RESERVED_MB) * 1024 + resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after.ru_maxrss < most
