"""The broker of the embedded default: kombu's folder of files, where a file appears only when it is whole."""

from __future__ import annotations

import uuid
from pathlib import Path
from time import monotonic_ns

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    def _put(self, queue: str, payload: object, **kwargs: object) -> None:  # type: ignore[override]
        """Kombu shows the file before it locks and fills it; a worker that reads it then ends with an error."""
        name = f"{monotonic_ns()}_{uuid.uuid4()}.{queue}.msg"
        folder = Path(self.data_folder_out)
        unfinished = folder / f".{name}"  # which is the name of no queue
        try:
            unfinished.write_text(dumps(payload))
            unfinished.replace(folder / name)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise ChannelError(f"The message cannot be written to {folder}") from error


class Transport(filesystem.Transport):
    Channel = Channel
