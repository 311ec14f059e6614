"""An instance that people have lived in: what is empty, fresh and quick in a test is full, old and half done here.

    python -m tests.lived_in            builds it, and twice: the walk, and what people do beside it
    python -m tests.lived_in --short    the same with fewer rows and people, and once
    python -m tests.lived_in serve      builds and serves it until Ctrl-C

`fill` writes the rows, `routes` finds every address of the URL conf, `walk` opens them as everybody. `visits` are what
people do there: the commands of the documents, both example programs, from `manage.py setup` to the admin, an evening.
"""
