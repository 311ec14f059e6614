"""The other ten stories that are ready, and the two of the second workspace."""

from .story_forms import DemoStory, scene, story

MORE: tuple[DemoStory, ...] = (
    story(
        "The Lost Property Office",
        "Wren Castellane",
        "Umbrellas, mostly. But also one Tuesday, and half of a song.",
        scene(
            "Shelf A",
            "library",
            "He keeps them in order of how much they are missed. The umbrellas are at the bottom and know "
            "it.",
        ),
        scene(
            "Shelf F",
            "viaduct",
            "The half song was handed in by a stoker, who found it in third class between two stations. It "
            "goes up at the end, like a question.",
        ),
        scene(
            "A claim",
            "jetty",
            "Years later a woman with a suitcase hums the other half at the counter without noticing. He "
            "asks her to sign here, and here.",
        ),
        scene(
            "Returned",
            "lanterns",
            "They sang it on the bridge that summer. The Tuesday has still not been collected.",
        ),
    ),
    story(
        "Fifty Fathoms of Quiet",
        "Noor Abadi",
        "A sound recordist goes looking for silence and finds it occupied.",
        scene(
            "Dive one",
            "undersea",
            "She lowers the microphone past the shrimp, who sound like frying, and past the shipping lane. "
            "At fifty fathoms somebody is already singing.",
        ),
        scene(
            "Playback",
            "crossing",
            "That night she plays the tape on deck, very softly, out over the water. The captain takes off "
            "his cap.",
        ),
        scene(
            "The catalogue",
            "library",
            "It is filed under silence, with a note: contains one whale, one calf, and the moment at which "
            "they noticed us.",
        ),
    ),
    story(
        "The Winter Postbox",
        "Signe Halvorsen",
        "Nobody empties the highest postbox in the country before May. People know that.",
        scene(
            "November",
            "hut",
            "The last collection is on the second. After that you may post whatever you have to say to "
            "somebody you are not ready to hear from.",
        ),
        scene(
            "February",
            "observatory",
            "The letters lie in the dark and settle. The astronomer from the ridge walks over to post hers "
            "when it is clear. She has written the same one for six winters.",
        ),
        scene(
            "May",
            "morning",
            "In May they bring the sack down by mule. Most senders are waiting at the bottom. About half ask "
            "to have theirs back.",
        ),
        scene(
            "Delivered",
            "hill-house",
            "This year one letter from the ridge was not called for. It came to the house on the hill on a "
            "Thursday, and was answered by return.",
        ),
    ),
    story(
        "The Apprentice Cloud",
        "Kenji Morrow",
        "It was told to rain on Thursday and had other ideas.",
        scene(
            "Instruction",
            "orchard",
            "The old clouds made it look simple: gather, darken, let go. The small one over the orchard kept "
            "stopping to look at the bees.",
        ),
        scene(
            "First try",
            "desert",
            "It drifted too far and let go over the desert by mistake. Eleven drops. A camel looked up, and "
            "has not stopped talking about it since.",
        ),
        scene(
            "Mastery",
            "city",
            "Now it has the whole town to itself, Thursdays and Sundays, and never hurries. It likes the "
            "sound the roofs make.",
        ),
    ),
    story(
        "Minutes of the Night Council",
        "Rowan Fairweather",
        "Present: one owl (chair), two moths, the stag, apologies from the fox.",
        scene(
            "Item one",
            "autumn",
            "The stag reported that the path was again full of leaves. It was agreed to do nothing, as last "
            "year, with great success.",
        ),
        scene(
            "Item two",
            "glasshouse",
            "The moths moved that the large lamp in the garden be recognised as a moon. The owl said that it "
            "could not recognise anything with a door.",
        ),
        scene(
            "Any other business",
            "hill-house",
            "A light in the house was noted, and that somebody there was awake. The council resolved to keep "
            "her company, and sat until it went out.",
        ),
    ),
    story(
        "The Bridge Toll",
        "Idris Vale",
        "To cross you had to leave something you would not need on the other side.",
        scene(
            "Morning",
            "harbour",
            "The traders left their cross words there on market days, and fetched them again on the way "
            "home. It took up a good deal of room.",
        ),
        scene(
            "Evening",
            "lanterns",
            "Lovers usually left a reason. The keeper had a drawer full of them, all excellent, none of them "
            "used.",
        ),
        scene(
            "Paid",
            "kitchen",
            "When the toll was lifted he took home one thing: a child’s fear of the dark, handed in at six "
            "years old. He keeps a light on for it.",
        ),
    ),
    story(
        "The Woman Who Mended Sails",
        "Ines Okafor",
        "She sewed something into every one of them, and never said what.",
        scene(
            "Red hull",
            "harbour",
            "The red boat had been through four owners and nine storms on the same sail. “Strong thread,” "
            "they told one another.",
        ),
        scene(
            "Fog",
            "lighthouse",
            "The night they lost the channel, the skipper swore that the sail leaned left on its own. He let "
            "it.",
        ),
        scene(
            "The seam",
            "jetty",
            "After she died they opened one hem, on the jetty, all of them standing round. It was a line of "
            "writing, a foot long, in blue: come home for supper.",
        ),
        scene(
            "Supper",
            "kitchen",
            "They sewed it up again. Nobody has been late since.",
        ),
    ),
    story(
        "Notes for a Night Walk",
        "Dr. Amara Lindgren",
        "A short guide for people who have forgotten that the dark is also a place.",
        scene(
            "Leave the lamp",
            "hill-house",
            "Close the door behind you and count to three hundred. Your eyes are older than electricity and "
            "remember what to do.",
        ),
        scene(
            "Listen",
            "autumn",
            "A wood is never silent. If you hear nothing at all, something is listening to you, and it is "
            "usually a deer.",
        ),
        scene(
            "Look up",
            "observatory",
            "Choose a dark patch and keep looking. It fills. This takes about as long as an apology.",
        ),
        scene(
            "Come back",
            "city",
            "From the last corner the town looks as if somebody had left it on for you. They have.",
        ),
        scene(
            "Tea",
            "kitchen",
            "Do not switch on the big light yet.",
        ),
    ),
    story(
        "The Camel Who Kept Accounts",
        "Idris Vale",
        "Fourth in the caravan, and the only one who could be trusted with figures.",
        scene(
            "Assets",
            "desert",
            "Eleven sacks of salt, two rugs, one merchant who sang. She entered the singing under losses and "
            "then, after a cold night, moved it.",
        ),
        scene(
            "Expenses",
            "harbour",
            "At the coast they wanted three rugs for a barrel of lemons. She sat down on the quay. They "
            "wanted two.",
        ),
        scene(
            "Balance",
            "observatory",
            "Under the open sky she went through it all again. Whichever way she added it, they had set out "
            "with less than they were carrying now.",
        ),
    ),
    story(
        "The First Train Home",
        "Wren Castellane",
        "A night nurse, a sleeping town, and the best seat on the line.",
        scene(
            "Off duty",
            "city",
            "At five the rain has the streets to itself. She walks in the middle of the road because she "
            "can.",
        ),
        scene(
            "Carriage two",
            "viaduct",
            "The guard keeps the corner seat for her and has never said so. He puts his cap on it, and takes "
            "it away when she comes.",
        ),
        scene(
            "Over the valley",
            "morning",
            "Tonight there were two births. She looks at the hills and thinks: they have no idea yet, the "
            "two of them, that there is all this.",
        ),
        scene(
            "Her stop",
            "orchard",
            "She walks the last mile through the orchard, takes one apple, and is asleep before it is gone.",
        ),
    ),
)

HARBOUR: tuple[DemoStory, ...] = (
    story(
        "The Harbourmaster’s Cat",
        "Pilar Quennell",
        "Officially there is no cat. Unofficially she signs for the fish.",
        scene(
            "Arrivals",
            "harbour",
            "She meets every boat. The skippers report to the office afterwards, out of politeness.",
        ),
        scene(
            "Rounds",
            "city",
            "At night she inspects the roofs, all of them, in any weather. In eleven years not one has gone "
            "missing.",
        ),
        scene(
            "Filed",
            "library",
            "In the annual report there is a line: night watch, one, paid in herring. The auditors have "
            "never asked.",
        ),
    ),
    story(
        "Low Water, High Water",
        "Pilar Quennell",
        "Six hours each way: a day as the harbour counts it.",
        scene(
            "Ebb",
            "jetty",
            "The water goes out to see what is there. Whoever is late for the ferry can walk the first part.",
        ),
        scene(
            "Slack",
            "undersea",
            "For twenty minutes nothing moves. The whale out in the bay turns on her side and looks at the "
            "light.",
        ),
        scene(
            "Flood",
            "crossing",
            "Then it all comes back, a little rearranged, with the moon on top.",
        ),
        scene(
            "Log",
            "lighthouse",
            "High water 22.14. Same as ever, says the keeper’s book, and underneath: never the same.",
        ),
    ),
)
