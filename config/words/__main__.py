"""`python -m config.words` compiles the catalogues; `python -m config.words gather` first brings them up to date."""

import os
import sys

from config.words.compiling import compile_outdated

if sys.argv[1:] == ["gather"]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from config.words.gathering import update_all

    update_all()
compile_outdated()
