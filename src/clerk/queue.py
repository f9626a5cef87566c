"""The queues, under the path that scripts know; see :mod:`clerk.pipeline.queue`."""

from clerk.pipeline.queue import (
    get_compilation_queue,
    get_deploy_queue,
    get_extraction_queue,
    get_fetch_queue,
    get_ocr_queue,
)

__all__ = [
    "get_compilation_queue",
    "get_deploy_queue",
    "get_extraction_queue",
    "get_fetch_queue",
    "get_ocr_queue",
]
