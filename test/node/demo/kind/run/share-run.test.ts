// A run as one HTML file, without a page: hostile texts stay text, long ones are cut, sensitive ones are left out.
import { expect, it } from 'vitest'
import { type Entry, pictureOf } from '../../../../../demo/kind/run/picture.ts'
import { withoutSensitive } from '../../../../../demo/kind/run/redacted-run.ts'
import { shareRun } from '../../../../../demo/kind/run/share-run.ts'

const savedAt = '2026-02-01T00:00:00.000Z'

const trace = (n: number, over: object = {}): Entry =>
  ({
    kind: 'trace',
    id: `secret-id-${n}`,
    agent: 'main',
    session: 'night',
    timestamp: `2026-01-31T10:00:0${n}.000Z`,
    situation: { domain: 'code', context: {} },
    task: { goal: `Thing ${n}`, constraints: [] },
    action: { type: 'bash', parameters: {}, tools_used: [] },
    result: { success: true, outcome: { observation: `Saw ${n}`, execution_time: 1 }, side_effects: [] },
    metadata: { mode: 'interactive', tags: [], linked_traces: [] },
    ...over,
  }) as unknown as Entry

const pageOf = (entries: readonly Entry[], includesSensitive = false, all = entries.length) =>
  shareRun(pictureOf('night', includesSensitive ? entries : withoutSensitive(entries)), {
    savedAt,
    includesSensitive,
    all,
  })

/** The tags of a page without those that are the file's own. */
const tagsOf = (page: string) => new Set([...page.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name))

it('escapes every text, in every place', () => {
  const hostile = `</script></style></pre><img src=x onerror=alert(1)>"'&<script>alert(2)</script>`
  const page = pageOf([
    trace(1, {
      agent: hostile,
      task: { goal: hostile, constraints: [hostile] },
      situation: { domain: hostile, context: { [hostile]: hostile } },
      action: { type: hostile, parameters: { [hostile]: hostile }, tools_used: [] },
      result: { success: false, outcome: { error: hostile, [hostile]: hostile }, side_effects: [hostile] },
    }),
    { ...trace(2), kind: 'message', content: hostile, source: { type: 'User', name: hostile } } as never,
  ])
  expect(page).not.toMatch(/<img|<script|<\/script|onerror=alert\(1\)>/)
  expect(page.match(/<\/style/g)).toHaveLength(1)
  expect(tagsOf(page)).toEqual(
    tagsOf(
      pageOf([
        trace(1, failing),
        { ...trace(2), kind: 'message', content: 'a', source: { type: 'User' } } as never,
      ]),
    ),
  )
  expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
  // The name of the page and the value of an attribute too.
  expect(/<title>(.*)<\/title>/.exec(page)?.[1]).not.toMatch(/[<>"]/)
})

const failing = {
  task: { goal: 'x', constraints: ['y'] },
  result: { success: false, outcome: { error: 'No rule' }, side_effects: [] },
}

it('shows the signs that change the order of a line by their code, and keeps half characters out', () => {
  const page = pageOf([
    trace(1, { task: { goal: 'user\u202Etxt.exe\u2066 \uD800 \u0000', constraints: [] } }),
  ])
  expect(page).toContain('user[U+202E]txt.exe[U+2066] \uFFFD \uFFFD')
  expect(page.isWellFormed()).toBe(true)
})

it('cuts an output of 1 MB and says so, and cuts more where there are many', () => {
  const long = (n: number) =>
    trace(n % 10, {
      id: `long-${n}`,
      result: { success: true, outcome: { output: 'x'.repeat(1_000_000) }, side_effects: [] },
    })
  const page = pageOf([long(1)])
  expect(page.length).toBeLessThan(40_000)
  expect(page).toContain('Cut here: 980,000 more characters of this text are in the book.')
  const pages = pageOf(Array.from({ length: 2000 }, (_, i) => long(i)))
  expect(pages.length).toBeLessThan(14_000_000)
})

it('leaves out the texts of sensitive records, and only their texts', () => {
  const entries = [
    trace(1, {
      sensitivity: 'sensitive',
      task: { goal: 'Call Ruth', constraints: ['quietly'] },
      situation: { domain: 'health', context: { phone: '5551' } },
      action: { type: 'dial', parameters: { to: 'Ruth' }, tools_used: [] },
      result: {
        success: false,
        outcome: { error: 'Ruth is ill', execution_time: 2, usage: { total_tokens: 70 } },
        side_effects: [],
      },
    }),
    trace(2, { metadata: { mode: 'interactive', tags: [], linked_traces: ['secret-id-1'] } }),
    {
      ...trace(3),
      kind: 'message',
      sensitivity: 'restricted',
      content: 'Ruth again',
      source: { type: 'User', name: 'Ruth' },
    } as never,
  ]
  const page = pageOf(entries)
  expect(page).not.toMatch(/Ruth|quietly|5551|dial|health/)
  expect(page).toContain('The texts of 2 sensitive records are left out.')
  expect(page).toContain('This record is sensitive: its text is left out.')
  expect(page).toMatch(/70 tokens/)
  expect(page).toMatch(/Saw 2/)
  expect(page).not.toMatch(/secret-id/)
  const whole = pageOf(entries, true)
  expect(whole).toContain('This file includes the texts of 2 sensitive records.')
  expect(whole).toMatch(/Ruth is ill[\s\S]*quietly[\s\S]*5551[\s\S]*Ruth again/)
})

it('has totals, errors with links to their steps, tools, and a policy that allows no script', () => {
  const page = pageOf([trace(1), trace(2, failing), trace(3)], false, 5)
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
  expect(page).toMatch(/<dt>Steps<\/dt><dd>3 <span class="bad">\(1 failed\)/)
  expect(page).toContain('<a href="#step-2">Step 2</a>')
  expect(page).toContain('<li id="step-2">')
  expect(page).toMatch(/<th scope="row"><code dir="auto">bash<\/code><\/th>/)
  expect(page).toContain('This file has 3 of 5 entries of the run.')
  expect(page).not.toMatch(/https?:|src=|url\(/)
})

it('is whole for a run without entries', () => {
  expect(pageOf([])).toMatch(/<h1 dir="auto">A run<\/h1>[\s\S]*<\/html>\n$/)
})
