// The states that records are marked with, each told by a shape and a word of its own.
export type MarkTone = 'good' | 'bad' | 'warn' | 'quiet'

export interface MarkWords {
  readonly word: string
  readonly tone: MarkTone
  /** What a list needs no word for, because most records are so. */
  readonly isUsual?: boolean
}

export const marks = {
  succeeded: { word: 'Succeeded', tone: 'good', isUsual: true },
  failed: { word: 'Failed', tone: 'bad' },
  open: { word: 'No result yet', tone: 'quiet' },
} as const satisfies Record<string, MarkWords>

export type MarkName = keyof typeof marks
