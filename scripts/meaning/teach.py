"""Embeds the texts with the model: `python teach.py MODEL ONNX TEXTS OUT`. Writes OUT.npy and OUT-done.npy every few
minutes; a new run continues there. Last it embeds each piece of the vocabulary alone: OUT-pieces.npy."""
import json
import os
import random
import sys

import numpy as np

from model import FIRST, LAST, Model, open_tokenizer

BATCH = 64
SAVE_EVERY = 400


def save(out, taught, done):
    np.save(f'{out}.npy', taught)
    np.save(f'{out}-done.npy', done)
    print(f'{done.sum()} of {len(done)} texts', flush=True)


def main(folder, onnx, texts_path, out):
    model, tokenizer = Model(onnx), open_tokenizer(folder)
    with open(texts_path) as file:
        lists = [encoded.ids for encoded in tokenizer.encode_batch(json.load(file))]
    if os.path.exists(f'{out}-done.npy'):
        taught, done = np.load(f'{out}.npy'), np.load(f'{out}-done.npy')
    else:
        taught, done = np.zeros((len(lists), 384), np.float16), np.zeros(len(lists), bool)
    # Texts of one length waste no padding; batches in random order make a part of the work a fair sample.
    order = np.argsort([len(pieces) for pieces in lists], kind='stable')
    starts = list(range(0, len(lists), BATCH))
    random.Random(0).shuffle(starts)
    for number, start in enumerate(starts):
        chosen = order[start:start + BATCH]
        if done[chosen].all():
            continue
        taught[chosen] = model.embed([lists[i] for i in chosen])
        done[chosen] = True
        if number % SAVE_EVERY == 0:
            save(out, taught, done)
    save(out, taught, done)
    size = tokenizer.get_vocab_size()
    alone = [model.embed([[FIRST, i, LAST] for i in range(at, min(at + 512, size))]) for at in range(0, size, 512)]
    np.save(f'{out}-pieces.npy', np.concatenate(alone))


main(*sys.argv[1:])
