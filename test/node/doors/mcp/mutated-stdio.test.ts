// Ten thousand changed lines to the standard input of a real `daybook mcp`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { sayMutated } from '../../../contract/door/mutated-stdio.ts'
import { cli } from '../../hosts/node/command-line.ts'

const count = 10_000

it('daybook mcp answers mutated lines, and has stored what it answered with success', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-mutated-'))
  try {
    const path = join(folder, 'agent.daybook')
    const command = [cli, 'mcp', '--book', path, '--tools', 'records']
    const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'pipe'] })
    let noise = ''
    child.stderr.setEncoding('utf8').on('data', (part: string) => (noise += part))
    const succeeded = await sayMutated({ input: child.stdin, output: child.stdout }, count)
    child.stdin.end()
    const [code] = (await once(child, 'close')) as [number | null]
    expect([code, noise.includes('internal')]).toEqual([0, false])
    expect(succeeded.size).toBeGreaterThan(count / 20)
    expect(succeeded.size).toBeLessThan(count / 2)
    await using book = await openDaybook({ name: 'agent', path })
    expect((await book.records.count({ kind: 'fact' })).total).toBe(succeeded.size)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
