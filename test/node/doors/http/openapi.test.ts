// The OpenAPI document of the edge: valid by a validator of others, and of the app's routes, no more and no fewer.
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../../../src/doors/http/app.ts'
import { createManifest, type JsonSchema } from '../../../../src/doors/manifest.ts'
import { createOpenApi, type Operation } from '../../../../src/doors/http/openapi/openapi.ts'
import { capabilityTable } from '../../../../src/engine/capability-table.ts'
import { product } from '../../../../src/bundle/format/product.ts'

const document = createOpenApi(capabilityTable, product.version)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

/** Each property of the schemas in `value`, with its path. */
function* schemasOf(value: unknown, path: readonly string[]): Generator<readonly [string, JsonSchema]> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, one] of Object.entries(value)) {
    if (['const', 'enum', 'default', 'required'].includes(name)) continue
    if (name === 'properties')
      for (const [field, schema] of Object.entries(one as Record<string, JsonSchema>))
        yield [[...path, field].join('.'), schema]
    yield* schemasOf(one, [...path, name])
  }
}

const capabilityPath = '/v1/books/{book}/capabilities/'

describe('the OpenAPI document', () => {
  it('is valid, and all its references lead somewhere', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(
      structuredClone(document) as unknown as Parameters<Validator['validate']>[0],
    )
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref)
    for (const ref of new Set(refs)) {
      let at: unknown = ref.startsWith('#/components/') ? document : undefined
      for (const key of ref.split('/').slice(1)) at = (at as Record<string, unknown> | undefined)?.[key]
      expect([ref, typeof at]).toEqual([ref, 'object'])
    }
  })

  it('has every route of the app and no other', () => {
    const routes = createApp()
      .routes.filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
      .filter((route) => route !== `POST ${capabilityPath}{id}`)
    const said = operations
      .filter(({ path }) => !path.startsWith(capabilityPath))
      .map(({ method, path }) => `${method} ${path}`)
    expect(said.toSorted()).toEqual([...new Set(routes)].toSorted())
  })

  it('has an address for each id that a mirror runs, with input and answer', () => {
    const { capabilities } = createManifest(capabilityTable, { wire: 1, version: '1', transports: [] })
    const atMirror = capabilities.filter(({ runs }) => runs === 'anywhere')
    const said = operations.filter(({ path }) => path.startsWith(capabilityPath))
    expect(said.map(({ path }) => path.slice(capabilityPath.length)).toSorted()).toEqual(
      atMirror.map(({ id }) => id).toSorted(),
    )
    for (const { operation } of said)
      expect(operation).toMatchObject({
        requestBody: { content: { 'application/json': { schema: {} } } },
        responses: { 200: { content: { 'application/json': { schema: {} } } }, 400: {}, 401: {}, 403: {} },
      })
  })

  it('describes each field', () => {
    const bare: string[] = []
    for (const [path, schema] of schemasOf(document, [])) {
      if (typeof schema['description'] !== 'string') bare.push(path)
    }
    expect(bare).toEqual([])
  })

  it('names each operation once, and what of it needs no key', () => {
    const names = operations.map(({ operation }) => operation.operationId)
    // Generators make functions and types of these names, whose case they choose.
    expect(new Set(names.map((name) => name.toLowerCase().replaceAll('_', ''))).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z]\w*$/i.test(name))).toEqual([])
    const isOpen = ({ security }: Operation) => security?.length === 0
    expect(operations.filter(({ operation }) => isOpen(operation)).map(({ path }) => path)).toEqual([
      '/health',
      '/manifest',
      '/openapi.json',
      '/.well-known/oauth-protected-resource/v1/books/{book}/mcp',
      '/v1/books/{book}/live',
      '/a2p/v1/health',
      '/a2p/v1/did/{did}',
    ])
  })
})
