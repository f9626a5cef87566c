"""From a PDF to the text of its pages: text layer, or OCR."""
