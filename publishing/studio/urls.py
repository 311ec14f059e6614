from django.urls import path

from publishing.studio import (
    beginnings,
    capsules,
    editions,
    editor,
    face,
    frame,
    history,
    media,
    previews,
    publish,
    pulse,
    qr,
    sending,
    token,
)

WORKSPACE = "<uuid:workspace>"
STORY = "stories/<uuid:story>"

urlpatterns = [
    path("token", token.token, name="studio_token"),
    path("qr", qr.qr, name="studio_qr"),
    path(WORKSPACE, capsules.capsules, name="studio_capsules"),
    path(f"{WORKSPACE}/new", beginnings.new, name="studio_new"),
    path(f"{WORKSPACE}/from-folder", beginnings.from_folder, name="studio_from_folder"),
    path("up/<str:secret>", sending.send, name="studio_send"),
    path(f"{WORKSPACE}/sample", beginnings.sample, name="studio_sample"),
    path(f"{WORKSPACE}/face", face.face, name="studio_face"),
    path(f"{WORKSPACE}/media", media.media, name="studio_media"),
    path(f"{WORKSPACE}/trash", beginnings.trash_list, name="studio_trash"),
    path(STORY, editor.editor, name="studio_editor"),
    path(f"{STORY}/duplicate", beginnings.duplicate, name="studio_duplicate"),
    path(f"{STORY}/export", beginnings.export, name="studio_export"),
    path(f"{STORY}/trash", beginnings.trash_one, name="studio_trash_one"),
    path(f"{STORY}/restore", beginnings.restore, name="studio_restore"),
    path(f"{STORY}/purge", beginnings.purge, name="studio_purge"),
    path(f"{STORY}/frame", frame.frame, name="studio_frame"),
    path(f"{STORY}/pulse", pulse.pulse, name="studio_pulse"),
    path(f"{STORY}/publish", publish.publish, name="studio_publish"),
    path(f"{STORY}/prepare", publish.prepare, name="studio_prepare"),
    path(f"{STORY}/live", publish.live, name="studio_live"),
    path(f"{STORY}/editions", editions.editions_page, name="studio_editions"),
    path(f"{STORY}/history", history.history, name="studio_history"),
    path(f"{STORY}/history/<int:number>/frame", history.revision_frame, name="studio_revision_frame"),
    path(f"{STORY}/versions", history.versions, name="studio_versions"),
    path(f"{STORY}/versions/<int:number>/frame", history.version_frame, name="studio_version_frame"),
    path(f"{STORY}/preview/", previews.latest, name="studio_previews"),
    path(f"{STORY}/preview/<int:number>", previews.preview, name="studio_preview"),
    path(f"{STORY}/preview/<int:number>/frame", previews.preview_frame, name="studio_preview_frame"),
    path(f"{STORY}/preview/<int:number>/letter/<str:mode>", previews.letter, name="studio_letter"),
]
