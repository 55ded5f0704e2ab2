"""Fits a vector for each word piece: `python fit.py MODEL TEXTS TAUGHT OUT [--dims 256] [--epochs 6]`.

A text's vector is the mean of its pieces' vectors, where the piece at place i counts 50 / (50 + i), as in
src/recall/embed/meaning/sum-rows.ts. The start is the model's vector of each piece alone, weighed by how rare the piece
is (SIF: Arora, Liang and Ma 2017). Least squares bring the means close to the model's vectors of the texts; then Adam
lessens 1 - cosine, plus the divergence between each text's similarities to the other texts of its batch, as the model
and as the means see them.
"""
import argparse
import json

import numpy as np
import scipy.sparse as sparse

from model import open_tokenizer

HALF_PLACE = 50
BATCH = 1024
TEMPERATURE = 0.05
RIDGE = 1.0
LEARNING_RATE = 2e-3
FIRST_WORD = 996  # the pieces before are not words; those after are sorted by frequency


def unit(rows):
    return rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-6)


def mean_matrix(lists, size):
    """Texts × pieces: multiplied by the pieces' vectors it gives the texts' vectors, not yet of length 1."""
    lengths = np.array([len(pieces) for pieces in lists])
    places = np.concatenate([np.arange(length) for length in lengths])
    weights = (HALF_PLACE / (HALF_PLACE + places)).astype(np.float32)
    rows = np.repeat(np.arange(len(lists)), lengths)
    matrix = sparse.csr_matrix((weights, (rows, np.concatenate(lists))), shape=(len(lists), size))
    sums = np.maximum(np.asarray(matrix.sum(1)).ravel(), 1)
    return sparse.diags(1 / np.sqrt(sums)).dot(matrix).astype(np.float32).tocsr()


def start_of(alone, mean, axes):
    ranks = np.maximum(np.arange(len(alone)) - FIRST_WORD + 1, 1)
    shares = (1 / ranks) / (1 / ranks).sum()
    return unit((alone - mean) @ axes) * (1e-4 / (1e-4 + shares))[:, None]


def least_squares(matrix, wanted, start, steps=40):
    """Conjugate gradients for all dimensions at once; RIDGE keeps rare pieces near their start."""
    gram = (matrix.T @ matrix).tocsr()
    change = np.zeros_like(start)
    rest = matrix.T @ (wanted - matrix @ start)
    direction, size = rest.copy(), (rest * rest).sum(0)
    for _ in range(steps):
        image = gram @ direction + RIDGE * direction
        step = size / ((direction * image).sum(0) + 1e-12)
        change += step * direction
        rest -= step * image
        before, size = size, (rest * rest).sum(0)
        direction = rest + (size / before) * direction
    return (start + change).astype(np.float32)


def softmax_of_others(vectors):
    similarities = vectors @ vectors.T / TEMPERATURE
    np.fill_diagonal(similarities, -1e9)
    powers = np.exp(similarities - similarities.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def gradient(matrix, wanted, pieces):
    sums = matrix @ pieces
    lengths = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-6
    vectors = sums / lengths
    difference = softmax_of_others(vectors) - softmax_of_others(wanted)
    slope = (difference + difference.T) @ vectors - wanted
    slope -= (slope * vectors).sum(1, keepdims=True) * vectors
    return matrix.T @ (slope / lengths / len(wanted))


def descend(matrix, wanted, pieces, epochs, report):
    random = np.random.default_rng(1)
    first, second = np.zeros_like(pieces), np.zeros_like(pieces)
    count, total = 0, epochs * (matrix.shape[0] // BATCH)
    for epoch in range(epochs):
        order = random.permutation(matrix.shape[0])
        for at in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[at:at + BATCH]
            slope = gradient(matrix[chosen], wanted[chosen], pieces)
            rate = LEARNING_RATE * (1 - count / total)
            count += 1
            first += 0.1 * (slope - first)
            second += 0.001 * (slope * slope - second)
            pieces -= rate * (first / (1 - 0.9 ** count)) / (np.sqrt(second / (1 - 0.999 ** count)) + 1e-8)
        report(f'epoch {epoch + 1}', pieces)
    return pieces


def main():
    parser = argparse.ArgumentParser()
    for name in ('model', 'texts', 'taught', 'out'):
        parser.add_argument(name)
    parser.add_argument('--dims', type=int, default=256)
    parser.add_argument('--epochs', type=int, default=6)
    args = parser.parse_args()
    done = np.load(f'{args.taught}-done.npy')
    taught = np.load(f'{args.taught}.npy')[done].astype(np.float32)
    alone = np.load(f'{args.taught}-pieces.npy')
    with open(args.texts) as file:
        texts = [text for text, is_done in zip(json.load(file), done) if is_done]
    lists = [encoded.ids[1:-1] for encoded in open_tokenizer(args.model).encode_batch(texts)]
    mean = taught.mean(0)
    axes = np.linalg.eigh((taught - mean).T @ (taught - mean))[1][:, ::-1][:, :args.dims]
    wanted = unit((taught - mean) @ axes)
    matrix = mean_matrix(lists, len(alone))
    is_held = np.arange(len(texts)) % 25 == 0

    def report(step, pieces):
        cosines = (unit(matrix[is_held] @ pieces) * wanted[is_held]).sum(1)
        print(f'{step}: cosine to the model on texts held out {cosines.mean():.4f}', flush=True)

    pieces = start_of(alone, mean, axes).astype(np.float32)
    report('start', pieces)
    pieces = least_squares(matrix[~is_held], wanted[~is_held], pieces)
    report('least squares', pieces)
    np.save(args.out, descend(matrix[~is_held], wanted[~is_held], pieces, args.epochs, report))


main()
