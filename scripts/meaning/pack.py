"""Writes the table: `python pack.py MODEL PIECES OUT NAME`. Its format is in src/recall/embed/meaning/meaning-table.ts."""
import json
import struct
import sys
import zlib

import numpy as np

MOST = 7  # the largest of a row's numbers, which have four bits


def is_written(piece):
    """A piece of Latin letters, digits or punctuation: the model knows English alone."""
    word = piece.removeprefix('##')
    if (piece.startswith('[') and piece.endswith(']') and len(piece) > 1) or not word:
        return False
    if not all(ord(character) < 0x250 for character in word):
        return False
    return len(word) > 1 or word.isalnum() or not piece.startswith('##')


def quantise(rows):
    """Numbers of -7 to 7 and the scale of each row, fitted in turn."""
    scales = np.abs(rows).max(1) / MOST
    numbers = np.rint(rows / scales[:, None])
    for _ in range(3):
        scales = (numbers * rows).sum(1) / ((numbers * numbers).sum(1) + 1e-12)
        numbers = np.clip(np.rint(rows / scales[:, None]), -MOST, MOST)
    return numbers.astype(np.int16), scales


def main(model, pieces_path, out, name):
    pieces = np.load(pieces_path).astype(np.float64)
    with open(f'{model}/tokenizer.json') as file:
        ids = json.load(file)['model']['vocab']
    chosen = [(piece, i) for piece, i in sorted(ids.items(), key=lambda item: item[1]) if is_written(piece)]
    chosen = [(piece, i) for piece, i in chosen if np.abs(pieces[i]).max() > 0]
    numbers, scales = quantise(pieces[[i for _, i in chosen]])
    flat = np.append(numbers.reshape(-1), np.zeros(numbers.size % 2, np.int16)) & 15
    title, words = name.encode(), '\n'.join(piece for piece, _ in chosen).encode()
    body = title + words
    body += bytes(-(28 + len(body)) % 4) + scales.astype('<f4').tobytes()
    body += (flat[0::2] | (flat[1::2] << 4)).astype(np.uint8).tobytes()
    head = struct.pack('<5I', numbers.shape[1], len(chosen), len(title), len(words), zlib.crc32(body))
    with open(out, 'wb') as file:
        file.write(b'DBMEAN01' + head + body)
    print(f'{len(chosen)} pieces, {36 - 8 + len(body)} bytes')


main(*sys.argv[1:])
