"""What is authored: stories and their scenes, the files they are made of, what is rendered from them, previews."""

from capsules.models.encodes import Encode
from capsules.models.hidden import HiddenBlob
from capsules.models.media import Asset
from capsules.models.origins import Origin
from capsules.models.previews import Preview
from capsules.models.processes import Process
from capsules.models.revisions import EditingSession, Revision
from capsules.models.stories import Scene, Story
from capsules.models.uploads import Upload, UploadLink, UploadPart

__all__ = [
    "Asset",
    "EditingSession",
    "Encode",
    "HiddenBlob",
    "Origin",
    "Preview",
    "Process",
    "Revision",
    "Scene",
    "Story",
    "Upload",
    "UploadLink",
    "UploadPart",
]
