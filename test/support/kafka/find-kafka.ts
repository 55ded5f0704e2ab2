// Apache Kafka from its jars: Maven and a JVM of Debian's fetch them once, into the cache of this clone.
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inStep } from '../progress.ts'
import { installDebian } from '../server/install-debian.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const pom = join(root, 'test/support/kafka/pom.xml')
const leastJava = 17

/** Why no broker can be started here; undefined when one can. Installs what is missing. */
export function missingKafka(): string | undefined {
  if (process.env['DAYBOOK_KAFKA_JARS'] !== undefined) return missingJava()
  return missingJava() ?? installDebian('/usr/bin/mvn', ['maven'])
}

function missingJava(): string | undefined {
  const missing = installDebian('/usr/bin/java', ['default-jre-headless'])
  if (missing !== undefined) return missing
  // It speaks on stderr only.
  const said = execFileSync('sh', ['-c', 'java -version 2>&1'], { encoding: 'utf8' })
  const version = Number(/version "(\d+)/.exec(said)?.[1])
  return version >= leastJava ? undefined : `Kafka needs Java ${leastJava}, and this is ${version}`
}

let found: Promise<string> | undefined

/** The class path of the broker; `DAYBOOK_KAFKA_JARS` names one that is there already, as `/opt/kafka/libs/*`. */
export const kafkaClassPath = (): Promise<string> => (found ??= findJars())

async function findJars(): Promise<string> {
  const given = process.env['DAYBOOK_KAFKA_JARS']
  if (given !== undefined) return given
  const hash = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 16)
  const folder = join(root, '.cache/kafka')
  const kept = join(folder, `${hash}.classpath`)
  if (existsSync(kept)) {
    const path = readFileSync(kept, 'utf8')
    // Whoever empties Maven's own cache takes the jars away.
    if (path.split(':').every((jar) => existsSync(jar))) return path
  }
  mkdirSync(folder, { recursive: true })
  const own = `${kept}.${process.pid}`
  const maven = ['mvn', '-q', '-B', '-f', pom, 'dependency:build-classpath', `-Dmdep.outputFile=${own}`]
  // Two Mavens that fetch the same files into one cache get in each other's way.
  await inStep('node', 'fetching the jars of Apache Kafka', () =>
    promisify(execFile)('flock', [join(folder, 'lock'), ...maven]),
  )
  const path = readFileSync(own, 'utf8').trim()
  writeFileSync(own, path)
  renameSync(own, kept)
  return path
}
