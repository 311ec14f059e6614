"""The few fixed words of a premiere email, in the language of its capsule."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    language: str
    open: str  # the button of a teaser
    watch: str  # the button after the whole capsule
    cut: str  # the button where a long capsule was cut
    by: str  # {author}
    why: str  # {workspace}
    leave: str


_ALL = (
    Words(
        "en",
        "Open the capsule",
        "See it in motion",
        "Continue reading",
        "By {author}",
        "You get this email because you subscribed to {workspace}.",
        "Unsubscribe",
    ),
    Words(
        "de",
        "Geschichte öffnen",
        "In Bewegung ansehen",
        "Weiterlesen",
        "Von {author}",
        "Sie erhalten diese E-Mail, weil Sie {workspace} abonniert haben.",
        "Abbestellen",
    ),
    Words(
        "fr",
        "Ouvrir le récit",
        "Voir le récit animé",
        "Lire la suite",
        "Par {author}",
        "Vous recevez cet e-mail parce que vous êtes abonné à {workspace}.",
        "Se désabonner",
    ),
    Words(
        "es",
        "Abrir el relato",
        "Verlo en movimiento",
        "Seguir leyendo",
        "Por {author}",
        "Recibes este correo porque te suscribiste a {workspace}.",
        "Darse de baja",
    ),
    Words(
        "it",
        "Apri il racconto",
        "Guardalo in movimento",
        "Continua a leggere",
        "Di {author}",
        "Ricevi questa email perché segui {workspace}.",
        "Annulla l'iscrizione",
    ),
    Words(
        "nl",
        "Open het verhaal",
        "Bekijk het in beweging",
        "Lees verder",
        "Door {author}",
        "Je krijgt deze e-mail omdat je je op {workspace} hebt geabonneerd.",
        "Afmelden",
    ),
    Words(
        "pt",
        "Abrir a história",
        "Ver em movimento",
        "Continuar a ler",
        "Por {author}",
        "Recebe este e-mail porque subscreveu {workspace}.",
        "Cancelar a subscrição",
    ),
)
_BY_LANGUAGE = {words.language: words for words in _ALL}
RIGHT_TO_LEFT = frozenset(["ar", "fa", "he", "ur", "yi", "ps", "sd", "ckb", "dv"])


def words_in(language: str) -> Words:
    """The words in a language (BCP 47); English where we have none."""
    return _BY_LANGUAGE.get(primary(language), _ALL[0])


def direction(language: str) -> str:
    return "rtl" if primary(language) in RIGHT_TO_LEFT else "ltr"


def primary(language: str) -> str:
    return language.split("-")[0].lower()
