// The limit of what a page's worker loads at its start: scripts/size.mjs fails over it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import { slimWorker } from '../../../scripts/bundle-plugin.mjs'
import { overweight, workerWeight } from '../../../scripts/page-weight.mjs'
import { root } from '../../../scripts/place.mjs'
import { described, fields } from './described-verbs.ts'

it('counts what the worker imports at its start, and lists what it loads later', () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-weight-'))
  try {
    writeFileSync(join(folder, 'worker.js'), 'import(`./worker-start-12345678.js`)')
    const later = 'import("./worker-consent-12345678.js");'
    writeFileSync(join(folder, 'worker-start-12345678.js'), later.repeat(100))
    writeFileSync(join(folder, 'worker-consent-12345678.js'), 'import{a}from"./worker-start-12345678.js";')
    const { startBytes, later: files } = workerWeight(folder)
    expect(startBytes).toBeGreaterThan(50)
    expect(startBytes).toBeLessThan(300)
    expect(files.map(({ file }) => file)).toEqual(['worker-consent-12345678.js'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('has a fault over the limit, and none at it', () => {
  expect(overweight('The worker', 1024, 1024)).toBeUndefined()
  expect(overweight('The worker', 1025, 1024)).toBe('The worker: 1.0 KiB compressed; the limit is 1.0 KiB.')
})

it('reads of the schemas of verbs and kinds what it reads with the whole zod', async () => {
  const bundle = await rolldown({
    cwd: root,
    input: 'test/node/house/described-verbs.ts',
    platform: 'neutral',
    external: /^node:/,
    resolve: { mainFields: ['module', 'main'] },
    plugins: [slimWorker()],
  })
  const { output } = await bundle.generate({ format: 'es', codeSplitting: false })
  await bundle.close()
  const folder = mkdtempSync(join(root, '.cache/slim-'))
  try {
    const file = join(folder, 'manifest.js')
    writeFileSync(file, output[0].code)
    const slim = (await import(file)) as { described: typeof described; fields: typeof fields }
    expect(slim.described()).toEqual(described())
    expect(slim.fields()).toEqual(fields())
    expect(output[0].code).not.toContain('processJSONSchema =')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

// WebKit starts the script of a worker again when another of its files imports it.
it('loads later files that do not import the script of the worker, as the bundler of an app makes them', async () => {
  const bundle = await rolldown({ cwd: root, input: 'src/hosts/browser/worker.ts', platform: 'browser' })
  const { output } = await bundle.generate({ format: 'es' })
  await bundle.close()
  const files = output.filter((file) => file.type === 'chunk')
  const entry = files.find(({ isEntry }) => isEntry)?.fileName
  expect(files.length).toBeGreaterThan(8)
  expect(
    files.filter(({ imports }) => imports.includes(entry ?? '')).map(({ fileName }) => fileName),
  ).toEqual([])
})
