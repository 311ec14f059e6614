"""An instance that people have lived in: what is empty, fresh and quick in a test is full, old and half done here.


    python -m tests.lived_in            builds it, and twice: the walk, and from `manage.py setup` to the admin
    python -m tests.lived_in --short    the same with fewer rows, and once
    python -m tests.lived_in serve      builds and serves it until Ctrl-C

`fill` writes the rows, `routes` finds every address of the URL conf, `walk` opens them as everybody.
"""
