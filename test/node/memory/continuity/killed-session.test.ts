// A real process that is killed in each step of a session's end, and what the next start of that persona finds.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { endSteps } from '../../../../src/memory/continuity/session/session-kind.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-session-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const entry = JSON.stringify(new URL('../../../../src/hosts/node/index.ts', import.meta.url).href)

/** A process that ends a session, and is gone as soon as it hears of `step`; answers the signal that ended it. */
function killedIn(step: string, path: string): Promise<NodeJS.Signals | null> {
  const source = `
    import { openDaybook } from ${entry}
    const book = await openDaybook({ name: 'kill', path: ${JSON.stringify(path)} })
    await book.personas.register({ name: 'Alice' })
    const { scope } = await book.sessions.start({ persona: 'Alice' })
    const alice = book.with(scope)
    await alice.thoughts.learn({ knowledge: 'The audit is in March.' })
    book.on('progress', ({ subject }) => {
      if (subject === ${JSON.stringify(step)}) process.kill(process.pid, 'SIGKILL')
    })
    await alice.sessions.end({ focus: 'the audit' })`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', source], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
}

describe('a session whose process was killed in the middle of its end', () => {
  it.each(endSteps)('in the step %s is ended by the next start, with one of everything', async (step) => {
    const path = join(folder, `${step}.daybook`)
    expect(await killedIn(step, path)).toBe('SIGKILL')
    const book = await openDaybook({ name: 'kill', path })
    const [before] = (await book.sessions.list({ persona: 'Alice' })).sessions
    expect(before).toMatchObject({ state: 'ending' })
    const { ended, context } = await book.sessions.start({ persona: 'Alice' })
    expect(ended).toEqual([before?.session])
    // What was said at the first try is not lost with it.
    expect(context?.focus).toBe('the audit')
    const { sessions } = await book.sessions.list({ persona: 'Alice', state: 'ended' })
    expect(sessions).toMatchObject([{ session: before?.session, reason: 'request' }])
    expect((await book.snapshots.list({ persona: 'Alice' })).snapshots).toHaveLength(1)
    const { digests } = await book.days.list({ persona: 'Alice' })
    expect(digests).toMatchObject([{ raw: 1 }])
    expect(sessions[0]?.digests).toEqual([digests[0]?.id])
    await book.close()
  })
})
