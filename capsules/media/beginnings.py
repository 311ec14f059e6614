"""Where a film begins to be seen: many fade in from black."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from capsules.media.child import Limits, Pulse, TimedOut, wait_for
from capsules.media.ffmpeg import Encoder, untrusted
from capsules.media.probe import Packets

#: Lets only frames pass of which a twentieth of the pixels can be seen.
SEEN = "blackframe=amount=0:threshold=48,metadata=select:key=lavfi.blackframe.pblack:value=95:function=less"
EARLIER = 0.001  # seconds: a time is rounded, and the frame at it is wanted, not the next
LIMITS = Limits(seconds=10, cpu_seconds=8, address_space=4 << 30, file_size=1 << 20, nice=0)


def first_seen(source: Path, decoder: str | None, pulse: Pulse) -> float:
    """When the first frame is shown that is not black; 0 for a film that is all black, or where it cannot be told."""
    frames = Packets()
    listed = ["-map", "0:V:0", "-vf", SEEN, "-frames:v", "1", "-f", "framecrc", "pipe:1"]
    arguments = ["-nostats", *untrusted(source, decoder), *listed]
    with suppress(TimedOut), Encoder(arguments, LIMITS, hear=frames.hear) as encoder:
        wait_for([encoder], LIMITS.seconds, pulse.beat)
    return max(0.0, frames.begins - EARLIER)
