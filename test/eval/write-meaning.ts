// `node test/eval/write-meaning.ts`: asks every judged corpus with the embedder `meaning`, and rewrites the figures and the ranking
// that all hosts must reach, after the table or the ranking changed on purpose: `measured.ts` and `*-ranking.ts` in
// `test/golden/meaning`. It stops if a figure would fall; `--accept-falls` writes it all the same. `--days N` (default 24): on so
// many days of a year, because records without a time have the day of the test. A figure is the least of them all, and a question
// whose ranking depends on the day is in no ranking.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { format, resolveConfig } from 'prettier'
import { type JudgedCorpus, judgedCorpora } from '../golden/judged-corpus.ts'
import { measured as before } from '../golden/meaning/measured.ts'
import { rankedLine } from '../golden/meaning/ranked-line.ts'
import type { Figures } from '../golden/set-measure.ts'
import { openEvalBook } from './eval-book.ts'

const { values } = parseArgs({
  options: { days: { type: 'string', default: '24' }, 'accept-falls': { type: 'boolean', default: false } },
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

async function askOn(nowMs: number, { fill, measure }: JudgedCorpus) {
  const watch = { times: [], degraded: 0 }
  const one = await openEvalBook({ provider: 'meaning', questionDeadlineMs: 60_000 }, watch, {
    clock: { now: () => nowMs },
  })
  await fill(one.book)
  await one.ready()
  const lines = new Map<string, string>()
  const sets = await measure(one.recall, (text, found) => lines.set(text, rankedLine(text, found)))
  await one.close()
  return { sets, lines }
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
  for (let day = 0; day < days; day++) {
    const now = await askOn(Date.now() + Math.round((day * 366) / days) * 86_400_000, corpus)
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
