// The served OpenAPI document is true: operations, drawn from the document itself and sent to `daybook serve`, get only
// statuses and answers that the document has.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../../../../src/doors/manifest.ts'
import { callExamples } from '../../../../contract/door/right-example.ts'
import { propertySeed } from '../../../../property/draw-from-seed.ts'
import { createDice, type Dice } from '../../../../support/dice.ts'
import { valueOf } from '../../../../support/schema-value.ts'
import { draws } from '../../../../support/whole.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'header' | 'query'
  readonly schema: JsonSchema
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Drawn {
  readonly path: string
  readonly method: string
  readonly operation: Operation
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const { key, start, ask, open, close } = createServeWorld()
/** Requests to one book, because a book limits the rate of each caller. */
const perBook = 60
/** Faults of the set-up of this server, which has no models: the document has their statuses. */
const setUpCodes = new Set(['embedder-off', 'model-unavailable', 'offline'])

/** Replaces every reference by its target: the document has no schema that contains itself. */
function withoutRefs<Value>(value: Value, document: unknown): Value {
  if (Array.isArray(value)) return value.map((one: unknown) => withoutRefs(one, document)) as Value
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as Record<string, unknown>
  const parts = typeof $ref === 'string' ? $ref.split('/').slice(1) : []
  const target = parts.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document)
  const inlined = $ref === undefined ? {} : (withoutRefs(target, document) as object)
  const others = Object.entries(rest).map(([name, one]) => [name, withoutRefs(one, document)])
  return { ...inlined, ...Object.fromEntries(others) } as Value
}

const drawValue = (schema: JsonSchema, dice: Dice): unknown =>
  fc.sample(valueOf(schema), { numRuns: 1, seed: dice.below(2 ** 31) })[0]

/** A value that the schema mostly forbids. */
function damaged(value: unknown, dice: Dice): unknown {
  const wrong = [null, 7, 'x', [], {}, true][dice.below(6)]
  if (typeof value !== 'object' || value === null || dice.below(4) === 0) return wrong
  const names = Object.keys(value)
  const name = names[dice.below(names.length)] ?? 'noSuchField'
  return dice.below(3) === 0 ? { ...value, noSuchField: wrong } : { ...value, [name]: wrong }
}

describe.skipIf(skipped !== '')(`The OpenAPI document of \`daybook serve\`${skipped}`, () => {
  let url = ''
  let document: Document
  /** A right input by the id of the capability, since few drawn ones are right by chance. */
  let rightInputs: ReadonlyMap<string, unknown>
  let validators: (drawn: Pick<Drawn, 'operation'>, status: number) => ValidateFunction | undefined
  beforeAll(async () => {
    await open()
    ;({ url } = await start({ settings: { DAYBOOK_BOOK: 'addressed' } } as object))
    const served = (await (await fetch(`${url}/openapi.json`)).json()) as Document
    document = withoutRefs(served, served)
    rightInputs = new Map((await callExamples()).map(({ name, input }) => [name, input]))
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
    const compiled = new Map<JsonSchema, ValidateFunction>()
    validators = ({ operation }, status) => {
      const schema = operation.responses[status]?.content?.['application/json']?.schema
      if (!schema) return undefined
      const validate = compiled.get(schema) ?? ajv.compile(schema)
      compiled.set(schema, validate)
      return validate
    }
  })
  afterAll(close)

  function draw(path: string, method: string, { book, dice }: { book: string; dice: Dice }): Drawn {
    const operation = document.paths[path]?.[method] as Operation
    const headers: Record<string, string> = {
      authorization: `Bearer ${dice.below(20) === 0 ? 'another-key-0123456789' : key}`,
      accept: 'application/json, text/event-stream',
    }
    const query = new URLSearchParams()
    let target = path
    for (const { name, in: place, schema } of operation.parameters ?? []) {
      const value = String(drawValue(schema, dice))
      if (place === 'path') {
        const did = path.startsWith('/a2p/v1/profile')
          ? `did:a2p:user:local:${book}`
          : 'did:a2p:agent:local:x'
        const filled =
          { book, did, id: dice.below(2) === 0 ? 'kstar:get_stats' : value || 'x' }[name] ?? value
        target = target.replace(`{${name}}`, encodeURIComponent(filled).replaceAll('%3A', ':'))
      } else if (name === 'X-Daybook-Book') headers[name] = book
      else if (name === 'Idempotency-Key') headers[name] = `r-${dice.below(1e9)}`
      else if (place === 'header' && dice.below(8) === 0 && /^[ -~]+$/.test(value)) headers[name] = value
      else if (place === 'query' && dice.below(3) === 0) query.set(name, value)
    }
    const schema = operation.requestBody?.content?.['application/json']?.schema
    const right = rightInputs.get(path.split('/').at(-1) ?? '')
    const value = right !== undefined && dice.below(2) === 0 ? right : schema && drawValue(schema, dice)
    const sent = dice.below(3) === 0 ? damaged(value, dice) : value
    if (schema) headers['content-type'] = 'application/json'
    return {
      path,
      method,
      operation,
      url: `${url}${target}${query.size > 0 ? `?${query}` : ''}`,
      headers,
      ...(schema && { body: JSON.stringify(sent ?? null) }),
    }
  }

  it('has every status and answer that its operations give', async () => {
    const dice = createDice(propertySeed)
    const all = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [path, method] as const),
    )
    const statuses = new Map<number, number>()
    const faults: unknown[] = []
    for (let n = 0; n < draws(660, 5000); n++) {
      const [path, method] = all[n % all.length] ?? ['', '']
      const drawn = draw(path, method, { book: `drawn-${Math.floor(n / perBook)}`, dice })
      const { headers, body } = drawn
      const response = await fetch(drawn.url, { method: method.toUpperCase(), headers, body: body ?? null })
      const text = await response.text()
      const { status } = response
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const report = (fault: unknown) =>
        faults.push([n, method, drawn.url, body, status, text.slice(0, 300), fault])
      const documented = drawn.operation.responses[status]
      if (!documented) report('undocumented status')
      const type = response.headers.get('content-type')?.split(';')[0] ?? ''
      if (type !== 'application/json') {
        if (text !== '' && !documented?.content?.[type]) report(`undocumented type ${type}`)
        continue
      }
      const answer: unknown = JSON.parse(text)
      if (status >= 500 && !setUpCodes.has(String((answer as { code?: unknown }).code))) report('fault')
      const validate = validators(drawn, status)
      if (!validate) report('no schema')
      else if (!validate(answer)) report(validate.errors?.slice(0, 3))
    }
    expect(faults).toEqual([])
    // Both what the document allows and what it forbids was sent.
    expect(statuses.get(200)).toBeGreaterThan(100)
    expect(statuses.get(400)).toBeGreaterThan(50)
    expect(statuses.get(401)).toBeGreaterThan(5)
  })

  it('has the answers of a bundle that goes from one book to another', async () => {
    const run = async (book: string, id: string, input: unknown) => {
      const path = `/v1/books/{book}/capabilities/${id}`
      const operation = document.paths[path]?.['post'] as Operation
      const { status, body } = await ask(`${url}${path.replace('{book}', book)}`, input)
      const validate = validators({ operation }, status)
      expect([id, status, validate?.(body), validate?.errors ?? []]).toEqual([id, 200, true, []])
      return body
    }
    await run('from', 'kstar:register_schema', { name: 'note', schema: { type: 'object' } })
    await run('from', 'kstar:store_fact', { schema: 'note', data: { text: 'tea' } })
    const { text } = await run('from', 'bundle:export', {})
    await run('to', 'bundle:verify', { text })
    await run('to', 'bundle:import', { text })
    await run('to', 'bundle:import', { text, mode: 'replace' })
    await run('to', 'daybook:recall', { text: 'tea' })
    await run('to', 'recall:context', { text: 'tea' })
    await run('to', 'recall:explain', { text: 'tea', id: 'fact-x' })
    await run('to', 'daybook:status', {})
  })
})
