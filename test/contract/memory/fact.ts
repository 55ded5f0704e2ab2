// Facts: data of a named schema, found by path, and superseded by newer ones.
import { expect, it } from 'vitest'
import { defined } from '../../../src/core/defined.ts'
import { type BookCase, failure } from '../book-case.ts'

const profile = {
  type: 'object',
  properties: {
    learning_style: { enum: ['visual', 'auditory'] },
    strengths: { type: 'array', items: { type: 'string' } },
    study: { $ref: '#/$defs/study' },
  },
  required: ['learning_style'],
  additionalProperties: false,
  $defs: { study: { type: 'object', properties: { hours: { type: 'integer', minimum: 1 } } } },
}

const ids = (page: { records: { id: string }[] }) => page.records.map((record) => record.id)

export function factCases({ book: open }: BookCase): void {
  it('stores facts, and gets them by schema, newest first', async () => {
    const book = await open()
    const { id, schema_version } = await book.facts.store({
      schema: 'profile',
      data: { learning_style: 'visual' },
      source: 'questionnaire',
      verified: true,
    })
    expect(schema_version).toBeNull()
    const { id: second } = await book.facts.store({ schema: 'profile', data: { learning_style: 'auditory' } })
    await book.facts.store({ schema: 'other', data: {} })
    const { records } = await book.facts.get({ schema: 'profile' })
    expect(records.map((fact) => fact.id)).toEqual([second, id])
    expect(records[1]).toMatchObject({ kind: 'fact', source: 'questionnaire', verified: true })
    expect(records[0]).toMatchObject({ verified: false })
    expect(ids(await book.facts.get({ schema: 'profile', limit: 1 }))).toEqual([second])
    expect((await book.recall({ text: 'auditory' })).hits.map(({ record }) => record.id)).toEqual([second])
  })

  it('finds facts by what stands at a path of their data', async () => {
    const book = await open()
    const store = (data: object, schema = 's') => book.facts.store({ schema, data: data as never })
    const { id: a } = await store({ a: { b: [1, 'x', null, { c: true }] }, 'odd key': 'x', n: 5, t: '[1]' })
    const { id: b } = await store({ a: { b: { k: 'x', l: 5 } }, n: '5', list: [{ c: [1, 2] }, { c: [3] }] })
    await store({ n: 5 }, 'another')
    const found = async (path: string, value?: string | number | boolean | null) =>
      ids(await book.facts.query({ schema: 's', path, ...defined({ value }) })).sort()
    expect(await found('$.n', 5)).toEqual([a])
    expect(await found('$.n', '5')).toEqual([b])
    expect(await found('$.a.b[*]', 'x')).toEqual([a, b].sort())
    expect(await found('$.a.b[*]', null)).toEqual([a])
    expect(await found('$.a.b[*].c', true)).toEqual([a])
    expect(await found('$.a.b[0]', 1)).toEqual([a])
    expect(await found('$.a.b[-1].c', true)).toEqual([a])
    expect(await found("$['odd key']", 'x')).toEqual([a])
    expect(await found('$.list[*].c[*]', 3)).toEqual([b])
    expect(await found('$.list[*].c[*]')).toEqual([b])
    expect(await found('$.t[*]')).toEqual([])
    expect(await found('$.*.b.l', 5)).toEqual([b])
    expect(await found('$.none')).toEqual([])
    const narrowed = await book.facts.query({ path: '$.n', value: 5, filters: { schema: { ne: 's' } } })
    expect(narrowed.records).toHaveLength(1)
    for (const path of [
      'a.b',
      '$..a',
      '$.a[?(@.b)]',
      '$.a[1:2]',
      '$.',
      '$["a"',
      `$['"']`,
      '$[*][*][*][*][*]',
    ]) {
      const error = await failure(book.facts.query({ schema: 's', path, value: 1 }))
      expect(error).toMatchObject({ code: 'invalid-filter', details: { path: 'path' } })
    }
    const error = await failure(book.facts.query({ schema: 's', value: 1 }))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'path' } })
  })

  it('holds facts to their registered schema, and says where one does not', async () => {
    const book = await open()
    const registered = await book.facts.schemas.register({ name: 'profile', schema: profile })
    expect(registered.version).toBe(1)
    const bad: [data: object, path: string][] = [
      [{}, 'data.learning_style'],
      [{ learning_style: 'tactile' }, 'data.learning_style'],
      [{ learning_style: 'visual', strengths: ['a', 7] }, 'data.strengths.1'],
      [{ learning_style: 'visual', study: { hours: 0.5 } }, 'data.study.hours'],
      [{ learning_style: 'visual', extra: 1 }, 'data.extra'],
    ]
    for (const [data, path] of bad) {
      const error = await failure(book.facts.store({ schema: 'profile', data: data as never }))
      expect([error.code, error.details['path']]).toEqual(['invalid-input', path])
    }
    expect((await book.facts.get({ schema: 'profile' })).records).toEqual([])
    const { schema_version } = await book.facts.store({
      schema: 'profile',
      data: { learning_style: 'visual' },
    })
    expect(schema_version).toBe(1)
  })

  it('keeps every version of a schema, and makes a new one only for another schema', async () => {
    const book = await open()
    await book.facts.schemas.register({ name: 'profile', schema: profile })
    const again = { ...profile, description: 'Who learns how.' }
    expect(
      (await book.facts.schemas.register({ name: 'profile', schema: structuredClone(profile) })).version,
    ).toBe(1)
    expect((await book.facts.schemas.register({ name: 'profile', schema: again })).version).toBe(2)
    expect((await book.facts.schemas.register({ name: 'anything', schema: true })).version).toBe(1)
    const { records } = await book.facts.schemas.list()
    expect(records.map(({ name, version }) => [name, version])).toEqual([
      ['anything', 1],
      ['profile', 2],
    ])
    expect(await book.facts.schemas.get({ name: 'profile' })).toMatchObject({
      kind: 'fact_schema',
      schema: again,
      earlier: [{ version: 1, schema: profile }],
    })
    expect(await book.facts.schemas.get({ name: 'none' })).toBeNull()
    await book.facts.store({ schema: 'anything', data: { x: [] } })
  })

  it.each([
    ['a type that is none', { type: 'objekt' }, 'schema.type'],
    ['a property that is none', { properties: { a: 5 } }, 'schema.properties.a'],
    ['a negative count', { items: { maxLength: -1 } }, 'schema.items.maxLength'],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }, 'schema.properties.a.pattern'],
    ['a key pattern that is none', { patternProperties: { '[': true } }, 'schema.patternProperties.['],
    ['a reference to nowhere', { $ref: '#/$defs/none' }, 'schema.$ref'],
    ['a reference to elsewhere', { $ref: 'https://example.com/s.json' }, 'schema.$ref'],
    [
      'a circle',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
      'schema.$defs.a',
    ],
    ['a reference to itself', { $ref: '#' }, 'schema'],
    ['a keyword that would be passed over', { $dynamicRef: '#a' }, 'schema.$dynamicRef'],
  ])('refuses a schema with %s', async (_what, schema, path) => {
    const book = await open()
    const error = await failure(book.facts.schemas.register({ name: 's', schema }))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
    expect((await book.facts.schemas.list()).records).toEqual([])
  })

  it('takes a recursive schema that goes into the value', async () => {
    const book = await open()
    const schema = { type: 'object', properties: { next: { $ref: '#' }, n: { type: 'number' } } }
    await book.facts.schemas.register({ name: 'chain', schema })
    await book.facts.store({ schema: 'chain', data: { next: { next: { n: 1 } } } })
    const error = await failure(book.facts.store({ schema: 'chain', data: { next: { next: { n: 'x' } } } }))
    expect(error.details['path']).toBe('data.next.next.n')
  })

  it('puts a fact in the place of another, which comes back when that is forgotten', async () => {
    const book = await open()
    const { id: first } = await book.facts.store({
      schema: 'city',
      data: { lives_in: 'Prague' },
      source: 'chat',
    })
    const { id: second } = await book.facts.supersede({ id: first, data: { lives_in: 'Lisbon' } })
    const recalled = async () => {
      const { hits } = await book.recall({ text: 'city lives in Prague Lisbon' })
      return hits.map(({ record }) => record.id)
    }
    expect(await recalled()).toEqual([second])
    expect(ids(await book.facts.get({ schema: 'city' }))).toEqual([second])
    expect(ids(await book.facts.query({ path: '$.lives_in' }))).toEqual([second])
    expect(ids(await book.records.query({ kind: 'fact' }))).toEqual([second])
    expect(ids(await book.facts.get({ schema: 'city', includeSuperseded: true }))).toEqual([second, first])
    expect(ids(await book.records.query({ includeSuperseded: true }))).toEqual([second, first])
    expect(await book.records.get({ id: first })).toMatchObject({ data: { lives_in: 'Prague' } })
    expect((await book.facts.history({ id: first })).versions).toHaveLength(1)
    const twice = await failure(book.facts.supersede({ id: first, data: {} }))
    expect(twice).toMatchObject({ code: 'conflict', details: { path: 'supersedes', by: second } })
    const { id: third } = await book.facts.supersede({ id: second, data: { lives_in: 'Porto' } })
    expect(ids(await book.facts.get({ schema: 'city' }))).toEqual([third])
    await book.facts.forget({ id: third })
    expect(ids(await book.facts.get({ schema: 'city' }))).toEqual([second])
    expect(await book.facts.forget({ id: second })).toMatchObject({ forgotten: true, citedBy: [] })
    expect(await recalled()).toEqual([first])
    expect(ids(await book.facts.get({ schema: 'city' }))).toEqual([first])
  })

  it('has one current where two books put facts in the place of one, and lets it be decided', async () => {
    const [book, other] = [await open(), await open()]
    const { id: first } = await book.facts.store({ schema: 'city', data: { lives_in: 'Prague' } })
    await other.import(await book.export())
    const { id: earlier, storedAt } = await book.facts.supersede({
      id: first,
      data: { lives_in: 'Lisbon' },
      source: 'chat',
    })
    for (let at = storedAt; at <= storedAt;)
      at = (await other.perceptions.store({ content: 'Unrelated' })).storedAt
    const { id: later } = await other.facts.supersede({ id: first, data: { lives_in: 'Porto' } })
    await book.import(await other.export())
    const shown = async () => {
      const { hits } = await book.recall({ text: 'city lives in Prague Lisbon Porto', kinds: ['fact'] })
      const lists = [
        hits.map(({ record }) => record.id),
        ids(await book.facts.get({ schema: 'city' })),
        ids(await book.facts.query({ path: '$.lives_in' })),
        ids(await book.records.query({ kind: 'fact' })),
      ]
      return [...new Set(lists.map(String))]
    }
    expect(await shown()).toEqual([earlier])
    expect(await book.records.get({ id: later })).toMatchObject({ data: { lives_in: 'Porto' } })
    const all = await book.facts.get({ schema: 'city', includeSuperseded: true })
    expect(ids(all).toSorted()).toEqual([first, earlier, later].toSorted())
    const { conflicts } = await book.conflicts.list()
    expect(conflicts).toMatchObject([
      {
        record: later,
        loser: { op: 'put', body: { data: { lives_in: 'Porto' } } },
        winner: { op: 'put', record: earlier, body: { data: { lives_in: 'Lisbon' } } },
      },
    ])
    for (const id of [first, later]) {
      const error = await failure(book.facts.supersede({ id, data: {} }))
      expect(error).toMatchObject({ code: 'conflict', details: { path: 'supersedes', by: earlier } })
    }
    expect(await book.conflicts.choose({ id: conflicts[0]?.id ?? 0, choose: 'loser' })).toEqual({
      record: later,
      changed: true,
    })
    expect(await shown()).toEqual([later])
    await book.records.purge({ id: earlier })
    expect(JSON.stringify(await book.conflicts.list())).not.toContain('Lisbon')
  })

  it('recalls as of a time what was current then', async () => {
    const book = await open()
    const { id: old } = await book.facts.store({ schema: 'city', data: { lives_in: 'Prague' } })
    const { storedAt: between } = await book.perceptions.store({ content: 'Unrelated' })
    // Until the clock has gone on: what is stored within one millisecond is of one time.
    for (let at = between; at <= between;)
      at = (await book.perceptions.store({ content: 'Unrelated' })).storedAt
    const { id: now } = await book.facts.supersede({ id: old, data: { lives_in: 'Lisbon' } })
    const recalled = async (at?: string) => {
      const { hits } = await book.recall({ text: 'city lives in', ...(at && { at }) })
      return hits.map(({ record }) => record.id)
    }
    expect(await recalled()).toEqual([now])
    expect(await recalled(between)).toEqual([old])
    expect(await recalled('2999-01-01')).toEqual([now])
  })

  it('refuses to supersede nothing, another kind, or itself', async () => {
    const book = await open()
    const missing = await failure(book.facts.supersede({ id: 'nobody', data: {} }))
    expect(missing).toMatchObject({ code: 'not-found', details: { path: 'id' } })
    const { id: other } = await book.perceptions.store({ content: 'c' })
    const wrong = await failure(book.facts.store({ schema: 's', data: {}, supersedes: other }))
    expect(wrong).toMatchObject({ code: 'not-found', details: { path: 'supersedes' } })
    await book.facts.store({ id: 'f-1', schema: 's', data: {} })
    await book.facts.store({ id: 'f-2', schema: 's', data: {}, supersedes: 'f-1' })
    for (const supersedes of ['f-1', 'f-2']) {
      const circle = await failure(book.facts.store({ id: 'f-1', schema: 's', data: {}, supersedes }))
      expect(circle).toMatchObject({ code: 'conflict', details: { path: 'supersedes' } })
    }
  })
}
