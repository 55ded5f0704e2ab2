"""The sentence model: its tokenizer, and the vectors that it gives texts and single pieces."""
import numpy as np
import onnxruntime
from tokenizers import Tokenizer

FIRST, LAST = 101, 102  # the pieces around each text
MOST_PIECES = 128


def open_tokenizer(folder, most=MOST_PIECES):
    tokenizer = Tokenizer.from_file(f'{folder}/tokenizer.json')
    tokenizer.no_padding()
    tokenizer.enable_truncation(most)
    return tokenizer


class Model:
    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=['CPUExecutionProvider'])

    def embed(self, lists):
        """The mean over the pieces of each list, of length 1: lists × 384."""
        ids = np.zeros((len(lists), max(map(len, lists))), np.int64)
        mask = np.zeros_like(ids)
        for row, pieces in enumerate(lists):
            ids[row, :len(pieces)] = pieces
            mask[row, :len(pieces)] = 1
        states = self.session.run(None, {'input_ids': ids, 'attention_mask': mask})[0]
        weights = mask[:, :, None].astype(np.float32)
        means = (states * weights).sum(1) / weights.sum(1)
        return means / np.linalg.norm(means, axis=1, keepdims=True)
