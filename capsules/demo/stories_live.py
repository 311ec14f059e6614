"""The stories that are live from the start; the first three share ten pictures, so they encode quickly."""

from .story_forms import DemoStory, scene, story

LIVE: tuple[DemoStory, ...] = (
    story(
        "The Last Ferry to Aldermoor",
        "Ines Okafor",
        "One passenger, one letter, and a lake that keeps its own hours.",
        scene(
            "At dusk",
            "jetty",
            "The last ferry leaves Aldermoor at dusk, whether or not anyone is aboard. Tonight there is one "
            "passenger, and she has a letter in her coat.",
        ),
        scene(
            "The crossing",
            "crossing",
            "Halfway over, the engine drops to a murmur. The captain likes to hear the lake think. Under the "
            "moon, even the wake goes quiet.",
        ),
        scene(
            "The light",
            "lighthouse",
            "Then fog, and out of it the light: three seconds of gold, nine of dark. Someone has climbed "
            "those stairs every night for forty years.",
        ),
        scene(
            "Morning",
            "morning",
            "By morning the hills have come back one at a time, each paler than the last, as if the day were "
            "still deciding how far to go.",
        ),
        scene(
            "The end",
            "hill-house",
            "She reads the letter on the hill. It says only: the kettle is on.",
        ),
    ),
    story(
        "What the Apples Cost",
        "Tomas Lindqvist",
        "A boy sells his first basket of apples and brings home more than the money.",
        scene(
            "The ladder",
            "orchard",
            "His grandmother holds the ladder and does not look up. “Only the ones that want to come,” she "
            "says. “You will feel it in the stem.”",
        ),
        scene(
            "The quay",
            "harbour",
            "On the quay everyone shouts but him. He has polished each apple on his sleeve until the painted "
            "houses showed in it, very small, upside down.",
        ),
        scene(
            "A trade",
            "jetty",
            "The last three go to a woman who is waiting for the ferry. She has no coins, only a story, and "
            "she tells it twice so that he can carry it home without spilling.",
        ),
        scene(
            "Change",
            "kitchen",
            "His grandmother counts the coins, then asks what else. He tells her the story. She puts the "
            "kettle on and says that he has been overpaid.",
        ),
        look={"theme": "paper", "accent": "#b5432a"},
    ),
    story(
        "The 7.40 from Harrow",
        "Wren Castellane",
        "Every evening a train crosses the valley, and someone in it looks for one lit window.",
        scene(
            "Window seat",
            "viaduct",
            "She takes the left side, always, for the forty seconds in which the whole valley lies open like "
            "a letter that somebody forgot to fold.",
        ),
        scene(
            "The hill",
            "hill-house",
            "There is a house on the far hill that she has never visited. In March its window was dark for a "
            "week, and she worried about people whose names she did not know.",
        ),
        scene(
            "Rain",
            "city",
            "Then the tunnel, then the town with its wet roofs. A cat watches the train come in as if it had "
            "been ordered.",
        ),
        scene(
            "Forty seconds",
            "morning",
            "On Sunday she walks there, nine miles. An old man opens the door and says: “You must be the "
            "7.40. We always wave.”",
        ),
        look={"accent": "#f0a35e", "face": "slab"},
    ),
    story(
        "The Keeper’s Last Log",
        "Ines Okafor",
        "On the night before the machine takes over, a lighthouse keeper writes down what the machine will "
        "not see.",
        scene(
            "21.00",
            "lighthouse",
            "Wind north-west, four. Lamp lit, lens cleaned, though from tomorrow it will clean itself. I "
            "told it where the smudge comes back.",
        ),
        scene(
            "23.30",
            "undersea",
            "The whale went by on the seaward side with her young one. I cannot see them, but the terns lift "
            "off the water in the shape of their backs.",
        ),
        scene(
            "02.15",
            "crossing",
            "The late ferry, on time. The captain dips her light, I dip mine. There is no column in this "
            "book for that.",
        ),
        scene(
            "05.50",
            "morning",
            "Lamp out. Nothing to report, and forty years of it. I have left the door on the latch and a "
            "chair at the top for whoever likes to look.",
        ),
        look={"theme": "ink", "face": "sans"},
    ),
    story(
        "La lampe verte",
        "Maud Terrier",
        "Une bibliothécaire laisse toujours une lampe allumée, et quelqu’un finit par répondre.",
        scene(
            "La fermeture",
            "library",
            "Chaque soir, elle éteint toutes les lampes sauf une. Le règlement l’interdit. Le chat, lui, a "
            "voté pour.",
            alt="Une salle de lecture la nuit : un chat sur le rebord d’une haute fenêtre, la lune, une "
            "lampe verte et un livre ouvert.",
        ),
        scene(
            "Les toits",
            "city",
            "De l’autre côté des toits, sous la pluie, une fenêtre s’allume à la même heure. Pendant tout "
            "l’hiver, elles se disent bonsoir sans un mot.",
            alt="Les toits d’une vieille ville sous la pluie du soir, des dizaines de fenêtres éclairées et "
            "un chat sur le faîte.",
        ),
        scene(
            "Le jardin",
            "glasshouse",
            "Au printemps, elle trouve entre deux pages une feuille de palmier et une invitation : la serre, "
            "minuit, apportez le chat.",
            alt="Une grande serre éclairée de l’intérieur dans un jardin, la nuit ; des palmiers derrière "
            "les vitres et des lucioles sur l’herbe.",
        ),
        scene(
            "Le thé",
            "kitchen",
            "C’était le jardinier. Il lisait à la lueur de sa lampe à elle depuis onze ans. Il dit "
            "simplement : je vous dois un peu de lumière.",
            alt="Une cuisine à l’heure bleue : une bouilloire bleu-vert et une tasse fumante devant une "
            "fenêtre aux pots d’herbes.",
        ),
        language="fr",
    ),
    story(
        "A Hundred Nights of Snow",
        "Signe Halvorsen",
        "Two strangers, one stove, and a winter that will not be hurried.",
        scene(
            "The door",
            "hut",
            "The path closed behind him in October. When he knocked, the woman inside said only that the "
            "soup was for two anyway, it always came out that way.",
        ),
        scene(
            "Talk",
            "observatory",
            "They spoke perhaps forty words a day and spent most of them on the sky. She knew the stars by "
            "the names her father had made up, and he never learned the others.",
        ),
        scene(
            "Thaw",
            "morning",
            "One morning the roof let go of its snow with a sigh, and the hills stood there again in their "
            "right order. Neither of them mentioned the path.",
        ),
        scene(
            "One night more",
            "kitchen",
            "He left in April and was back by noon. He had forgotten, he said, to wash his cup.",
        ),
        look={"theme": "day", "accent": "#2b5d9b", "face": "sans"},
    ),
    story(
        "Letters to a Whale",
        "Noor Abadi",
        "A girl who cannot swim starts a correspondence with somebody who does little else.",
        scene(
            "First letter",
            "harbour",
            "She writes it on the quay between two fish stalls, folds it into a boat and sets it on the ebb. "
            "Dear whale, it begins. You do not know me, but we share a sea.",
        ),
        scene(
            "The post",
            "undersea",
            "The letters travel slowly and arrive soft. Whether they are read nobody can say. But that "
            "summer a mother and her calf stay in the bay a month longer than they ever have.",
        ),
        scene(
            "An answer",
            "lighthouse",
            "The keeper hears it first: one long note under the fog, that leans on the windows. He writes "
            "down the hour, and under remarks: for somebody else.",
        ),
        scene(
            "Yours truly",
            "jetty",
            "She learns to swim the next spring, off the end of the jetty. It seemed rude, she says, to make "
            "them come the whole way.",
        ),
    ),
    story(
        "The Balloon Postman",
        "Idris Vale",
        "Where no road goes, the mail comes down on a rope, weather permitting.",
        scene(
            "Lift",
            "desert",
            "He carries nine letters, a pair of spectacles and a cake. The cake is for the caravan; it is "
            "somebody’s birthday, and they walk too fast to be caught on foot.",
        ),
        scene(
            "Drift",
            "morning",
            "You cannot steer a balloon, he tells his apprentice. You can only know eleven winds by name and "
            "be polite to them.",
        ),
        scene(
            "Connection",
            "viaduct",
            "At the viaduct he lowers the sack onto the moving train. It takes four seconds. He has "
            "practised it for twenty years, and the stoker still applauds.",
        ),
        scene(
            "Return to sender",
            "hill-house",
            "The last letter is his own, to the house on the hill, and says when he will be home. As usual, "
            "he gets there first.",
        ),
        look={"theme": "paper", "accent": "#1f6f5c", "face": "slab"},
    ),
    story(
        "The Glasshouse at Midnight",
        "Maud Terrier",
        "A flower that opens on one night a year, and everyone who sat up for it.",
        scene(
            "Ten o’clock",
            "glasshouse",
            "The whole street has come in slippers. The gardener hands out folding chairs and asks them, "
            "please, not to breathe on the glass.",
        ),
        scene(
            "Eleven",
            "city",
            "On the roofs it begins to rain, and the sound makes them all lean together. Somebody’s cat "
            "arrives, inspects the bud, and sits down in the front row.",
        ),
        scene(
            "Midnight",
            "lanterns",
            "It opens while they are all looking at the child who has fallen asleep. Nobody minds. They walk "
            "home along the river with their lamps, smelling of vanilla.",
        ),
    ),
    story(
        "How to Count the Stars",
        "Dr. Amara Lindgren",
        "An astronomer’s grandfather teaches her the only method that has ever worked.",
        scene(
            "Start anywhere",
            "observatory",
            "“Begin with one you like,” he said. “If you begin with the brightest, you will always be "
            "waiting for the next to be as good.”",
        ),
        scene(
            "Lose your place",
            "hut",
            "Around four hundred you will lose count. This is the important part. Have something warm to "
            "drink, and notice that they waited.",
        ),
        scene(
            "Ask for help",
            "library",
            "She looked it up, later, in every book there was. They gave a number with twenty-two zeros, and "
            "not one of them said which he had started with.",
        ),
        scene(
            "Begin again",
            "hill-house",
            "Tonight her own daughter points at a small one low over the roof. “That one,” she says. One.",
        ),
    ),
    story(
        "Lanterns for the River",
        "Kenji Morrow",
        "Once a year the town gives its river something back.",
        scene(
            "Paper",
            "kitchen",
            "They fold them at the kitchen table all through August. The rule is one lantern for each thing "
            "the river brought you, and you must not say what.",
        ),
        scene(
            "The bridge",
            "lanterns",
            "At nine the street lamps go out. For a moment nobody can see their hands. Then the first light "
            "comes round the bend, and the next, and the river remembers where it is going.",
        ),
        scene(
            "Downstream",
            "crossing",
            "Far out, the ferry stops its engine to let them pass. The passengers count forty, then sixty, "
            "then put away their watches.",
        ),
        scene(
            "The sea",
            "undersea",
            "None of them is ever found. The old people say that down there somebody lights a way for us "
            "too, and wonders where it goes.",
        ),
    ),
    story(
        "The Stag in October",
        "Rowan Fairweather",
        "A photographer waits eleven autumns for one picture and forgets to take it.",
        scene(
            "Eleven years",
            "autumn",
            "Every October she sits against the same beech with a flask and a camera. She has owls, she has "
            "a badger, she has a great deal of rain.",
        ),
        scene(
            "The light",
            "morning",
            "On the last day the mist comes up from the valley and the sun walks in under it. She hears "
            "leaves, then no leaves.",
        ),
        scene(
            "No picture",
            "hill-house",
            "“And?” they ask her at home. She shows them how it raised its head. They all agree that it is "
            "the best thing she has ever taken.",
        ),
    ),
)
