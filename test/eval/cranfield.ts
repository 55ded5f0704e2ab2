// Cranfield: 1,400 abstracts on aerodynamics, 225 questions, graded judgements. A folder with `cran.all.1400`, `cran.qry`
// and the judgements (`cranqrel`, or any file whose name begins so). A text is the goal of a trace.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mean, ndcg } from '../golden/measure.ts'
import type { Figures } from '../golden/set-measure.ts'
import type { EvalBook } from './eval-book.ts'

/** The entries of a file: `.I` begins one, `.T`, `.A`, `.B`, `.W` its parts. */
export function parseEntries(text: string): Map<string, string>[] {
  const entries: Map<string, string>[] = []
  let part = ''
  for (const line of text.split(/\r?\n/)) {
    const mark = /^\.([ITABW])\s*(.*)$/.exec(line)
    if (mark?.[1] === 'I') {
      entries.push(new Map([['I', mark[2]?.trim() ?? '']]))
      part = ''
    } else if (mark) part = mark[1] ?? ''
    else if (part !== '') {
      const entry = entries.at(-1)
      entry?.set(part, `${entry.get(part) ?? ''} ${line}`.trim())
    }
  }
  return entries
}

export async function evalCranfield(
  path: string,
  open: () => Promise<EvalBook>,
): Promise<Readonly<Record<string, Figures>>> {
  const names = await readdir(path)
  const named = (begin: RegExp) => {
    const name = names.find((one) => begin.test(one))
    if (name === undefined) throw new Error(`There is no file like ${begin.source} in ${path}.`)
    return readFile(join(path, name), 'utf8')
  }
  const texts = parseEntries(await named(/^cran\.all/))
  const questions = parseEntries(await named(/^cran\.qry/))
  // The questions are numbered in their order, whatever their `.I` says.
  const judged = new Map<number, Map<string, number>>()
  for (const line of (await named(/^cranqrel|qrel/)).split('\n')) {
    const [question, text, grade] = line.trim().split(/\s+/)
    if (question === undefined || text === undefined || grade === undefined) continue
    // Grades run from 1, a complete answer, to 4, of little interest; -1 and 5 say none.
    const gain = Number(grade) >= 1 && Number(grade) <= 4 ? 5 - Number(grade) : 0
    const grades = judged.get(Number(question)) ?? new Map<string, number>()
    judged.set(Number(question), grades.set(text, gain))
  }
  const one = await open()
  for (let from = 0; from < texts.length; from += 500)
    await one.book.traces.storeMany({
      traces: texts.slice(from, from + 500).map((entry) => ({
        id: `cran-${entry.get('I') ?? ''}`,
        situation: { domain: 'cranfield', ...(entry.get('A') ? { actor: entry.get('A') ?? '' } : {}) },
        task: { goal: `${entry.get('T') ?? ''} ${entry.get('W') ?? ''}`.trim() || '-' },
        action: { type: 'abstract' },
      })),
    })
  await one.ready()
  const figures = []
  for (const [i, entry] of questions.entries()) {
    const grades = judged.get(i + 1)
    if (!grades) continue
    const text = entry.get('W') ?? ''
    const { hits } = await one.recall({ text, limit: 100, distinct: false })
    const found = hits.map(({ record }) => record.id.slice('cran-'.length))
    figures.push({ ndcg: ndcg({ found, grades }, 10), map: averagePrecision(found, grades) })
  }
  await one.close()
  return {
    text: {
      'ndcg@10': mean(figures.map((figure) => figure.ndcg)),
      'map@100': mean(figures.map((figure) => figure.map)),
      questions: figures.length,
    },
  }
}

function averagePrecision(found: readonly string[], grades: ReadonlyMap<string, number>): number {
  const wanted = [...grades.values()].filter((grade) => grade > 0).length
  let [right, sum] = [0, 0]
  found.forEach((id, i) => {
    if ((grades.get(id) ?? 0) > 0) sum += ++right / (i + 1)
  })
  return wanted === 0 ? 0 : sum / wanted
}
