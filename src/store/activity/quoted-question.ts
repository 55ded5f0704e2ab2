// Which questions quote what a record says that is forgotten: often what was asked is what is stored right after it.
// Invariant: a question is found when it, or a sentence of it, is the whole or a sentence of any text of the record, whatever
// the letters' case and the marks between the words.
import { roundKey } from '../../core/text/text-key.ts'

export interface QuotedQuestions {
  add(n: number, question: string): void
  /** Entries that may quote one of `texts`. */
  find(texts: readonly string[]): number[]
}

export function createQuotedQuestions(): QuotedQuestions {
  const byKey = new Map<number, number[]>()
  return {
    add(n, question) {
      for (const key of keysOf(question)) {
        const known = byKey.get(key)
        if (known) known.push(n)
        else byKey.set(key, [n])
      }
    },
    find: (texts) => [
      ...new Set(texts.flatMap((text) => [...keysOf(text)].flatMap((key) => byKey.get(key) ?? []))),
    ],
  }
}

const sentenceEnd = /[.!?;…。！？\n\r]+/u
const word = /[\p{L}\p{N}\p{M}]+/gu

/** The whole and its sentences, each as a key of its words. */
function keysOf(text: string): Set<number> {
  const parts = [text, ...text.split(sentenceEnd)].map((part) =>
    (part.toLowerCase().match(word) ?? []).join(' '),
  )
  return new Set(parts.filter((part) => part !== '').map((part) => roundKey(part, 0)))
}
