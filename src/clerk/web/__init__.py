"""The web: a public search site and the operators' pages in one application.

::

    app          routes, error pages, shared state     serving connections    the HTTP server
    public/      pages and feeds for everybody         middleware             rules for all requests
    ops/         operators' pages, after login         auth                   logins and roles
    api uploads metrics    for programs                request_bodies parameters rendering
    live         updates of open pages                 supervised_process worker_process
    data data_server       Datasette at /data          page_images            scans as images
    shared_answers         one answer for identical requests

Handlers parse the request, call one function below and render.  Text from documents and errors is
hostile: templates escape everything.
"""
