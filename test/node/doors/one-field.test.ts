// Calls that are right but for one field, of a book in this process, where its keys are: of the owner and of the holder of a token.
// No answer is a fault of Daybook's own, and the book can be exported and imported afterwards.
import { afterEach, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { isDaybookError } from '../../../src/core/errors.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { grant } from '../../contract/access/token-grant.ts'
import { checkErrorShape } from '../../contract/door/mutation.ts'
import { drawChange } from '../../contract/door/one-field.ts'
import { callExamples } from '../../contract/door/right-example.ts'
import { createDice } from '../../support/dice.ts'
import { propertySeed } from '../../property/draw-from-seed.ts'

const count = Number(process.env['DAYBOOK_FIELDS'] ?? 1000)
const books: Daybook[] = []
afterEach(async () => {
  for (const book of books.splice(0)) await book.close()
})
const open = async () => {
  const book = await openDaybook({ name: 'one-field', path: ':memory:', checkpoint: false })
  books.push(book)
  return book
}
/** A key made of a passphrase takes its time, and each of these makes one. */
const slow = new Set(['seal:guard', 'seal:unlock', 'seal:export_keys', 'seal:import_keys', 'seal:lock'])

it.each(['the owner', 'a guest'])('of %s: no fault, and the book works on', async (who) => {
  const book = await open()
  const { id } = await book.facts.store({ schema: 's', data: {} })
  const { token } = await grant(book, { permissions: ['**'] })
  const caller = who === 'a guest' ? book.with({ as: token.token_id }) : book
  const verbs = (await callExamples()).filter(({ name }) => !slow.has(name))
  const dice = createDice(propertySeed)
  let done = 0
  for (let n = 0; n < count; n++) {
    const { name, input } = verbs[dice.below(verbs.length)] ?? { name: '', input: {} }
    const { what, text } = drawChange(input, [id], dice)
    const error = await caller.call(name, JSON.parse(text) as never).then(
      () => void done++,
      (reason: unknown) => reason,
    )
    if (error === undefined) continue
    expect([name, what, String(error), isDaybookError(error)]).toEqual([name, what, String(error), true])
    const { code, message, retry, details } = error as Record<string, unknown>
    checkErrorShape({ code, message, retry, details })
  }
  expect(done).toBeGreaterThan(count / 50)
  await book.seal.unlock({ passphrase: 'correct horse battery' }).catch(() => undefined)
  const bundle = await new Response(
    (await book.export({ includeTokens: true, includeSensitive: true })) as unknown as ReadableStream,
  ).text()
  expect((await (await open()).import(bundle, { includeTokens: true })).imported).toBeGreaterThan(0)
})
