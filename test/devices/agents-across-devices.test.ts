// The story of docs/agents-across-devices.md as it is printed there: in two profiles of a real browser, with a real edge, over a
// night. Each block is typed into its page as a reader would type it into the console: names stay from block to block.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../../scripts/place.mjs'
import { prepare, type Printed, type Scene, scenesOf } from '../support/doc-program.ts'
import { takeFromWorkers } from '../support/server/without-storage.ts'
import { type Device, newBook, openDevice } from './open-device.ts'

const story = scenesOf(readFileSync(join(root, 'docs/agents-across-devices.md'), 'utf8'))

/** Where the day is in its middle, so that no midnight falls into the test. */
function zoneAtNoon(): string {
  const ahead = 12 - new Date().getUTCHours()
  return ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

let devices: Record<string, Device> = {}
beforeAll(async () => {
  const [laptop, phone] = await Promise.all([openDevice([], true, zoneAtNoon()), openDevice([], true)])
  devices = { laptop, phone }
})
afterAll(() => Promise.all(Object.values(devices).map((device) => device[Symbol.asyncDispose]())))

/** Types the code of a scene into the console of a page; answers what it printed beside what it promised. */
async function typeInto(page: Page, { code }: Scene, instead: Record<string, string>): Promise<Printed[]> {
  const { text, promised } = prepare(code, instead)
  const cdp = await page.context().newCDPSession(page)
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', {
      expression,
      replMode: true,
      awaitPromise: true,
      returnByValue: expression === 'printed',
    })
    if (!exceptionDetails) return result.value
    const what = exceptionDetails.exception?.description ?? exceptionDetails.text
    throw new Error(`${what}\nin the code of the guide:\n${code}`)
  }
  try {
    await evaluate('printed = []; print = (line, said) => printed.push({ line, said })')
    await evaluate(text)
    const printed = (await evaluate('printed')) as { line: number; said: unknown }[]
    const reached = new Set(printed.map(({ line }) => line))
    expect(reached.size, 'lines that promise an output and were reached').toBe(promised.length)
    return printed.map(({ line, said }) => ({ said, promised: promised[line] }))
  } finally {
    await cdp.detach()
  }
}

it('an agent wakes up with yesterday, asks an agent on another device what was left open, and goes to sleep: the code of the guide', async () => {
  expect(new Set(story.map(({ on }) => on))).toEqual(new Set(['both', 'laptop', 'phone']))
  const name = newBook()
  const [opening] = story
  if (opening?.on !== 'both') throw new Error('The story begins with opening the book.')
  const run = async (device: string, page: Page, scene: Scene) => {
    const { network } = devices[device] as Device
    const instead = {
      'https://memory.example.com': network.url.replace(/\/$/, ''),
      'THE-KEY-OF-YOUR-EDGE': 'development',
      "name: 'household'": `name: '${name}'`,
    }
    for (const { said, promised } of await typeInto(page, scene, instead))
      expect({ scene: scene.title, said }).toEqual({ scene: scene.title, said: promised })
  }

  // Yesterday: a page whose clock is a day behind.
  const { laptop, phone } = devices as Record<'laptop' | 'phone', Device>
  const before = await laptop.visit()
  await takeFromWorkers(before, ['today'])
  await before.reload()
  await before.waitForFunction(() => 'modules' in globalThis)
  await run('laptop', before, opening)
  const firstDay = story.filter(({ isDayBefore }) => isDayBefore)
  expect(firstDay).toHaveLength(1)
  for (const scene of firstDay) await run('laptop', before, scene)
  await before.close()

  // Today, in the order in which the page tells it.
  const pages = { laptop: await laptop.visit(), phone: await phone.visit() }
  for (const scene of story.filter(({ isDayBefore }) => !isDayBefore)) {
    for (const [device, page] of Object.entries(pages))
      if (scene.on === 'both' || scene.on === device) await run(device, page, scene)
  }
})
