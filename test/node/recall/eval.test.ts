// The evaluation of outside data sets, on small made files of the same formats.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ablationText } from '../../eval/ablate.ts'
import { parseEntries } from '../../eval/cranfield.ts'
import { evidenceIds, isAboutOrder, sessionTime } from '../../eval/locomo.ts'
import { embedderOf } from '../../eval/eval-embedder.ts'
import { runEval } from '../../eval/run-eval.ts'
import type { RecallPart } from '../../../src/recall/part.ts'
import { startEmbeddingServer } from '../../support/server/embedding-server.ts'
import { startTinyServer } from '../../support/server/tiny-server.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eval-'))
})
afterAll(() => rm(folder, { recursive: true }))
const put = (name: string, content: unknown) =>
  writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))

describe('LoCoMo', () => {
  test('reads evidence and dates in all the ways they are written', () => {
    expect(evidenceIds(['D8:6; D9:17', 'D', 'D:11:26', 'D8:6', 'D2:03'])).toEqual([
      'D8:6',
      'D9:17',
      'D11:26',
      'D2:3',
    ])
    expect(evidenceIds(undefined)).toEqual([])
    expect(sessionTime('1:56 pm on 8 May, 2023')).toBe(Date.UTC(2023, 4, 8, 13, 56))
    expect(sessionTime('12:05 am on 1 January, 2024')).toBe(Date.UTC(2024, 0, 1, 0, 5))
    expect(sessionTime('some day')).toBeUndefined()
  })

  test('knows a question about order by its words', () => {
    expect(isAboutOrder('In what order did we paint the rooms?')).toBe(true)
    expect(isAboutOrder('Which came first: the tyres or the brakes?')).toBe(true)
    expect(isAboutOrder('List my races chronologically.')).toBe(true)
    expect(isAboutOrder('When does my first sprint end?')).toBe(false)
  })

  test('counts what is found among all turns of a conversation, by category and by session', async () => {
    const turn = (speaker: string, dia_id: string, text: string) => ({ speaker, dia_id, text })
    await put('locomo.json', [
      {
        sample_id: 'one',
        conversation: {
          speaker_a: 'Ana',
          speaker_b: 'Ben',
          session_1: [
            turn('Ana', 'D1:1', 'I adopted a kitten called Biscuit.'),
            { ...turn('Ben', 'D1:2', 'Look at this.'), blip_caption: 'a photo of a sailing boat' },
          ],
          session_1_date_time: '1:56 pm on 8 May, 2023',
          session_2: [turn('Ana', 'D2:1', 'My pottery class starts on Monday.')],
          session_2_date_time: '10:00 am on 20 June, 2023',
        },
        qa: [
          { question: 'What is the kitten called?', answer: 'Biscuit', evidence: ['D1:1'], category: 4 },
          { question: 'What is on the photo of the boat?', evidence: ['D1:2'], category: 1 },
          {
            question: 'Which was first, the pottery or the kitten?',
            evidence: ['D2:1', 'D1:1'],
            category: 3,
          },
          { question: 'What about helicopters?', evidence: ['D2:1'], category: 5 },
          { question: 'Nobody knows', evidence: ['D'], category: 2 },
        ],
      },
    ])
    const { latencyMs, ...figures } = await runEval({
      dataset: 'locomo',
      path: join(folder, 'locomo.json'),
      embedder: { provider: 'none' },
    })
    expect(figures).toMatchObject({
      dataset: 'locomo',
      turn: { questions: 4, 'recall@5': 3 / 4, 'any@5': 3 / 4, mrr: 3 / 4, 'all@40': 3 / 4 },
      'turn, category 1': { questions: 1, 'recall@5': 1, 'ndcg@10': 1 },
      'turn, category 3': { 'all@40': 1, 'questions of order': 1 },
      'turn, category 5': { questions: 1, 'recall@50': 0 },
      session: { 'recall@5': 3 / 4, 'all@5': 3 / 4 },
    })
    expect(figures['turn, category 1']).not.toHaveProperty('order@10')
    expect(latencyMs.p95).toBeGreaterThan(0)
  })
})

test('PrecisionMemBench: nothing of others, superseded, resolved, pinned or out of scope comes', async () => {
  const belief = (id: string, content: string, more: object = {}) => ({
    _id: id,
    user_id: 'ana',
    canonical_name: content,
    aliases: [],
    content,
    scope: ['domain:code'],
    epistemic_status: 'active',
    pinned: false,
    resolved_at: null,
    superseded_by: null,
    ...more,
  })
  await put('beliefs.seed.json', [
    belief('new', 'Uses pnpm to install packages'),
    belief('old', 'Uses npm to install packages', { superseded_by: 'new' }),
    belief('older', 'Uses yarn to install packages', { superseded_by: 'new' }),
    belief('ben', 'Uses bun to install packages', { user_id: 'ben' }),
    belief('done', 'Wants to install packages offline', { resolved_at: '2024-01-01' }),
    belief('pin', 'Install packages only after asking', { pinned: true }),
    belief('home', 'Buys packages of tea to install calm', { scope: ['domain:home'] }),
    belief('all', 'Speaks Portuguese', { scope: ['user:universal'] }),
  ])
  await put('retrieval.cases.json', [
    {
      caseId: 'a',
      scope: ['domain:code'],
      query: 'how do I install packages?',
      userId: 'ana',
      expect: {
        relevantBeliefs: {
          mustInclude: ['new'],
          mustNotInclude: ['old', 'ben', 'done', 'home'],
        },
      },
    },
    {
      caseId: 'b',
      scope: ['domain:code'],
      query: 'Which language, Portuguese?',
      userId: 'ana',
      expect: { relevantBeliefs: { mustInclude: ['all'] } },
    },
    { caseId: 'c', query: 'who are you?', expect: { personaPrelude: 'x' } },
  ])
  const { active } = await runEval({ dataset: 'precision', path: folder, embedder: { provider: 'none' } })
  expect(active).toEqual({ precision: 1, recall: 1, exact: 1, forbidden: 0, cases: 2 })
})

test('Cranfield: reads its three files and grades what is found', async () => {
  const texts =
    '.I 1\n.T\nflow over a flat plate\n.A\nglauert\n.B\nx\n.W\nboundary layer\nof a plate\n.I 2\n.T\nheat of wings\n.W\nwings\n'
  expect(parseEntries(texts)[0]?.get('W')).toBe('boundary layer of a plate')
  await put('cran.all.1400', texts)
  await put('cran.qry', '.I 001\n.W\nboundary layer of a flat plate .\n.I 002\n.W\nhow hot are wings\n')
  await put('cranqrel', '1 1 2\n1 2 -1\n2 2 1\n')
  const { text } = await runEval({ dataset: 'cranfield', path: folder, embedder: { provider: 'none' } })
  expect(text).toEqual({ 'ndcg@10': 1, 'map@100': 1, questions: 2 })
  const run = promisify(execFile)
  const script = ['test/eval/run.mjs', '--dataset', 'cranfield', '--path', folder]
  const { stdout } = await run('node_modules/.bin/node', [...script, '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ dataset: 'cranfield', text: { questions: 2 } })
  await expect(run('node_modules/.bin/node', ['test/eval/run.mjs', '--dataset', 'x'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--dataset takes one of golden') as string,
  })
})

test.each(['http', 'api', 'local', 'lsa', 'none'])(
  'takes the embedder %s from the command line',
  async (embedder) => {
    const server = await startEmbeddingServer()
    const models = await startTinyServer()
    try {
      const address = { http: `${server.url}/embed`, api: `${server.url}/v1` }[embedder]
      const flags = { embedder, 'embed-url': address, 'embed-model': 'tiny', 'embed-path': models.url }
      await put('cran.all.1400', '.I 1\n.T\nask a physician\n.I 2\n.T\ncount the salary\n')
      await put('cran.qry', '.I 001\n.W\nhospital\n.I 002\n.W\nbank\n')
      await put('cranqrel', '1 1 2\n2 2 2\n')
      const options = {
        ...embedderOf(flags, 'secret'),
        ...(embedder === 'local' ? { cache: join(folder, 'models') } : {}),
      }
      const { text, degraded } = await runEval({ dataset: 'cranfield', path: folder, embedder: options })
      const found = embedder === 'lsa' || embedder === 'none' ? 0 : 1
      expect([text, degraded]).toEqual([{ 'ndcg@10': found, 'map@100': found, questions: 2 }, 0])
      if (embedder === 'api') expect(server.requests[0]?.headers.authorization).toBe('Bearer secret')
    } finally {
      await server.close()
      await models.close()
    }
  },
)

test('by words alone, by vectors alone and by both, each text embedded once', async () => {
  const server = await startEmbeddingServer()
  try {
    await put('cran.all.1400', '.I 1\n.T\nask a physician\n.I 2\n.T\ncount the beans\n')
    await put('cran.qry', '.I 001\n.W\nhospital\n.I 002\n.W\nbeans\n')
    await put('cranqrel', '1 1 2\n2 2 2\n')
    const embedder = embedderOf({ embedder: 'http', 'embed-url': `${server.url}/embed` }, undefined)
    const found = async (by: typeof embedder, without: readonly RecallPart[]) => {
      const { text } = await runEval({ dataset: 'cranfield', path: folder, embedder: by, without })
      return (text as { 'map@100': number })['map@100']
    }
    // The one question has its word in a record, the other only its meaning.
    expect(await found({ provider: 'none' }, [])).toBe(0.5)
    expect(await found(embedder, ['words'])).toBe(0.5)
    const asked = server.requests.length
    expect(asked).toBeGreaterThan(0)
    expect(await found(embedder, [])).toBe(1)
    expect(server.requests.length).toBe(asked)
  } finally {
    await server.close()
  }
})

test('the golden corpus: figures with an embedder beside those without', async () => {
  const [none, lsa] = await Promise.all(
    (['none', 'lsa'] as const).map((provider) =>
      runEval({ dataset: 'golden', path: '', embedder: { provider } }),
    ),
  )
  expect(none?.['golden']).toMatchObject({ silent: 1, questions: 95 })
  expect(lsa?.['golden']).toMatchObject({ silent: 1, questions: 95 })
})

test('the judged sets: every one in one run, with the figures of its sort', async () => {
  const figures = await runEval({ dataset: 'judged', path: '', embedder: { provider: 'none' } })
  expect(figures['golden, held out']).toMatchObject({ silent: 1 })
  expect(figures['synonym']).toMatchObject({ questions: 30, 'recall@10': expect.any(Number) as number })
  expect(figures['whole, held out']).toMatchObject({ questions: 30, 'all@40': expect.any(Number) as number })
})

test('an ablation is printed as changes in points, fitted / held out, with nothing where nothing changes', () => {
  const table = {
    words: {
      'all parts': { golden: [0.8, 0.9], outside: [0.5] },
      floor: { golden: [0.75, 0.9004], outside: [0.5] },
    },
  }
  expect(ablationText(table).split('\n')).toEqual([
    '| words | golden | outside |',
    '| --- | --- | --- |',
    '| all parts | 80.0 / 90.0 | 50.0 |',
    '| − floor | −5.0 / 0 |  |',
  ])
})
