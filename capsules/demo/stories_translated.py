"""The first story in German and in Arabic: what readers of other languages get, and of one written to the left."""

from .story_forms import scene, story

GERMAN = story(
    "Die letzte Fähre nach Aldermoor",
    "Ines Okafor",
    "Ein Fahrgast, ein Brief und ein See, der seine eigene Zeit hat.",
    scene(
        "In der Dämmerung",
        "jetty",
        "Die letzte Fähre verlässt Aldermoor in der Dämmerung, ob jemand an Bord ist oder nicht. Heute Abend gibt es einen "
        "Fahrgast, und sie trägt einen Brief im Mantel.",
        alt="Ein See bei Sonnenuntergang. Eine Frau mit einem Koffer wartet unter einer Lampe am Ende eines Holzstegs, "
        "während ein kleiner Dampfer über violettes und oranges Wasser kommt.",
    ),
    scene(
        "Die Überfahrt",
        "crossing",
        "Auf halber Strecke wird der Motor zu einem Murmeln. Der Kapitän hört dem See gern beim Denken zu. Unter dem Mond wird "
        "selbst das Kielwasser still.",
        alt="Eine Fähre mit hellen Fenstern nachts auf einem stillen See, daneben der Vollmond und sein gebrochener Weg aus "
        "Licht.",
    ),
    scene(
        "Das Licht",
        "lighthouse",
        "Dann Nebel, und aus ihm das Licht: drei Sekunden Gold, neun Sekunden Dunkel. Seit vierzig Jahren steigt jede Nacht "
        "jemand diese Treppe hinauf.",
        alt="Ein rot-weißer Leuchtturm auf einem dunklen Felsen im Nebel, sein Strahl reicht weit über graugrünes Wasser.",
    ),
    scene(
        "Morgen",
        "morning",
        "Am Morgen sind die Hügel wieder da, einer nach dem anderen, jeder blasser als der vorige, als überlegte der Tag noch, "
        "wie weit er gehen will.",
        alt="Reihen blauer Hügel, jede blasser als die davor, mit Nebel dazwischen, einer tiefen blassen Sonne und einem "
        "Vogelschwarm.",
    ),
    scene(
        "Das Ende",
        "hill-house",
        "Oben auf dem Hügel liest sie den Brief. Darin steht nur: Das Wasser ist schon aufgesetzt.",
        alt="Ein kleines Haus mit hellen Fenstern auf einem Hügel in der Dämmerung. Ein Weg windet sich unter einer Mondsichel "
        "zur Tür hinauf.",
    ),
    language="de",
)
ARABIC = story(
    "العبّارة الأخيرة إلى ألدرمور",
    "Ines Okafor",
    "راكبة واحدة، ورسالة واحدة، وبحيرة لها ساعاتها الخاصة.",
    scene(
        "عند الغسق",
        "jetty",
        "تغادر العبّارة الأخيرة ألدرمور عند الغسق، سواء كان على متنها أحد أم لا. هذا المساء راكبة واحدة، وفي معطفها رسالة.",
        alt="بحيرة عند الغروب. امرأة تحمل حقيبة تنتظر تحت مصباح في آخر رصيف خشبي، بينما تقترب عبّارة بخارية صغيرة فوق ماء "
        "بنفسجي وبرتقالي.",
    ),
    scene(
        "العبور",
        "crossing",
        "في منتصف الطريق يخفت صوت المحرك حتى يصير همسًا. يحب القبطان أن يسمع البحيرة وهي تفكر. وتحت ضوء القمر يسكن حتى أثر "
        "العبّارة في الماء.",
        alt="عبّارة نوافذها مضاءة فوق بحيرة ساكنة ليلًا، وإلى جانبها بدر يمتد ضوؤه متكسرًا على الماء.",
    ),
    scene(
        "الضوء",
        "lighthouse",
        "ثم يأتي الضباب، ومنه يخرج الضوء: ثلاث ثوانٍ من الذهب، وتسع من العتمة. منذ أربعين عامًا يصعد أحدهم تلك الدرجات كل ليلة.",
        alt="منارة حمراء وبيضاء على صخرة داكنة في الضباب، يمتد شعاعها بعيدًا فوق ماء رمادي مخضرّ.",
    ),
    scene(
        "الصباح",
        "morning",
        "مع الصباح عادت التلال واحدًا بعد آخر، كل واحد أبهت من سابقه، كأن النهار لم يقرر بعد إلى أين يمضي.",
        alt="صفوف من التلال الزرقاء، كل صف أبهت من الذي أمامه، بينها ضباب، وشمس شاحبة منخفضة وسرب من الطيور.",
    ),
    scene(
        "النهاية",
        "hill-house",
        "على التل تقرأ الرسالة. لا تقول سوى: الشاي على النار.",
        alt="بيت صغير نوافذه مضاءة فوق تل عند الغسق. يصعد إلى بابه طريق متعرج تحت هلال.",
    ),
    language="ar",
)
