// A process that is killed exactly between what a broker has and what a book knows of it, either way, and what comes of it.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { type KafkaWorld, newGroup, openKafkaClaw } from '../../../../support/kafka/kafka-world.ts'

const url = (path: string) => JSON.stringify(new URL(`../../../../../${path}`, import.meta.url).href)

interface Killed {
  readonly broker: string
  readonly group: string
  readonly path: string
  /**
   * `produced`: the broker has its vote, and the book does not know that. `taken`: the book has a vote of another claw, and the
   * broker does not know that.
   */
  readonly at: 'produced' | 'taken'
}

/** A claw `a` that votes on what it hears of, or proposes something itself, and is gone at that point. */
async function killed({ broker, group, path, at }: Killed): Promise<NodeJS.Signals | null> {
  const source = `
    import { openDaybook, openKafka } from ${url('src/hosts/node/index.ts')}
    import { Producer, Consumer } from '@platformatic/kafka'
    const gone = () => process.kill(process.pid, 'SIGKILL')
    const { send } = Producer.prototype
    const { commit } = Consumer.prototype
    const isVote = ({ topic }) => topic.endsWith('.votes')
    if (${at === 'produced'})
      Producer.prototype.send = async function (given) {
        const answer = await send.call(this, given)
        if (given.messages.some(isVote)) gone()
        return answer
      }
    else
      Consumer.prototype.commit = function (given) {
        if (given.offsets.some(isVote)) gone()
        return commit.call(this, given)
      }
    const kafka = await openKafka({ brokers: [${JSON.stringify(broker)}], group: ${JSON.stringify(group)}, consumerGroup: '${group}.a' })
    const book = await openDaybook({ name: 'a', agent: 'a', path: ${JSON.stringify(path)}, pool: { carriers: [kafka] } })
    await book.pool.configure({ group: ${JSON.stringify(group)}, admission: "anyone" })
    const ownVote = ${at === 'produced'}
    book.on('pool', ({ type, id }) => {
      if (ownVote && type === 'proposal') void book.pool.vote({ proposal: id, vote: 'yes' })
    })
    if (!ownVote) await book.pool.propose({ statement: 'What a proposes.', tags: ['ops'] })`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', source], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return signal
}

const proposalsOf = async (book: Daybook) => (await book.pool.listProposals()).proposals
const votesFrom = async (book: Daybook, from: string) =>
  (await book.pool.audit({ type: 'vote', claw: from })).entries
    .map(({ result, reason, count }) => `${result} ${reason} ${count}`)
    .toSorted()

/** Needs the broker of `world`. */
export function killedCases({ kafka, count }: KafkaWorld): void {
  const prepare = async (ends: AsyncDisposableStack) => {
    const group = newGroup()
    const folder = await mkdtemp(join(tmpdir(), 'daybook-killed-'))
    ends.defer(() => rm(folder, { recursive: true }))
    const { broker } = kafka()
    const path = join(folder, 'a.daybook')
    const [b, c] = await Promise.all(['b', 'c'].map((name) => openKafkaClaw({ broker, group, name })))
    if (!b || !c) throw new Error('They are two.')
    for (const book of [b, c]) ends.use(book)
    return { group, broker, path, b, c }
  }

  it('after the broker has its vote, and before it knows: the vote is sent again, and counts once', async () => {
    await using ends = new AsyncDisposableStack()
    const { group, broker, path, b, c } = await prepare(ends)
    const { proposal } = await b.pool.propose({ statement: 'What b proposes.', tags: ['ops'] })
    expect(await killed({ broker, group, path, at: 'produced' })).toBe('SIGKILL')
    expect(await count(group, 'votes')).toBe(1)
    for (const book of [b, c])
      await expect.poll(() => votesFrom(book, 'a@a')).toEqual(['accepted new_vote 1'])

    const a = ends.use(await openKafkaClaw({ broker, group, name: 'a', path }))
    for (const book of [b, c])
      await expect
        .poll(() => votesFrom(book, 'a@a'))
        .toEqual(['accepted new_vote 1', 'duplicate same_envelope 1'])
    expect(await count(group, 'votes')).toBe(2)
    // One of three is no majority, however often it is said.
    expect(await proposalsOf(b)).toMatchObject([{ proposal, state: 'open' }])
    await c.pool.vote({ proposal, vote: 'yes' })
    for (const book of [a, b, c])
      await expect
        .poll(() => proposalsOf(book))
        .toMatchObject([{ state: 'approved', decision: { yes: 2, no: 0, quorum: 2 } }])
  })

  it('after its book has a vote, and before the broker knows: the vote comes again, and counts once', async () => {
    await using ends = new AsyncDisposableStack()
    const { group, broker, path, b, c } = await prepare(ends)
    const isGone = killed({ broker, group, path, at: 'taken' })
    await expect.poll(async () => (await proposalsOf(b)).length).toBe(1)
    const [{ proposal } = { proposal: '' }] = await proposalsOf(b)
    await b.pool.vote({ proposal, vote: 'yes' })
    expect(await isGone).toBe('SIGKILL')

    const a = ends.use(await openKafkaClaw({ broker, group, name: 'a', path }))
    await expect.poll(() => votesFrom(a, 'b@b')).toEqual(['accepted new_vote 1', 'duplicate same_envelope 1'])
    expect(await count(group, 'votes')).toBe(1)
    expect(await proposalsOf(a)).toMatchObject([{ proposal, state: 'open' }])
    await c.pool.vote({ proposal, vote: 'yes' })
    for (const book of [a, b, c])
      await expect
        .poll(() => proposalsOf(book))
        .toMatchObject([{ state: 'approved', decision: { yes: 2, no: 0, quorum: 2 } }])
  })
}
