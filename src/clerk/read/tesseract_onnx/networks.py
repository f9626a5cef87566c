"""Networks ready to run, one for each language and process, made from the installed data.

A network is converted once and kept in a folder under the hash of the data it was made from::

    {sha256}-{graph version}-{int8|uint8}.onnx

It appears there by one rename, so any number of processes may make it at the same time.  Without a
folder that can be written to, each process converts it again (some 0.2 s).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy

from clerk.read.ocr import MissingTool, UnusableTraineddata

from .crops import Crop
from .decoding import Alphabet, Shares
from .graph import EXACT_PROBE, onnx_model, probe_model
from .traineddata import read_traineddata
from .versions import GRAPH_VERSION


class Network:
    """A converted network in an onnxruntime session of one thread."""

    def __init__(self, session: Any) -> None:
        self._session = session
        facts = json.loads(session.get_modelmeta().custom_metadata_map["clerk"])
        #: The height every crop must have.
        self.height = int(facts["height"])
        self.alphabet = Alphabet(facts["characters"], facts["blank"])
        #: The width of the pixels that become one column.
        self.pixels_per_column = int(facts["pixels_per_column"])

    @property
    def scale(self) -> tuple[int, int]:
        """What networks must share so that they can read the same crops."""
        return self.height, self.pixels_per_column

    def shares(self, crops: Sequence[Crop]) -> list[Shares]:
        """Run crops in one batch; the result for a crop does not depend on the others."""
        shares = self._run(crops)
        if not numpy.isfinite(shares).all():
            raise UnusableTraineddata("The converted network gives values that are not numbers.")
        return [shares[: self._columns(crop), place] for place, crop in enumerate(crops)]

    def _columns(self, crop: Crop) -> int:
        return int(crop.shape[1]) // self.pixels_per_column

    def _run(self, crops: Sequence[Crop]) -> Any:
        columns = numpy.array([self._columns(crop) for crop in crops], numpy.int32)
        width = max(crop.shape[1] for crop in crops)
        pictures = numpy.zeros((len(crops), 1, self.height, width), numpy.float32)
        for picture, crop in zip(pictures, crops, strict=True):
            picture[0, :, : crop.shape[1]] = crop
        inputs = {"picture": pictures, "columns": columns}
        try:
            return self._session.run(["shares"], inputs)[0]
        except Exception as error:  # onnxruntime's errors share no narrower class
            raise UnusableTraineddata(f"The converted network cannot be run: {error}") from error


def load_network(traineddata: Path, folder: Path | None) -> Network:
    """Return the network of a traineddata file, from the folder or converted and kept there.

    Raises UnusableTraineddata for data of another shape and MissingTool without onnxruntime.
    """
    _onnxruntime()
    try:
        with traineddata.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UnusableTraineddata(f"{traineddata} cannot be read: {error.strerror}.") from error
    weights = weight_type()
    kept = folder and folder / f"{sha256}-{GRAPH_VERSION}-{weights}.onnx"
    if kept and kept.is_file():
        # A file may be damaged in any way, and onnxruntime's errors share no narrower class.
        with contextlib.suppress(Exception):
            return Network(_session(kept.read_bytes()))
    model = onnx_model(read_traineddata(traineddata), unsigned=weights == "uint8")
    if kept:
        _keep(model, kept)
    return Network(_session(model))


@cache
def weight_type() -> Literal["int8", "uint8"]:
    """Return the type of weights whose products this processor computes without overflow.

    Without instructions for it, sums of products of unsigned and signed bytes are cut at 16 bits.
    """
    (probe,) = _session(probe_model()).run(["probe"], {})
    return "int8" if int(probe[0, 0]) == EXACT_PROBE else "uint8"


def _keep(model: bytes, path: Path) -> None:
    """Write a file by one rename; a folder that cannot be written to is no error."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".converting-", dir=path.parent) as scratch:
            part = Path(scratch) / path.name
            part.write_bytes(model)
            part.replace(path)


def _session(model: bytes) -> Any:
    onnxruntime = _onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Lines come in many widths; memory kept for each of them adds up.
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _onnxruntime() -> Any:
    try:
        import onnxruntime  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingTool(
            "The OCR engine tesseract-onnx needs the package onnxruntime.",
            hint="Install it with pip install onnxruntime, or use the engine 'tesseract'.",
        ) from error
    return onnxruntime
