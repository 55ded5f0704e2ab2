// The texts by which recall judges a record again (word pairs, duplicates). Of a very long record only the passage
// that answers is judged: to compare all its words would take longer than all the rest of the recall.
import type { Passage } from '../core/capability/port/recall-port.ts'
import { readPath } from '../core/json/path.ts'
import { collectText, type Kind } from '../core/kind.ts'

/** A record whose texts have more UTF-16 units than this is judged by its passage. */
const maxJudgedChars = 100_000
/** Without a passage: this many units of each of its texts, from the beginning. */
const maxBeginningChars = 2000

/** The texts of `record` that are judged. `kind`: without its `whenField`. */
export function textsToJudge(kind: Kind, record: object, passage: Passage | undefined): string[] {
  const texts = kind.text.map((path) => collectText(readPath(record, path)).join(' '))
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length <= maxJudgedChars) return texts
  const passageText = passage && texts[kind.text.indexOf(passage.path)]?.slice(passage.from, passage.to)
  const parts =
    passageText === undefined ? texts.map((text) => text.slice(0, maxBeginningChars)) : [passageText]
  // No part ends as the record ends, so that none counts as a question.
  return parts.map((part) => `${part} …`)
}
