"""The first ten of the stories that are ready and unpublished."""

from .story_forms import DemoStory, scene, story

READY: tuple[DemoStory, ...] = (
    story(
        "The Clockmaker’s Holiday",
        "Wren Castellane",
        "For one week nobody wound the town clock, and nobody was late.",
        scene(
            "Stopped",
            "city",
            "At ten past eight the church clock stopped in the rain. The clockmaker had left a note: gone to "
            "look at something slower.",
        ),
        scene(
            "Slower",
            "orchard",
            "He spent Monday watching an apple. He is almost sure that it moved.",
        ),
        scene(
            "Ten past eight",
            "harbour",
            "When he came home the market was in full cry. “What time is it?” he asked. “Time for "
            "breakfast,” they said, and it was.",
        ),
    ),
    story(
        "The Cartographer’s Mistake",
        "Idris Vale",
        "A lake that was drawn by accident, and the people who moved to its shore.",
        scene(
            "The drop",
            "library",
            "It fell from the pen at two in the morning. Rather than start the sheet again, she gave it a "
            "coastline and a modest depth.",
        ),
        scene(
            "Settlers",
            "desert",
            "They came with boats on the backs of camels. The map was quite clear about it, they said, and "
            "pointed at the dunes.",
        ),
        scene(
            "Rain",
            "crossing",
            "It rained for a year. Nobody has ever proved a connection. The ferry company thanks the "
            "cartographer every Christmas, in kind.",
        ),
        scene(
            "Second edition",
            "jetty",
            "On the new map there is a jetty, too. She put it there on purpose, and went to see whether it "
            "would hold.",
        ),
    ),
    story(
        "The Bees of Number Nine",
        "Lotte Brandt",
        "Three hives, one telephone, and a neighbourhood that learned to listen.",
        scene(
            "The call",
            "orchard",
            "You must tell the bees, her aunt said on the telephone: births, weddings, who has moved away. "
            "Otherwise they take offence and leave.",
        ),
        scene(
            "News",
            "kitchen",
            "So every evening she collected what there was. It turned out that nobody in the street had ever "
            "been asked.",
        ),
        scene(
            "Honey",
            "glasshouse",
            "At the end of the summer there was a jar for each house. Hers tasted of lime trees, and very "
            "slightly of the Hendersons’ divorce.",
        ),
    ),
    story(
        "Signal Box Number Four",
        "Rowan Fairweather",
        "The quietest posting on the line, and the woman who asked for it twice.",
        scene(
            "Up line",
            "viaduct",
            "Six trains a day, three each way. Between them she has the whole valley to herself and uses "
            "most of it.",
        ),
        scene(
            "Down line",
            "autumn",
            "A stag crosses at four, when there is nothing due. She has entered him in the register as "
            "special traffic.",
        ),
        scene(
            "Line clear",
            "observatory",
            "After the last train she puts the lamp out and lets the stars come up to the window. They run "
            "to time here.",
        ),
        scene(
            "All stations",
            "morning",
            "They offered her the junction, with staff. She thanked them, and asked whether it had a stag.",
        ),
    ),
    story(
        "The Understudy Moon",
        "Kenji Morrow",
        "What happens on the nights when the real one cannot come.",
        scene(
            "Indisposed",
            "hill-house",
            "On those nights the sky sends a sliver and hopes that nobody will notice. The woman on the hill "
            "notices. She lights a second lamp.",
        ),
        scene(
            "Extras",
            "lanterns",
            "Down at the river they have heard. By ten o’clock everyone has brought what light they have, "
            "and let it go.",
        ),
        scene(
            "Curtain call",
            "crossing",
            "The next night the moon is back, full and a little embarrassed. The applause goes on until the "
            "ferry has crossed.",
        ),
    ),
    story(
        "Seven Words for Fog",
        "Ines Okafor",
        "A dictionary maker comes to the coast for one word and stays for the others.",
        scene(
            "Haar",
            "lighthouse",
            "The first is for fog that comes in from the sea on a fine day, like a guest who was told eight "
            "and arrives at noon.",
        ),
        scene(
            "Smirr",
            "city",
            "The second is finer than rain and wetter than mist. You need not open an umbrella, they told "
            "her. It will come in underneath.",
        ),
        scene(
            "Unnamed",
            "morning",
            "The seventh has no word. It lies in the valleys for half an hour after sunrise. When it goes, "
            "you find that you have forgiven somebody.",
        ),
        scene(
            "Proofs",
            "library",
            "She left the line blank in the printed edition. People write to say what they call it. She has "
            "eleven hundred letters, and all of them are right.",
        ),
    ),
    story(
        "The Museum of Small Weather",
        "Noor Abadi",
        "Admission is free; please leave your umbrella dry.",
        scene(
            "Room one",
            "glasshouse",
            "Here we keep a warm evening from June. Visitors may sit in it for as long as they like, but not "
            "take cuttings.",
        ),
        scene(
            "Room two",
            "hut",
            "The snow of 1963, complete. The guard comes from the valley where it fell and still walks round "
            "it on tiptoe.",
        ),
        scene(
            "Room three",
            "desert",
            "A breeze, presented by a caravan. It is only here on loan, and looks at the door a good deal.",
        ),
        scene(
            "Gift shop",
            "kitchen",
            "We sell nothing. But there is tea, and a window, and it looks like clearing up.",
        ),
    ),
    story(
        "Grandmother’s Submarine",
        "Tomas Lindqvist",
        "She built it in the boathouse out of two boilers and a grudge.",
        scene(
            "Launch",
            "harbour",
            "The whole harbour came to see it sink. It did so, beautifully, and on purpose.",
        ),
        scene(
            "Ten fathoms",
            "undersea",
            "A whale swam alongside for an hour with her calf. “She was showing him,” my grandmother said, "
            "“what happens when you do not give up.”",
        ),
        scene(
            "Surface",
            "jetty",
            "She came up by the jetty at sunset, opened the hatch and asked for a sandwich. The grudge, she "
            "said, had not survived the pressure.",
        ),
    ),
    story(
        "Der leise Nachtzug",
        "Lotte Brandt",
        "Ein Schaffner, der niemanden weckt, und ein Fahrgast, der nicht aussteigen will.",
        scene(
            "Abfahrt",
            "viaduct",
            "Er pfeift nicht, er nickt. Wer den Nachtzug nimmt, hat den Tag über genug gehört.",
            alt="Ein Dampfzug mit roten Wagen fährt bei Sonnenuntergang über ein hohes Viadukt, unter ihm "
            "Nebel im Tal.",
        ),
        scene(
            "Mitternacht",
            "hut",
            "Irgendwo hinter den Bergen steht eine Hütte, in der immer Licht ist. Der Zug wird dort "
            "langsamer. Im Fahrplan steht davon nichts.",
            alt="Eine verschneite Berghütte mit hellen Fenstern unter spitzen Gipfeln, darüber grünes und "
            "violettes Nordlicht.",
        ),
        scene(
            "Ankunft",
            "morning",
            "„Endstation“, sagt er leise. Der Fahrgast schaut auf die Hügel und fragt, ob man auch bis zum "
            "Frühstück fahren könne. Man kann.",
            alt="Blaue Hügelketten hintereinander, jede blasser als die vorige, dazwischen Nebel, eine "
            "tiefe Sonne und Vögel.",
        ),
        language="de",
    ),
    story(
        "The Borrowed Garden",
        "Maud Terrier",
        "A woman with no garden is lent one, a square foot at a time.",
        scene(
            "The sill",
            "kitchen",
            "It begins with basil. Then the man downstairs asks whether she would mind a tomato, only until "
            "he is back.",
        ),
        scene(
            "The roof",
            "city",
            "By June she has pots on every ledge of the house and one on the roof, in the care of the cat.",
        ),
        scene(
            "The key",
            "glasshouse",
            "In autumn the gardener of the old park puts a key into her hand. “Winter quarters,” he says. "
            "“You look like somebody who talks to them.”",
        ),
        scene(
            "The orchard",
            "orchard",
            "When at last she has ground of her own, she plants one tree for every neighbour. They come to "
            "visit, and bring basil.",
        ),
    ),
)
