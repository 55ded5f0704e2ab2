// Puts the long talks into a book of their own: beside them the short ones would be another corpus.
import type { Daybook } from '../../src/book/daybook.ts'
import { longTalk, stock } from './long-talk.ts'

const blocks = longTalk
  .trim()
  .split(/\n(?=# )/)
  .map((block) => {
    const [head = '', ...lines] = block.split('\n').filter((line) => line !== '')
    const [, session = '', began = '', language = ''] = head.split(' ')
    return { session, began: Date.parse(`${began}:00Z`), lines, language: language as keyof typeof stock }
  })

/** Stores the talks, each turn as a message. */
export async function fillLong(book: Daybook): Promise<void> {
  for (const { session, began, lines, language } of blocks) {
    await book.conversation.storeMany({
      session,
      messages: lines.map((line, i) => {
        const at = line.indexOf(': ')
        const content = line
          .slice(at + 2)
          .replace(/\{(\d)\}/g, (_, n: string) => `\n\n${stock[language][Number(n)] ?? ''}\n\n`)
        return {
          id: `${session}:${i + 1}`,
          content: content.trim(),
          source: { type: line.startsWith('user') ? 'User' : 'Agent' },
          timestamp: new Date(began + i * 60_000).toISOString(),
        }
      }),
    })
  }
}
