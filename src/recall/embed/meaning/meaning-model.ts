// Turns a text into a vector: the sum of the vectors of its word pieces, scaled to length 1.
// Invariant: every host computes the same bits. The sums are integers; of doubles only addition, multiplication, division
// and square root are used, which are exact to the last bit (IEEE 754).
import type { Wasm } from '../../../core/ports.ts'
import { ideographClass, letterClass } from './character-class.ts'
import type { MeaningTable } from './meaning-table.ts'
import { createScalarSum, createWasmSum } from './sum-rows.ts'
import { eachRun, wordsOfRun } from './text-words.ts'
import { createWordAgreement, type WordAgreement } from './word-agreement.ts'
import { createWordPieces } from './word-piece.ts'

export interface MeaningModel extends WordAgreement {
  readonly name: string
  readonly dimensions: number
  /**
   * The vector of a text, of length 1. All zeros if the table knows too little of it: fewer than half of its characters
   * are in pieces of two characters or more, or in words of one. Punctuation counts for nothing.
   */
  embed(text: string): Float32Array
}

export function createMeaningModel(table: MeaningTable, wasm?: Wasm): MeaningModel {
  const { name, dimensions } = table
  const readPieces = createPieceReader(table.vocabulary)
  const sumRows = createWasmSum(table, wasm) ?? createScalarSum(table)
  const sum = new Int32Array(dimensions)
  const piecesOf = (text: string) => {
    const { list, count } = readPieces(text)
    return list.slice(0, count)
  }
  return {
    name,
    dimensions,
    ...createWordAgreement(table, piecesOf),
    embed(text) {
      const { list, count, size, understood } = readPieces(text)
      const vector = new Float32Array(dimensions)
      if (size === 0 || understood * 2 < size) return vector
      sumRows(sum, list, count)
      let squares = 0
      for (let i = 0; i < dimensions; i++) squares += (sum[i] as number) * (sum[i] as number)
      const length = Math.sqrt(squares)
      if (length > 0) for (let i = 0; i < dimensions; i++) vector[i] = (sum[i] as number) / length
      return vector
    },
  }
}

interface TextPieces {
  /** The first `count` numbers are the pieces, in order. The next call changes them. */
  readonly list: Int32Array
  readonly count: number
  /** Characters of words, and those that the vocabulary knows. */
  readonly size: number
  readonly understood: number
}

/** Longer runs are rare, and not cached. */
const maxCachedRunLength = 32
/** The cache starts over when it has this many numbers. */
const maxCachedNumbers = 524_288

/** Reads the pieces of a text. A cache has what it found for a run: count, size, understood, and the pieces. */
function createPieceReader(vocabulary: readonly string[]): (text: string) => TextPieces {
  const wordPieces = createWordPieces(vocabulary)
  /** By run: its place in `cached`. */
  const places = new Map<string, number>()
  let cached = new Int32Array(4096)
  let used = 0
  let list = new Int32Array(1024)
  let count = 0
  let size = 0
  let understood = 0

  const save = (run: string): number => {
    if (used > maxCachedNumbers) {
      used = 0
      places.clear()
    }
    const { pieces, size, understood } = readRun(run, wordPieces, vocabulary)
    const place = used
    used += 3 + pieces.length
    if (used > cached.length) cached = grown(cached, used)
    cached.set([pieces.length, size, understood], place)
    cached.set(pieces, place + 3)
    // A copy: a slice would hold the whole text in memory.
    if (run.length <= maxCachedRunLength) places.set(run.split('').join(''), place)
    return place
  }

  const addRun = (run: string) => {
    const place = places.get(run) ?? save(run)
    const added = cached[place] as number
    size += cached[place + 1] as number
    understood += cached[place + 2] as number
    if (count + added > list.length) list = grown(list, count + added)
    for (let i = 0; i < added; i++) list[count++] = cached[place + 3 + i] as number
  }

  return (text) => {
    count = 0
    size = 0
    understood = 0
    eachRun(text, addRun)
    return { list, count, size, understood }
  }
}

function grown(numbers: Int32Array, wanted: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * wanted)
  larger.set(numbers)
  return larger
}

function readRun(
  run: string,
  wordPieces: ReturnType<typeof createWordPieces>,
  vocabulary: readonly string[],
): { readonly pieces: readonly number[]; readonly size: number; readonly understood: number } {
  const pieces: number[] = []
  let size = 0
  let understood = 0
  for (const word of wordsOfRun(run)) {
    const before = pieces.length
    const hasPieces = wordPieces.split(word.text, word.size, pieces)
    // Chinese characters count as unknown: the vocabulary has some of them, but none of their words.
    if (word.as === letterClass || word.as === ideographClass) size += word.size
    if (!hasPieces || word.as !== letterClass) continue
    if (pieces.length === before + 1) understood += word.size
    else for (const piece of pieces.slice(before)) understood += knownSize(vocabulary[piece] ?? '')
  }
  return { pieces, size, understood }
}

/** Characters of a piece of several; 0 for one of a single character, into which words of unknown scripts fall. */
function knownSize(piece: string): number {
  const size = Array.from(piece.replace(/^##(?=.)/, '')).length
  return size > 1 ? size : 0
}
