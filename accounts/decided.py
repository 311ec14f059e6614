"""What a decision of staff names: the ends of sentences that say why something was taken down, by Reason."""

from __future__ import annotations

from django.utils.translation import gettext_noop

BECAUSE = {
    "illegal": gettext_noop(" because it is against the law"),
    "rights": gettext_noop(" because it uses what belongs to somebody else"),
    "hate": gettext_noop(" because it spreads hate, threats or violence"),
    "spam": gettext_noop(" because it is spam, fraud or deceit"),
    "other": gettext_noop(" because it is against the rules of this service"),
}
