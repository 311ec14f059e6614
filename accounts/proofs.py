"""Proof of work, for whoever sends more forms than a network usually does: a small sum for one browser, a costly one
for a thousand. No third party sees anything. The challenges are altcha's; static/proof.js solves them.
"""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import timedelta

import altcha
from django.core.cache import cache
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.throttling import RateExceeded, check_rate

LARGEST = 150_000  # sums at most; a phone does them in some seconds
SOLVED_WITHIN = timedelta(hours=1)
LONGEST = 2000  # characters of a solution


def check_flood(
    purpose: str, network: str, solution: str, *, proved: int, limit: int | None = None, per: int = 60
) -> None:
    """A few forms of one network, and more for who proves work, up to `proved`. Raises RateExceeded."""
    try:
        check_rate(purpose, network, per=per, limit=limit)
    except RateExceeded:
        if not is_solved(solution, purpose):
            raise
        check_rate(f"proved {purpose}", network, per=per, limit=proved)


def challenge(purpose: str) -> str:
    """A new challenge as JSON, for `data-challenge` of an input that proof.js fills."""
    options = altcha.ChallengeOptionsV1(
        max_number=LARGEST, hmac_key=proof_key(purpose), expires=timezone.now() + SOLVED_WITHIN
    )
    made = altcha.create_challenge_v1(options)
    return json.dumps(made.to_dict())


def is_solved(solution: str, purpose: str) -> bool:
    """Whether it solves a challenge of ours for this purpose, in time, and for the first time."""
    if not solution or len(solution) > LONGEST:
        return False
    try:
        good, _ = altcha.verify_solution_v1(solution, proof_key(purpose), check_expires=True)
        signature = str(json.loads(base64.b64decode(solution))["signature"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return False
    spent = hashlib.sha256(signature.encode()).hexdigest()[:40]
    return bool(good) and cache.add(f"proof:{spent}", 1, int(SOLVED_WITHIN.total_seconds()) + 60)


def proof_key(purpose: str) -> str:
    return salted_hmac("accounts.proofs", purpose, algorithm="sha256").hexdigest()
