"""The second edition of the first story, for the classroom."""

from .story_forms import scene, story

EDITION = story(
    "The Last Ferry to Aldermoor",
    "Ines Okafor",
    "The same crossing in simpler words, with a question for every scene.",
    scene(
        "At dusk",
        "jetty",
        "It is evening. The last ferry is going to leave. Only one woman wants to travel. She has a "
        "letter in her coat. Who do you think wrote the letter?",
    ),
    scene(
        "The crossing",
        "crossing",
        "The ferry is in the middle of the lake. The captain makes the engine quiet. The moon is bright. "
        "What can you hear when everything is quiet?",
    ),
    scene(
        "The light",
        "lighthouse",
        "Now there is fog. A light shines for three seconds, then it is dark for nine. Somebody looks "
        "after that light every night. Why do ships need it?",
    ),
    scene(
        "Morning",
        "morning",
        "In the morning the woman can see the hills again. The near hills are dark and the far hills are "
        "pale. How many hills can you count?",
    ),
    scene(
        "The end",
        "hill-house",
        "She walks up to the house and opens her letter. It says: the kettle is on. What does that mean, "
        "and how does she feel?",
    ),
)
