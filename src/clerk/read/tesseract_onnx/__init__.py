"""The OCR engine ``tesseract-onnx``: Tesseract's layout and weights, run by onnxruntime.

Imports nothing of clerk but the OCR interface and the measure of ink::

    page -> blank, or read before? -> done
         -> libtesseract's layout -> line images -> network in batches -> words
         -> low confidence? -> the same upside down
         -> unsure of a word? -> libtesseract reads the word too
         -> unsure of the page? -> libtesseract reads it too

Whatever the network cannot do, libtesseract does: data of another shape, a doubtful word or page, a
page that fails.  Only a missing package is an error.
"""

from __future__ import annotations

from .engine import TesseractOnnx

__all__ = ["TesseractOnnx"]
