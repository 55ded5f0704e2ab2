// `node test/eval/write-meaning.ts`: asks every judged corpus with the embedder `meaning`, and rewrites the figures and the ranking
// that all hosts must reach, after the table or the ranking changed on purpose: `measured.ts` and `*-ranking.ts` in
// `test/golden/meaning`. It stops if a figure would fall; `--accept-falls` writes it all the same. A record without a time has the
// day of the test, so it asks as on each day of a year: a figure is the least of them all, and a question that names a day is in no
// ranking. That takes minutes; `--days N` asks on N days only.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { format, resolveConfig } from 'prettier'
import type { RecallQuery, RecallResult } from '../../src/core/capability/port/recall-port.ts'
import { type JudgedCorpus, judgedCorpora } from '../golden/judged-corpus.ts'
import { measured as before } from '../golden/meaning/measured.ts'
import { rankedLine } from '../golden/meaning/ranked-line.ts'
import type { Figures } from '../golden/set-measure.ts'
import { openEvalBook } from './eval-book.ts'

const { values } = parseArgs({
  options: { days: { type: 'string', default: '366' }, 'accept-falls': { type: 'boolean', default: false } },
})
const days = Number(values.days)
if (!Number.isInteger(days) || days < 1 || days > 366) {
  console.error('--days takes a whole number from 1 to 366.')
  process.exit(2)
}

/** Counts, and figures that are no aim. */
const notHeld = new Set(['questions', 'forbidden', 'precision'])

/** Days, months or weekdays, by which a record without a time may be found on another day. */
const namesDay =
  /\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:jan|febr)uary|\bmarch\b|\bapril\b|\bmay\b|\bjune\b|\bjuly\b|\baugust\b|\b(?:sept|nov|dec)ember|\boctober|\b(?:today|yesterday|tomorrow)\b/i

/** Each record of these has a time of its own. */
const dated = new Set(['long', 'whole', 'changes'])

/** On so many days even questions that name none are asked again. */
const wholeDays = 24

type Answers = Map<string, RecallResult>

/** Without `known`, asks every question. With it, those that name no day have the known answer. */
async function askOn(nowMs: number, { fill, measure }: JudgedCorpus, known?: Answers) {
  const watch = { times: [], degraded: 0 }
  const one = await openEvalBook({ provider: 'meaning', questionDeadlineMs: 60_000 }, watch, {
    clock: { now: () => nowMs },
  })
  await fill(one.book)
  await one.ready()
  const lines = new Map<string, string>()
  const answers: Answers = new Map()
  const ask = async (query: RecallQuery) => {
    const key = JSON.stringify(query)
    const answer = (namesDay.test(query.text) ? undefined : known?.get(key)) ?? (await one.recall(query))
    answers.set(key, answer)
    return answer
  }
  const sets = await measure(ask, (text, found) => lines.set(text, rankedLine(text, found)))
  await one.close()
  return { sets, lines, answers }
}

const figures: Record<string, Record<string, number>> = {}
const rankings: Record<string, string[]> = {}
for (const corpus of judgedCorpora) {
  const lines = new Map<string, string>()
  const dayBound = new Set<string>()
  const note = (sets: Readonly<Record<string, Figures>>) => {
    for (const [set, measured] of Object.entries(sets)) {
      const least = (figures[set] ??= {})
      for (const [figure, value] of Object.entries(measured))
        if (!notHeld.has(figure))
          least[figure] = Math.min(least[figure] ?? 1, Math.floor(value * 1000) / 1000)
    }
  }
  let known: Answers | undefined
  const asked = dated.has(corpus.name) ? 1 : days
  for (let day = 0; day < asked; day++) {
    const isWhole = day % Math.ceil(asked / wholeDays) === 0
    const nowMs = Date.now() + Math.round((day * 366) / asked) * 86_400_000
    const now = await askOn(nowMs, corpus, isWhole ? undefined : known)
    known ??= now.answers
    note(now.sets)
    for (const [text, line] of now.lines)
      if (line !== (lines.get(text) ?? line)) dayBound.add(text)
      else lines.set(text, line)
  }
  for (const text of dayBound)
    console.log(`depends on the day${namesDay.test(text) ? '' : ' without naming one'}: ${text}`)
  rankings[corpus.name] = [...lines]
    .filter(([text]) => !dayBound.has(text) && !namesDay.test(text))
    .map(([, line]) => line)
}

const falls = Object.entries(before).flatMap(([set, least]) =>
  Object.entries(least)
    .filter(([figure, value]) => (figures[set]?.[figure] ?? 0) < value)
    .map(([figure, value]) => `${set}, ${figure}: ${value} → ${figures[set]?.[figure] ?? 'none'}`),
)
for (const fall of falls) console.error(`falls: ${fall}`)
if (falls.length > 0 && !values['accept-falls']) {
  console.error('Nothing is written. --accept-falls writes these figures.')
  process.exit(1)
}

async function write(name: string, text: string): Promise<void> {
  const file = fileURLToPath(new URL(`../golden/meaning/${name}.ts`, import.meta.url))
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }))
}
const row = ([set, some]: readonly [string, Figures]) =>
  `  '${set}': { ${Object.entries(some)
    .map(([figure, value]) => `'${figure}': ${value}`)
    .join(', ')} },\n`
await write(
  'measured',
  `// The figures with the embedder \`meaning\`. \`node test/eval/write-meaning.ts\` writes this file.
import type { Figures } from '../set-measure.ts'

export const measured: Readonly<Record<string, Figures>> = {
${Object.entries(figures).map(row).join('')}}
`,
)
for (const [name, lines] of Object.entries(rankings))
  await write(
    `${name}-ranking`,
    `// The first ten of questions with the embedder \`meaning\`, as every host must rank them. \`node test/eval/write-meaning.ts\` writes
// this file.
export const ${name}Ranking = \`
${lines.join('\n')}
\`
`,
  )
