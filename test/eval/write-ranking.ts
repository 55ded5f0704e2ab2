// `node test/eval/write-ranking.ts`: rewrites the first five of every synonym question and of every question of whole answers, which
// all hosts must rank alike, after ranking changed on purpose.
import { writeFile } from 'node:fs/promises'
import { measureSynonyms, measureWholes } from '../golden/judged-measure.ts'
import { openDaybook } from '../../src/hosts/node/index.ts'

const ranked: string[] = []
for (const [name, measure] of Object.entries({ synonym: measureSynonyms, whole: measureWholes })) {
  await using book = await openDaybook({
    name,
    agent: 'contract',
    path: ':memory:',
    timeZone: 'UTC',
    embedder: { provider: 'none' },
  })
  await measure(book, ranked)
}
await writeFile(
  new URL('../golden/judged-ranking.ts', import.meta.url),
  '// The first five of every question, as every host must rank them. `node test/eval/write-ranking.ts` writes this file.\n' +
    `export const judgedRanking = \`\n${ranked.join('\n')}\n\`\n`,
)
