"""Networks ready to run, one for each language and process, made from the installed data.

A network is converted once and kept under the hash of the data it was made from::

    STORAGE_DIR/_clerk/ocr-networks/{sha256}-{graph version}-{int8|uint8}.onnx

It appears there by one rename, so any number of processes may make it at the same time.  A folder
that cannot be written to costs a conversion in each process (some 0.2 s), nothing more.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy

from clerk.core.errors import UnusableTraineddata
from clerk.core.storage import sha256_of, written_whole

from .crops import Crop
from .decoding import Alphabet, Shares
from .graph import EXACT_PROBE, GRAPH_VERSION, missing_extra, onnx_model
from .traineddata import read_traineddata


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
        """What crops for this network have to be made for."""
        return self.height, self.pixels_per_column

    @cached_property
    def exact(self) -> bool:
        """Whether this processor computes the network's products without overflow."""
        _, probe = self._run([numpy.zeros((self.height, 8), numpy.float32)])
        return int(probe[0, 0]) == EXACT_PROBE

    def shares(self, crops: Sequence[Crop]) -> list[Shares]:
        """Look at crops in one batch; what is seen does not depend on which others are in it."""
        shares, _ = self._run(crops)
        if not numpy.isfinite(shares).all():
            raise UnusableTraineddata("The converted network gives values that are no numbers.")
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
            return self._session.run(["shares", "probe"], inputs)
        except Exception as error:  # onnxruntime's errors share no narrower class
            raise UnusableTraineddata(f"The converted network cannot be run: {error}") from error


def load_network(traineddata: Path, kept_in: Path | None) -> Network:
    """Return the network of a traineddata file, converting it unless that was done before.

    Raises UnusableTraineddata for data of another shape and MissingTool without onnxruntime.
    """
    _onnxruntime()
    try:
        sha256 = sha256_of(traineddata)
    except OSError as error:
        raise UnusableTraineddata(f"{traineddata} cannot be read: {error.strerror}.") from error
    for weights in ("int8", "uint8"):
        kept = kept_in and kept_in / f"{sha256}-{GRAPH_VERSION}-{weights}.onnx"
        network = _kept(kept) or _converted(traineddata, kept, unsigned=weights == "uint8")
        if network.exact:
            break
    return network


def _kept(path: Path | None) -> Network | None:
    """Return the network kept in a file, or None when it is missing or damaged."""
    if path is None or not path.is_file():
        return None
    try:
        return _opened(path.read_bytes())
    except Exception:  # noqa: BLE001  # as above, and whatever a damaged file may hold
        return None


def _converted(traineddata: Path, kept: Path | None, *, unsigned: bool) -> Network:
    model = onnx_model(read_traineddata(traineddata), unsigned=unsigned)
    if kept:
        with contextlib.suppress(OSError), written_whole(kept) as part:
            part.write_bytes(model)
    return _opened(model)


def _opened(model: bytes) -> Network:
    onnxruntime = _onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Lines come in many widths; memory kept for each of them adds up.
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return Network(session)


def _onnxruntime() -> Any:
    try:
        import onnxruntime  # type: ignore[import-untyped]
    except ImportError as error:
        raise missing_extra("onnxruntime") from error
    return onnxruntime
