"""The web: a public search site and the operators' pages, side by side in one application.

::

    app.py        the routes, put together          safety.py    what every answer must obey
    library.py    compiled sites, as pages read them  rendering.py  templates to answers
    public.py places.py people.py feeds.py           pages for everybody
    ops/          pages for operators, after login    live.py      one stream per browser
    api.py metrics.py                                for programs

Handlers parse, call one function below and render.  Whatever was read from a document or said by an
error is hostile text: templates escape everything.
"""
