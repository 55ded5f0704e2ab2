// `npm run soak:kafka -- [--count 1000000]`: so many signed envelopes lie in the topics of a real Apache Kafka before
// `daybook kafka` is started; it is killed in the middle. Says how fast it read, and in how much memory.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { startKafka } from '../../support/kafka/kafka.ts'
import { putBacklog, soak } from '../../node/hosts/node/kafka/soak.ts'

const { values } = parseArgs({ options: { count: { type: 'string' }, every: { type: 'string' } } })
const count = Number(values.count ?? 1_000_000)
const every = Number(values.every ?? 30)
const home = await mkdtemp(join(tmpdir(), 'daybook-soak-'))
const kafka = await startKafka()
try {
  const options = { broker: kafka.broker, group: 'soak', home, count }
  const began = performance.now()
  await putBacklog(options)
  const secondsFrom = (/** @type {number} */ from) => Math.round((performance.now() - from) / 1000)
  console.log(`${count} envelopes put into the topics in ${secondsFrom(began)} s`)
  const start = performance.now()
  let lines = 0
  const soaked = await soak({
    ...options,
    onProgress({ received, lag, megabytes }) {
      if (lines++ % every === 0)
        console.log(`${secondsFrom(start)} s: received ${received}, lag ${lag}, ${megabytes} MB`)
    },
  })
  console.log(JSON.stringify(soaked))
  const { facts, wrong, expected } = soaked
  if (facts !== expected.facts || wrong > 0) {
    process.exitCode = 1
    console.log(`It stands in ${home}, and its audit says:`)
    const db = new DatabaseSync(join(home, 'agents/agent/memory/book.daybook'), { readOnly: true })
    console.log(
      db.prepare('SELECT type, result, reason, sum(count) AS times FROM pool_audit GROUP BY 1, 2, 3').all(),
    )
    console.log(
      db.prepare('SELECT type, count(*) AS waiting, min(due) AS due FROM pool_waiting GROUP BY 1').all(),
    )
    db.close()
  }
} finally {
  await kafka.remove()
  if (process.exitCode !== 1) await rm(home, { recursive: true })
}
