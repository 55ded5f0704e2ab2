"""Writes src/recall/embed/meaning/character-table.ts: how the original tokenizer sorts characters. It asks the
tokenizer itself, because its version of Unicode is older than that of any host.

python scripts/meaning/character-table.py <tokenizer.json> src/recall/embed/meaning/character-table.ts
"""
import sys

from tokenizers import Tokenizer

HEAD = '''// How the tokenizer of BERT sorts characters. Made by scripts/meaning/character-table.py, never by hand.
// Invariant: the tables are those of the original, whatever version of Unicode the host has, so that all hosts split a
// text in the same way.

/** Ranges of code points, in order: for each the gap since the range before and the length minus 1, in base 36. */
'''


def ranges_of(points):
    found = []
    for point in points:
        # Lone surrogates are no characters. Here they count as their neighbours do.
        if found and point - found[-1][1] in (1, 0xE000 - 0xD7FF):
            found[-1][1] = point
        else:
            found.append([point, point])
    return found


def base36(number):
    digits = ''
    while True:
        number, rest = divmod(number, 36)
        digits = '0123456789abcdefghijklmnopqrstuvwxyz'[rest] + digits
        if number == 0:
            return digits


def packed(points):
    numbers, end = [], 0
    for first, last in ranges_of(points):
        numbers += [base36(first - end), base36(last - first)]
        end = last
    return ' '.join(numbers)


def main(tokenizer_path, module_path):
    tokenizer = Tokenizer.from_file(tokenizer_path)
    points = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    normal = {point: tokenizer.normalizer.normalize_str(f'a{chr(point)}b') for point in points}
    words = {point: tokenizer.pre_tokenizer.pre_tokenize_str(f'a{chr(point)}b') for point in points}
    tables = {
        'dropped': ('Controls, and marks without width', [point for point in points if normal[point] == 'ab']),
        'spaces': ('Spaces', [point for point in points if normal[point] == 'a b']),
        'punctuation': ('Each is a word of its own', [point for point in points if len(words[point]) == 3]),
        'ideographs': (
            'Each is a word of its own',
            [point for point in points if normal[point].startswith('a ') and len(normal[point]) > 3],
        ),
    }
    with open(module_path, 'w', encoding='utf-8') as file:
        file.write(HEAD)
        file.write('export const characterTable = {\n')
        for name, (comment, found) in tables.items():
            file.write(f"  /** {comment}. */\n  {name}:\n    '{packed(found)}',\n")
        file.write('} as const\n')


main(*sys.argv[1:])
