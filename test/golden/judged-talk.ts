// Talks whose lines say themselves which questions they answer: `@word` at the end of a line, or `@word:2` with a grade. The
// marks are never stored, so that no ranking can read them.
import type { Daybook } from '../../src/book/daybook.ts'

/** By question's word: by record's key the grade, 3 answers, 2 helps much, 1 helps a little; in the order of the text. */
export type Marks = Map<string, Map<string, number>>

export interface TalkSession {
  readonly session: string
  /** Milliseconds since 1970. */
  readonly began: number
  readonly lines: readonly { readonly id: string; readonly name: string; readonly content: string }[]
}

const markedEnd = /((?: @[a-z]+(?::[12])?)+)$/

/** The text without its marks, which are noted under `key`. */
export function withoutMarks(text: string, key: string, marks: Marks): string {
  for (const mark of markedEnd.exec(text)?.[1]?.trim().split(' ') ?? []) {
    const [word = '', grade = '3'] = mark.slice(1).split(':')
    const graded = marks.get(word) ?? new Map<string, number>()
    marks.set(word, graded.set(key, Number(grade)))
  }
  return text.replace(markedEnd, '')
}

/** Reads blocks of `# session time` and lines of `name: content`; a message's id is its session and its place in it, from 1. */
export function readTalk(text: string, marks: Marks): readonly TalkSession[] {
  return text
    .trim()
    .split(/\n(?=# )/)
    .map((block) => {
      const [head = '', ...lines] = block.split('\n').filter((line) => line !== '')
      const [, session = '', began = ''] = head.split(' ')
      return {
        session,
        began: Date.parse(`${began}:00Z`),
        lines: lines.map((line, i) => {
          const id = `${session}:${i + 1}`
          const at = line.indexOf(': ')
          return { id, name: line.slice(0, at), content: withoutMarks(line.slice(at + 2), id, marks) }
        }),
      }
    })
}

/** Stores the sessions; a minute lies between two messages. */
export async function storeTalk(book: Daybook, sessions: readonly TalkSession[]): Promise<void> {
  for (const { session, began, lines } of sessions)
    await book.conversation.storeMany({
      session,
      messages: lines.map(({ id, name, content }, i) => ({
        id,
        content,
        source: { type: 'User', name },
        timestamp: new Date(began + i * 60_000).toISOString(),
      })),
    })
}
