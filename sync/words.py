"""Turn bytes into words that people can read to each other, one word for each byte.

The 256 words are short, known to most learners of English, and differ from each other in at least two
letters and within the first four: a slip in one letter is never another word, so a mistyped pairing
code is caught before it costs a guess. The list is part of the protocol; its order never changes.
"""

from typing import Final

_LIST: Final = """
acorn album alpine amber anchor apple apron arch aspen atlas attic autumn badge bagel bamboo banjo
barley basil basket beach bean beaver berry birch biscuit blanket bloom bonnet border bottle branch
brass bread breeze bridge bronze brook brush bucket butter cabin cactus camel canal candle canoe canvas
carpet carrot castle cedar cello chalk cherry chess chimney cider cinnamon circle clay cliff clock cloud
clover coast cobalt cocoa comet copper coral cotton cradle crane creek cricket crown crystal curtain
cushion daisy dancer delta denim desert dolphin donkey dragon drum dune eagle easel echo elbow engine
fabric falcon farmer feather fern fiddle finch flame flute forest fossil fox fudge galaxy garden garlic
gecko ginger glacier glove goose granite grape guitar hammer harbor harp hazel hedge heron hickory honey
hotel husky igloo indigo island ivory jacket jasmine jelly jigsaw jungle juniper kayak kettle kitten
koala ladder lagoon lantern laurel lemon lentil library lily lizard llama lobster lotus lumber lunch
magnet mango maple marble meadow melon mill mint mirror monsoon moss muffin museum napkin nectar needle
nest noodle nutmeg oak oasis oboe ocean olive onion orbit orchid otter oyster paddle palace panda paper
pebble pelican pencil pepper piano picnic pillow pine planet plum polar pony poppy prairie pumpkin
puzzle quail quartz quilt rabbit radish raven ribbon river robin rocket saffron salmon sandal satin
scarf shell silver sketch snow spice spruce squash starling stone summit swan table temple thistle
thunder tiger timber toffee tomato trumpet tulip tunnel turtle umbrella valley vanilla velvet violin
waffle walnut walrus window winter yarrow zebra zephyr
"""
WORDS: Final = tuple(_LIST.split())
INDEX_BY_WORD: Final = {word: index for index, word in enumerate(WORDS)}


def words_of(data: bytes) -> tuple[str, ...]:
    """One word for each byte."""
    return tuple(WORDS[byte] for byte in data)
