"""From a document to the text of its pages: text layer, OCR, or both.

::

    documents        read a document; in a child process for callers that are not workers
    files            what is stored of a document: text, document.json, words.json
    options          how documents are to be read
    text_layer       does the text layer of a page look good?
    layer_check      is it what the page shows?
    other_formats    web pages and Word documents
    pdf, pdf_text    libpdfium
    recognition      OCR of one page
    ink              what no word covers
    rows             cells of a table on one line
    shared_pages     the pages of a long document, read by several processes
    page_helper      helping another process with its document
    ocr              the interface of OCR engines, and finding one
    engines          the engines that come with clerk: tesseract, tesseract_onnx,
                     rapidocr_engine

Import the modules, not this package: only some of them load libpdfium and numpy.
"""
