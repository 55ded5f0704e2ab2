// The OpenAPI document of the edge: valid by a validator of others, and of the app's routes, no more and no fewer.
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../../../src/doors/http/app.ts'
import { createOpenApi, type Operation } from '../../../../src/doors/http/openapi/openapi.ts'
import { capabilityTable } from '../../../../src/engine/capability-table.ts'
import { product } from '../../../../src/bundle/format/product.ts'

const document = createOpenApi(capabilityTable, product.version)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)
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

  it('has an address for each capability that a mirror runs, with what it takes and answers', () => {
    const atMirror = capabilityTable.filter(({ runs = 'anywhere' }) => runs === 'anywhere')
    const said = operations.filter(({ path }) => path.startsWith(capabilityPath))
    expect(said.map(({ path }) => path.slice(capabilityPath.length)).toSorted()).toEqual(
      atMirror.map(({ id }) => id).toSorted(),
    )
    for (const { operation } of said)
      expect(operation).toMatchObject({
        requestBody: { content: { 'application/json': { schema: {} } } },
        responses: { 200: { content: { 'application/json': { schema: {} } } }, default: {} },
      })
  })

  it('names each operation once, and what of it needs no key', () => {
    const names = operations.map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
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
