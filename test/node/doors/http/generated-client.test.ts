// Clients that others' generators make of the OpenAPI document: types for TypeScript that compile, and a client for Python
// with every operation.
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { product } from '../../../../src/bundle/format/product.ts'
import { createOpenApi } from '../../../../src/doors/http/openapi/openapi.ts'
import { capabilityTable } from '../../../../src/engine/capability-table.ts'
import { installNpm, installPython } from '../../../support/foreign-package.ts'

const document = createOpenApi(capabilityTable, product.version)
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
const npm = installNpm('openapi-typescript', { 'openapi-typescript': '7.13.0', typescript: '5.9.3' })
const python = installPython('openapi-python-client', ['openapi-python-client==0.29.1'])

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-openapi-'))
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const why = (found: typeof npm) => ('missing' in found ? ` (skipped: ${found.missing})` : '')
const run = (program: string, args: readonly string[]) =>
  execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })

describe.skipIf('missing' in npm)(`openapi-typescript${why(npm)}`, () => {
  it('makes types that compile and name every operation', async () => {
    const bin = join('folder' in npm ? npm.folder : '', 'node_modules/.bin')
    run(join(bin, 'openapi-typescript'), ['openapi.json', '-o', 'client.ts'])
    const use = operations.map(({ operationId }) => `operations['${operationId}']`).join(' | ')
    const answer = `operations['daybook_recall']['responses'][200]['content']['application/json']`
    await writeFile(
      join(folder, 'use.ts'),
      `import type { operations } from './client'
export type All = ${use}
export const idsOf = (answer: ${answer}): string[] => answer.hits.map(({ record }) => record.id)
`,
    )
    run(join(bin, 'tsc'), [
      '--noEmit',
      '--strict',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      'use.ts',
    ])
  })
})

describe.skipIf('missing' in python)(`openapi-python-client${why(python)}`, () => {
  it('makes a function of every operation', () => {
    const program = join('folder' in python ? python.folder : '', 'bin/openapi-python-client')
    const output = run(program, [
      'generate',
      '--path',
      'openapi.json',
      '--output-path',
      'client',
      '--meta',
      'none',
    ])
    expect(output).not.toMatch(/WARNING|ERROR/)
    const files = globSync('client/api/*/*.py', { cwd: folder }).map((file) => basename(file, '.py'))
    const made = files.filter((name) => name !== '__init__').map((name) => name.replaceAll('_', ''))
    const named = operations.map(({ operationId }) => operationId.replaceAll('_', '').toLowerCase())
    expect(made.toSorted()).toEqual(named.toSorted())
  })
})
