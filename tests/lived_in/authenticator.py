"""An authenticator app: six digits from a secret (RFC 6238)."""

from __future__ import annotations

import base64
import hmac
import struct
import time
from dataclasses import dataclass, field

PERIOD = 30  # seconds of a code


@dataclass
class Authenticator:
    """Its codes, each given once: the service takes none a second time."""

    secret: str
    last: int = field(default=0)

    def code(self) -> str:
        """The code of now; waits for the next one where this one was given already."""
        while (now := int(time.time()) // PERIOD) == self.last:
            time.sleep(0.2)
        self.last = now
        digest = hmac.digest(base64.b32decode(self.secret), struct.pack(">Q", now), "sha1")
        (number,) = struct.unpack_from(">I", digest, digest[-1] & 15)
        return f"{(number & 0x7FFFFFFF) % 10**6:06}"
